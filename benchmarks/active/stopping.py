"""Early stopping of active selection: its sets, and what it loses compared with all samples."""

from dataclasses import replace
from functools import partial

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split

from sklearn_online_svm import ActiveLASVC
from sklearn_online_svm.evaluation import (
    geometric_mean_score,
    precision_recall_breakeven_score,
)
from sklearn_online_svm.kernel._choice import STOPPINGS

from ..bench.measure import timed
from ..sets import imbalance as sets
from ..sets.workloads import Split, Workload, letter, one_against_rest, with_noise
from ..svc.models import ONE_PASS


def integer_letters(seed):
    """Features from 0 to 15."""
    return letter(seed).map_rows(lambda X: 15 * X)


def ten_letters(seed):
    split = integer_letters(seed)
    train, test = split.y_train <= 10, split.y_test <= 10
    return Split(
        split.X_train[train], split.y_train[train], split.X_test[test], split.y_test[test]
    )


def digits(seed):
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X / 16, y, stratify=y, random_state=seed)
    return Split(X, y, X_test, y_test)


def hidden_cluster(seed):
    """A part of the rare class takes the place of one of 25 clusters of the other class."""
    rng = np.random.default_rng(seed)

    def drawn(n):
        cells = rng.integers(0, 5, size=(n, 2))
        rare, hidden = rng.random(n) < 0.05, (cells == [1, 2]).all(axis=1)
        cells[rare & ~hidden, 0] = 6
        kept = ~hidden | (rng.random(n) < 0.25)
        X = 3.0 * cells + 0.3 * rng.normal(size=(n, 2))
        return X[kept], np.where(rare | hidden, 1, -1)[kept]

    return Split(*drawn(8000), *drawn(4000))


def noisy(prepare, share, seed):
    return with_noise(prepare(seed), share, seed)[0]


def head(prepare, n_train, seed):
    return prepare(seed).head(n_train)


def chapter_4(name, /, **changes):
    """A set of the thesis' chapter 4, with its parameters or others."""
    return replace(sets.SETS[f"rare_{name}"], **changes)


def shortened(name, n_train):
    work = chapter_4(name)
    return replace(work, name=f"{name}_part", prepare=partial(head, work.prepare, n_train))


def with_wrong_labels(name, share):
    work = chapter_4(name, name=f"{name}_noise", C=1)
    return replace(work, prepare=partial(noisy, work.prepare, share))


WAVEFORMS = [f"waveform_{ratio}" for ratio in (2, 8, 32)]
# Every third one, with its label.
LETTERS = {chr(ord("A") + k): k + 1 for k in range(0, 26, 3)}
# For each group the number of seeds, and its sets.
GROUPS = {
    "tables": (1, [sets.SETS[name] for name in sets.GENERAL]),
    "waveform": (1, [chapter_4(name) for name in WAVEFORMS]),
    "large": (1, [shortened(n, 3000) for n in ("adult_3", "adult_20", "mnist")]),
    "reuters": (1, [sets.SETS[name] for name in sets.TEXT]),
    "letters": (
        1,
        [
            Workload(f"letter_{name}", name, one_against_rest(integer_letters, k), 10, 0.01)
            for name, k in LETTERS.items()
        ],
    ),
    "costs": (
        1,
        [
            chapter_4(name, name=f"{name}_C{C:g}", C=C)
            for name, costs in {
                "letter": (0.1, 1, 100),
                "waveform_8": (0.01, 0.1, 10),
                "usps": (1, 100),
            }.items()
            for C in costs
        ],
    ),
    "hidden": (3, [Workload("hidden", "hidden cluster", hidden_cluster, C=10, gamma=0.02)]),
    "noise": (
        1,
        [
            with_wrong_labels(name, share)
            for name, share in (("waveform_2", 0.1), ("usps", 0.02), ("satimage", 0.05))
        ],
    ),
    "classes": (
        1,
        [
            Workload("digits", "digits", digits, C=10, gamma=0.1),
            Workload("ten_letters", "ten letters", ten_letters, C=10, gamma=0.01),
        ],
    ),
}
N_CANDIDATES = 59


def scores(model, split):
    """g-mean and PRBEP, or the accuracy with more than two classes."""
    predicted = model.predict(split.X_test)
    if len(model.classes_) > 2:
        return {"accuracy": float(accuracy_score(split.y_test, predicted))}
    values = model.decision_function(split.X_test)
    return {
        "gmean": float(geometric_mean_score(split.y_test, predicted)),
        "prbep": float(precision_recall_breakeven_score(split.y_test, values)),
    }


def stop_early(job):
    """Training on all samples, and until each criterion is met."""
    work = {w.name: w for _, works in GROUPS.values() for w in works}[job.workload]
    split = work.load(job.seed, job.quick)
    curves = {}
    for stopping in (None, *STOPPINGS):
        options = dict(C=work.C, gamma=work.gamma, pool_size=N_CANDIDATES, stopping=stopping)
        options |= dict(cache_size=job.cache_size, random_state=job.seed, **ONE_PASS)
        model = ActiveLASVC(**options)
        _, seconds = timed(lambda m=model: m.fit(split.X_train, split.y_train), max_repeats=1)
        curves[stopping or "all"] = {
            "n_labels": int(model.n_labels_used_),
            "seconds": seconds[0],
            **scores(model, split),
        }
    return {"n_train": split.X_train.shape[0], "criteria": curves}
