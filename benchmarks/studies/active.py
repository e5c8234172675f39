"""Sample selection, section 3.3 of Ertekin (2009).

``selection_adult``: Figures 3.8 and 3.9; ``selection_noise``: 3.10 to 3.12;
``selection_noise_epoch``: the same up to all samples, with the optimum; ``selection_pools``: small
pools and full search, 3.13; ``selection_warm``: retraining.
"""

import numpy as np
from scipy import sparse

from sklearn_online_svm import ActiveLASVC
from sklearn_online_svm.evaluation import geometric_mean_score
from sklearn_online_svm.kernel._choice import seeds_first

from ..bench import plots
from ..bench.frames import frame, points, pointwise, ratio, where
from ..bench.measure import Stopwatch, timed
from ..bench.rst import joined, list_table, percent, seconds, times
from ..bench.study import Study, grid, in_turn, named, seeded, step
from ..sets.workloads import QUICK_TEST, QUICK_TRAIN, WORKLOADS, Split, with_noise
from .active_loops import Loop, WarmStarted
from .svc_models import CACHE_SIZE, ONE_PASS, build, learnt

QUICK_BUDGETS = [100, 300]
# Samples of a fit that is not measured: libraries are loaded, memory is there.
N_WARM = 200
# Splits; the thesis has 65.
N_SPLITS = 10

# After how many labels ActiveLASVC is scored (None: all), and its parameters.
SELECTIONS = {
    "random": plots.GREY,
    "gradient": plots.YELLOW,
    "active": plots.BLUE,
    "autoactive": plots.GREEN,
}
ADULT_BUDGETS = [500, 1000, 2000, 3000, 4000, 6000, 8000, 12000]
ADULT = [
    (ADULT_BUDGETS + [None] * (name == "random"), dict(selection=name)) for name in SELECTIONS
]
NOISE_SET, NOISE_BUDGETS = "mnist_signed_8", [500, 1000, 2000, 4000]
NOISE = [
    (NOISE_BUDGETS, dict(selection="random")),
    # It takes long once labels are wrong.
    (NOISE_BUDGETS[:3], dict(selection="gradient")),
    (NOISE_BUDGETS, dict(selection="active")),
    (NOISE_BUDGETS, dict(selection="active", C=1.0)),
]
EPOCH = [
    ([8000], dict(selection="active")),
    *(([n], dict(selection="random")) for n in (8000, 16_000, 32_000, None)),
]
POOL_SETS, POOL_BUDGETS = ["usps", "reuters"], [20, 50, 100, 200, 500]
POOLS = [
    (POOL_BUDGETS, dict(selection="random")),
    (POOL_BUDGETS, dict(selection="active", pool_size=50)),
    (POOL_BUDGETS, dict(selection="active", pool_size="all")),
]


def samples(workload, seed, quick, noise=0.0, new_split=False):
    """The samples of a set, with a share of wrong training labels.

    ``new_split``: as many training samples as before, drawn at random from all samples.
    """
    split = WORKLOADS[workload].load(seed)
    if new_split:
        stack = sparse.vstack if split.sparse else np.concatenate
        X = stack([split.X_train, split.X_test])
        X = X.tocsr() if split.sparse else X
        y = np.concatenate([split.y_train, split.y_test])
        order = np.random.default_rng([seed, 65]).permutation(len(y))
        split = Split.at(X[order], y[order], len(split.y_train))
    if quick:
        split = split.head(QUICK_TRAIN, QUICK_TEST)
    return with_noise(split, noise, seed) if noise else split


def learn_chosen(
    workload, variants, seed=0, threads=1, quick=False, cache_size=CACHE_SIZE, **of_samples
):
    """Curves of LASVC with the parameters of each variant.

    It is refitted for each budget: the same samples are selected, so the fitted models are those
    of one run, and their times hold all that it took to get there.
    """
    work, split = WORKLOADS[workload], samples(workload, seed, quick, **of_samples)
    fixed = dict(C=work.C, gamma=work.gamma, cache_size=cache_size, **ONE_PASS)

    def chosen(n_labels, options):
        parameters = fixed | options
        model = ActiveLASVC(max_labels=n_labels, n_jobs=threads, random_state=seed, **parameters)
        _, passed = timed(lambda: model.fit(split.X_train, split.y_train), max_repeats=1)
        return {"n_labels": int(model.n_labels_used_), **told(model, split, passed[0])}

    chosen(N_WARM, {})
    curves = []
    for budgets, options in variants:
        budgets = QUICK_BUDGETS[: len(budgets)] if quick else budgets
        curves.append({**options, "points": [chosen(n, options) for n in budgets]})
    return {"n_train": split.X_train.shape[0], "curves": curves}


def learn_all(
    model, workload, seed=0, threads=1, quick=False, cache_size=CACHE_SIZE, **of_samples
):
    """Any of the models that are compared, fitted on all samples."""
    split = samples(workload, seed, quick, **of_samples)
    warm, fitted = (build(workload, model, seed, threads, cache_size) for _ in range(2))
    warm.fit(split.X_train[:N_WARM], split.y_train[:N_WARM])
    _, passed = timed(lambda: fitted.fit(split.X_train, split.y_train), max_repeats=1)
    return {"n_train": split.X_train.shape[0], **told(fitted, split, passed[0])}


def retrain(workload, pool_size, seed=0, quick=False):
    """Margin sampling with the optimum over all labelled samples after each label.

    The first samples are some of each class, as in ActiveLASVC.
    """
    budgets = QUICK_BUDGETS[:1] if quick else POOL_BUDGETS
    split = samples(workload, seed, quick, new_split=True)
    y = split.y_train
    order = np.random.default_rng([seed, 71]).permutation(len(y))
    order, n_first = seeds_first(order, (y > 0).astype(int))
    model = WarmStarted(C=WORKLOADS[workload].C, gamma=WORKLOADS[workload].gamma)
    watch, curve = Stopwatch(), []
    with watch:
        loop = Loop(split.X_train, y, order[:n_first], model, pool_size, True, seed)
    for n_labels in range(n_first, max(budgets) + 1):
        if n_labels > n_first:
            with watch:
                loop.step()
        if n_labels in budgets:
            curve.append({"n_labels": n_labels, **told(model, split, watch.seconds)})
    return {"selection": "warm", "n_train": len(y), "points": curve}


def told(model, split, passed):
    """What a fitted model took, and how good it is."""
    predicted = model.predict(split.X_test)
    return {
        "seconds": passed,
        "n_support": learnt(model)["n_support"],
        "error": float(np.mean(predicted != split.y_test)),
        "gmean": float(geometric_mean_score(split.y_test, predicted)),
    }


def chosen(cases, variants, **options):
    """Return a step with a record for each variant of each case."""
    return step(learn_chosen, cases, variants=variants, split="curves", **options)


def mean_points(found, **wanted):
    """Mean points over the curves that match, in the order in which they were measured."""
    return pointwise(where(found, **wanted), "points").to_dict("records")


# Titles and styles, by selection and number of samples drawn.
WAYS = {
    ("active", 50): ("``LASVC``, 50 samples drawn", dict(color=plots.BLUE)),
    ("active", "all"): ("``LASVC``, all samples scored", dict(color=plots.BLUE, linestyle="--")),
    ("random", None): ("``LASVC``, a sample at random", dict(color=plots.GREY)),
    ("warm", 50): ("retrained, 50 samples drawn", dict(color=plots.GREEN)),
    ("warm", "all"): ("retrained, all samples scored", dict(color=plots.GREEN, linestyle="--")),
}


def pool_curves(results):
    """For each set the number of splits, and the curve of each of WAYS."""
    found = frame(["selection_pools", "selection_warm"], results)
    return {
        name: (
            here.seed.nunique(),
            {way: mean_points(here, selection=way[0], pool_size=way[1]) for way in WAYS},
        )
        for name, here in found.groupby("workload", sort=False)
    }


def selection_pools(results):
    """g-means and time of each method after all labels, for each set."""
    tables = []
    for name, (n_splits, curves) in pool_curves(results).items():
        last = {way: curve[-1] for way, curve in curves.items() if curve}
        first = next(iter(last.values()))
        rows = []
        for way, point in last.items():
            relative = times(ratio(point["seconds"], first["seconds"]))
            cells = percent(point["gmean"]), seconds(point["seconds"]), relative
            rows.append([WAYS[way][0], *cells])
        n_labels = f"{first['n_labels']:.0f}"
        title = f"{WORKLOADS[name].title}: {n_labels} labels, means over {n_splits} splits"
        tables.append(list_table(["", "g-mean", "time", "relative to the first"], rows, title))
    return joined(tables)


def draw_adult(results, folder):
    """Error against samples used, support vectors and time (Figures 3.8 and 3.9)."""
    found = frame("selection_adult", results)
    # NaN, which draws nothing, where the peer is not installed.
    svc = where(found, model="sklearnex").reindex(columns=["error", "n_support"]).mean()
    figure, axes = plots.panels(2, 2, width=4.0, height=3.2)
    labels = {"n_labels": "samples used", "n_support": "support vectors", "seconds": "time (s)"}
    for axis, (field, label) in zip(axes.flat, labels.items()):
        for name, colour in SELECTIONS.items():
            curve = mean_points(found, selection=name)
            plots.plot(axis, curve, field, "error", 100, color=colour, label=name)
        plots.optimum(axis, svc.error)
        axis.set(xlabel=label, ylabel="test error (%)", ylim=(14.9, 18))
        plots.plain_log(axis.xaxis, subs=(1, 2, 5) if field != "seconds" else (1,))
    axes[0, 1].plot([svc.n_support], [100 * svc.error], "x", color=plots.INK)
    axes[1, 1].axis("off")
    axes[1, 1].legend(*axes[0, 0].get_legend_handles_labels(), loc="center", frameon=False)
    plots.save(figure, folder / "selection_adult.png")


def draw_noise(results, folder):
    """Error against samples and support vectors, for shares of wrong labels (3.10 to 3.12)."""
    found, epoch = (frame(f"selection_{step}", results) for step in ("noise", "noise_epoch"))
    one_order = points(epoch[epoch.points.notna()], "points", "selection", "noise")
    figure, axes = plots.panels(found.noise.nunique(), 2, width=4.0, height=2.8)
    for pair, (noise, here) in zip(axes, found.groupby("noise")):
        for axis, x in zip(pair, ("n_labels", "n_support")):
            ways = here.groupby(["selection", "C"], sort=False, dropna=False)
            for (selection, C), of_way in ways:
                # Without C: that of the set.
                line = dict(label=selection) if C != C else dict(label=f"{selection}, C = {C:g}")
                line |= dict(color=SELECTIONS[selection], linestyle="-" if C != C else "--")
                plots.plot(axis, mean_points(of_way), x, "error", 100, **line)
            for selection in ("random", "active"):
                curve = where(one_order, selection=selection, noise=noise).sort_values("n_labels")
                style = dict(color=SELECTIONS[selection], linestyle=":", marker="s", markersize=4)
                label = f"{selection}, one order"
                plots.plot(axis, curve.to_dict("records"), x, "error", 100, label=label, **style)
            for svc in where(epoch, model="sklearnex", noise=noise).itertuples():
                plots.optimum(axis, svc.error)
                if x == "n_support":
                    axis.plot([svc.n_support], [100 * svc.error], "x", color=plots.INK)
            plots.plain_log(axis.xaxis, subs=(1, 2, 5))
            plots.plain_log(axis.yaxis, subs=(1, 2, 5))
            axis.set_ylim(0.35, 50)
            axis.tick_params(axis="x", labelrotation=45)
        pair[0].set(title=f"{noise:.0%} wrong labels", ylabel="test error (%)")
    for axis, label in zip(axes[-1], ("samples used", "support vectors")):
        axis.set_xlabel(label)
    plots.legend_below(figure, axes, 3, 0.8)
    plots.save(figure, folder / "selection_noise.png")


def draw_retraining(results, folder):
    """g-means against labels (Figure 3.13)."""
    curves = pool_curves(results)
    figure, (axes,) = plots.panels(1, len(curves), width=4.0, height=3.4)
    for axis, (name, (_, of_set)) in zip(axes, curves.items()):
        for way, (title, style) in WAYS.items():
            label = title.replace("``", "")
            plots.plot(axis, of_set[way], "n_labels", "gmean", 100, label=label, **style)
        axis.set(title=WORKLOADS[name].title, xlabel="labels")
    axes[0].set_ylabel("g-mean (%)")
    plots.legend_below(figure, axes, 2, 0.8)
    plots.save(figure, folder / "selection_pools.png")


SVC, ADULT_SET = {"model": "sklearnex"}, dict(workload="adult_dense", new_split=True)
# A pass in random order over more and more samples, selected samples, and the optimum; one order
# of the samples, and a process for each fit: the last ones take minutes.
EPOCHS = grid(workload=[NOISE_SET], noise=[0.0, 0.1], seed=[0], cache_size=[8000], limit=[540])
STUDY = Study(
    steps={
        "selection_pools": chosen(
            seeded(grid(workload=POOL_SETS, new_split=[True]), N_SPLITS), POOLS
        ),
        "selection_warm": step(
            retrain, seeded(grid(workload=POOL_SETS, pool_size=[50, "all"]), N_SPLITS)
        ),
        "selection_adult": in_turn(
            step(learn_all, seeded([SVC | ADULT_SET], N_SPLITS)),
            chosen(seeded([ADULT_SET], N_SPLITS), ADULT),
        ),
        "selection_noise": chosen(
            seeded(grid(workload=[NOISE_SET], noise=[0.0, 0.05, 0.1]), 5), NOISE
        ),
        "selection_noise_epoch": in_turn(
            step(learn_all, [SVC | case for case in EPOCHS], n_quick=1),
            *(chosen(EPOCHS, [each], n_quick=1) for each in EPOCH),
        ),
    },
    tables=named(selection_pools),
    figures=[draw_adult, draw_noise, draw_retraining],
)
