"""Tasks of the algorithms with a ramp (chapter 6): what runs inside a fresh process."""

import time
from dataclasses import replace

import numpy as np
from scipy.special import expit
from sklearn.datasets import make_classification
from sklearn.preprocessing import scale

from sklearn_online_svm import LASVC
from sklearn_online_svm.datasets import flip_labels

from ..bench.measure import processor_seconds
from ..sets.workloads import Split, with_noise
from ..svc import models
from ..svc.tasks import KernelJob, fit, scored, scores_of, warm_up
from .suspects import suspect_methods


def learn_in_chunks(job):
    """One pass of `partial_fit` over the same samples in several orders (chapter 6).

    The curve is scored after each chunk; scoring is not in the times. LASVM, which has a
    finishing step, is scored again after it.
    """
    split = job.data()
    warm_up(job, split)
    runs = []
    for order in job.orders:
        rows = in_order(split, order)
        # Scored as the papers do: with the vectors as they are.
        model, seconds, points = job.build(finishing=False), 0.0, []
        ends = np.linspace(0, len(rows.y_train), N_POINTS + 1).astype(int)[1:]
        for start, end in zip([0, *ends], ends):
            chunk = rows.X_train[start:end], rows.y_train[start:end]
            began = time.perf_counter()
            model.partial_fit(*chunk, classes=[-1, 1])
            seconds += time.perf_counter() - began
            points.append(_snapshot(model, rows, seconds))
        if job.options["algorithm"] == "lasvm":
            began = time.perf_counter()
            model.finish()
            seconds += time.perf_counter() - began
            points.append(_snapshot(model, rows, seconds))
        runs.append(
            {
                "curve": [{name: point[name] for name in CURVE_FIELDS} for point in points],
                "final": {name: points[-1][name] for name in FINAL_FIELDS},
                **_flow(model),
            }
        )
    return {"runs": runs, "n_train": split.X_train.shape[0]}


# Chunks of a stream: points of its curve.
N_POINTS = 18
# What is stored of each point, and of the last one of each run.
CURVE_FIELDS = (
    "n_seen", "n_support", "n_kernel_evaluations", "duality_gap", "error", "prbep",
)  # fmt: skip
FINAL_FIELDS = (
    "seconds", "n_support", "n_kernel_evaluations", "n_kept", "error", "prbep", "auc", "gmean",
)  # fmt: skip


def in_order(split, order):
    rows = np.random.default_rng([order, 6]).permutation(len(split.y_train))
    return Split(split.X_train[rows], split.y_train[rows], split.X_test, split.y_test)


def _snapshot(model, split, seconds):
    (problem,) = model._machine.engine.problems
    told = models.learnt(model)
    return {
        "n_seen": int(model.n_samples_seen_),
        "seconds": seconds,
        **{name: told[name] for name in ("n_support", "n_kernel_evaluations", "duality_gap")},
        # Support vectors and those at alpha = 0.
        "n_kept": int(problem.members.n_members),
        **scores_of(model, split),
    }


def _flow(model):
    """Numbers of samples first seen left of the ramp, on it and right of it."""
    if model.algorithm == "lasvm":
        return {}
    return {
        name: getattr(model, f"n_{name}_")[0].tolist()
        for name in ("admitted", "cleaned", "skipped")
    }


def other_constants(job):
    """One pass of `partial_fit` in several orders, for several constants of the solver."""
    split = job.data()
    warm_up(job, split)
    points = []
    for title, constants in job.values:
        runs = [_run_with(constants, job, in_order(split, order)) for order in job.orders]
        points.append({"title": title} | {name: [run[name] for run in runs] for name in runs[0]})
    return {"sweep": points}


def _run_with(constants, job, rows):
    """What other fields of `GapDrivenSpec` change; the time is that of the processor."""
    model = job.build(finishing=False)
    plan = model._plan()
    model._plan = lambda: replace(
        plan, solver=lambda *given: replace(plan.solver(*given), **constants)
    )
    data = rows.X_train, rows.y_train
    _, seconds = processor_seconds(lambda: model.partial_fit(*data, classes=[-1, 1]))
    scores = scores_of(model, rows)
    return {
        "seconds": seconds,
        "n_support": len(model.support_),
        "n_steps": int(model._machine.engine.n_changes),
        "n_kernel_evaluations": int(model.n_kernel_evaluations_),
        "duality_gap": float(model.duality_gap_[0]),
        "error": scores["error"],
        "gmean": scores["gmean"],
    }


def ramp_sweep(job):
    """LASVM-NC and LASVM-I for several places of the ramp (Figure 6.5)."""
    split = job.data()
    points = []
    for order in job.orders:
        rows = in_order(split, order)
        for algorithm in ("lasvm-nc", "lasvm-i"):
            for ramp_s in job.values:
                options = dict(
                    algorithm=algorithm,
                    ramp_s=ramp_s,
                    finishing=False,
                    shuffle=False,
                    **models.ONE_PASS,
                )
                model, seconds = fit(job.build(**options), rows)
                point = {"order": order, "algorithm": algorithm, "ramp_s": ramp_s}
                points.append(point | {"seconds": seconds} | scored(model, rows))
    return {"sweep": points}


def noise_sweep(job):
    """Test error against the share of wrong training labels, and how many of them are found."""
    clean = job.data()
    points = []
    for share in job.values:
        split, flipped = with_noise(clean, share, job.seed, one_sided=job.one_sided)
        n_flipped = int(flipped.sum())
        for name in job.columns:
            model, seconds = fit(job.build(models.ROBUST_COLUMNS[name]), split)
            point = {"share": share, "column": name, "seconds": seconds, "n_flipped": n_flipped}
            if share == job.suspect_share:
                suspects = _suspects(model, split, n_flipped)
                point["precision"] = float(flipped[suspects].mean())
            points.append(point | scored(model, split))
    return {"sweep": points, "n_train": clean.X_train.shape[0]}


def _suspects(model, split, n_suspects):
    """Training samples whose label the model contradicts most."""
    if hasattr(model, "suspect_labels"):
        return model.suspect_labels(split.X_train, split.y_train, n_suspects=n_suspects)
    margins = split.y_train * model.decision_function(split.X_train)
    return np.argsort(margins, kind="stable")[:n_suspects]


def noise_kinds(job):
    """Fits of separable classes with flipped labels, and of overlapping classes."""
    kind, n_features, C = (job.options[key] for key in ("kind", "n_features", "C"))
    n_train = 500 if job.quick else 4000
    n = n_train + 4000
    rng = np.random.default_rng(job.seed)
    if kind == "flipped":
        X, y = make_classification(
            n,
            n_features,
            n_informative=n_features // 2,
            n_redundant=0,
            n_clusters_per_class=4,
            flip_y=0,
            random_state=job.seed,
        )
        X, y = scale(X), 2 * y - 1
        y_train = flip_labels(y[:n_train], 0.2, random_state=job.seed)
    else:
        # The log-odds are twice a sum of 30 random waves, with standard deviation 1.
        X = rng.normal(size=(n, n_features))
        phases = X @ rng.normal(size=(n_features, 30)) / n_features**0.5
        waves = np.cos(phases + rng.uniform(0, 2 * np.pi, 30))
        odds = 2 * scale(waves @ rng.normal(size=30))
        y = np.where(rng.random(n) < expit(odds), 1, -1)
        y_train = y[:n_train]
    points = []
    for algorithm in job.values:
        model = LASVC(
            C,
            algorithm=algorithm,
            cache_size=job.cache_size,
            random_state=job.seed,
            **models.ONE_PASS,
        )
        began = time.perf_counter()
        model.fit(X[:n_train], y_train)
        points.append({
            "algorithm": algorithm,
            "seconds": time.perf_counter() - began,
            "error": 1 - model.score(X[n_train:], y[n_train:]),
            "n_vectors": len(model.support_),
        })  # fmt: skip
    return {"sweep": points}


JOB = KernelJob
TASKS = {
    task.__name__: task
    for task in (
        learn_in_chunks, other_constants, ramp_sweep, noise_sweep, noise_kinds, suspect_methods,
    )
}  # fmt: skip
