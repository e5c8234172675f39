"""Early stopping of active selection: its sets, and what it loses compared with all samples."""

from dataclasses import replace

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from sklearn_online_svm import ActiveLASVC
from sklearn_online_svm.kernel._choice import STOPPINGS

from ..bench.frames import frame
from ..bench.measure import timed
from ..bench.rst import count, list_table, percent
from ..bench.study import Study, named, step
from ..sets.imbalance import GENERAL, TEXT
from ..sets.imbalance import SETS as CHAPTER_4
from ..sets.workloads import Split, Workload, letter, one_against_rest, with_noise
from .svc_models import CACHE_SIZE, ONE_PASS, scores_of


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


def chapter_4(name, suffix="", change=None, **parameters):
    """A set of the thesis' chapter 4, with its parameters or others, and a change of its split."""
    work = CHAPTER_4[f"rare_{name}"]
    if suffix:
        parameters["name"] = f"{name}_{suffix}"
    if change is not None:
        parameters["prepare"] = lambda seed: change(work.prepare(seed), seed)
    return replace(work, **parameters)


def noisy(share):
    return lambda split, seed: with_noise(split, share, seed)[0]


# Groups of sets.
GROUPS = {
    "tables": [CHAPTER_4[name] for name in GENERAL],
    "waveform": [chapter_4(f"waveform_{ratio}") for ratio in (2, 8, 32)],
    "large": [
        chapter_4(name, "part", lambda split, seed: split.head(3000))
        for name in ("adult_3", "adult_20", "mnist")
    ],
    "reuters": [CHAPTER_4[name] for name in TEXT],
    "letters": [
        Workload(f"letter_{name}", name, one_against_rest(integer_letters, k), C=10, gamma=0.01)
        for k, name in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1)
        if k % 3 == 1
    ],
    "costs": [
        *(chapter_4("letter", f"C{C:g}", C=C) for C in (0.1, 1, 100)),
        *(chapter_4("waveform_8", f"C{C:g}", C=C) for C in (0.01, 0.1, 10)),
        *(chapter_4("usps", f"C{C:g}", C=C) for C in (1, 100)),
    ],
    "hidden": [Workload("hidden", "hidden cluster", hidden_cluster, C=10, gamma=0.02)],
    "noise": [
        chapter_4(name, "noise", noisy(share), C=1)
        for name, share in (("waveform_2", 0.1), ("usps", 0.02), ("satimage", 0.05))
    ],
    "classes": [
        Workload("digits", "digits", digits, C=10, gamma=0.1),
        Workload("ten_letters", "ten letters", ten_letters, C=10, gamma=0.01),
    ],
}
TITLES = {
    "tables": "UCI sets, USPS",
    "waveform": "Waveform, 2 to 32 to 1",
    "large": "Adult and MNIST, 3000 samples",
    "reuters": "Reuters, ten topics",
    "letters": "letters, every third",
    "costs": "other values of C",
    "hidden": "hidden cluster",
    "noise": "wrong labels",
    "classes": "ten classes (accuracy)",
}
N_CANDIDATES = 59
CRITERIA = ("margin", "n_support", "errors")


def scores(model, split):
    """g-mean and PRBEP, or the accuracy with more than two classes."""
    if len(model.classes_) > 2:
        return {"accuracy": float(model.score(split.X_test, split.y_test))}
    found = scores_of(model, split)
    return {name: float(found[name]) for name in ("gmean", "prbep")}


def stop_early(group, workload, seed=0, quick=False):
    """Training on all samples, and until each criterion is met."""
    (work,) = (work for work in GROUPS[group] if work.name == workload)
    split = work.load(seed, quick)
    fixed = dict(C=work.C, gamma=work.gamma, pool_size=N_CANDIDATES, cache_size=CACHE_SIZE)
    criteria = {}
    for stopping in (None, *STOPPINGS):
        model = ActiveLASVC(stopping=stopping, random_state=seed, **fixed, **ONE_PASS)
        _, seconds = timed(lambda m=model: m.fit(split.X_train, split.y_train), max_repeats=1)
        criteria[stopping or "all"] = {
            "n_labels": int(model.n_labels_used_),
            "seconds": seconds[0],
            **scores(model, split),
        }
    return {"n_train": split.X_train.shape[0], "criteria": criteria}


CASES = [
    dict(group=group, workload=work.name, seed=seed)
    for group, works in GROUPS.items()
    for work in works
    for seed in range(3 if group == "hidden" else 1)
]


def loss_of(criteria, criterion):
    """The larger loss of g-mean and PRBEP, or the loss of accuracy."""
    whole, stopped = criteria["all"], criteria[criterion]
    names = [name for name in ("gmean", "prbep", "accuracy") if name in whole]
    return max(whole[name] - stopped[name] for name in names)


def stopping_criteria(results):
    """Share of the samples used and the largest loss, for each group and criterion."""
    found = frame("stopping_criteria", results)
    rows = []
    for group, here in found.groupby("group", sort=False):
        row = [TITLES[group], count(len(here))]
        for criterion in CRITERIA:
            n_labels = [criteria[criterion]["n_labels"] for criteria in here.criteria]
            worst = max(0.0, *(loss_of(criteria, criterion) for criteria in here.criteria))
            row += [percent((n_labels / here.n_train).mean(), 0), f"{100 * worst:.1f}"]
        rows.append(row)
    header = ["", "fits"]
    for criterion in CRITERIA:
        header += [f"``{criterion}``: samples", "largest loss"]
    title = (
        "Mean share of the samples used, and the largest loss of a fit, in percentage points, "
        "compared with all samples: of g-mean or PRBEP, whichever is larger"
    )
    return list_table(header, rows, title)


STUDY = Study(
    steps={"stopping_criteria": step(stop_early, CASES, limit=400)},
    tables=named(stopping_criteria),
)
