"""Thresholds: coverage of intervals, tuned thresholds, and alarms on a stream with drift."""

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.metrics import (
    average_precision_score,
    f1_score,
    make_scorer,
    precision_score,
    recall_score,
)
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC
from sklearn_online_svm.evaluation import (
    AdaptiveThreshold,
    geometric_mean_score,
    misclassification_cost,
)
from sklearn_online_svm.evaluation._left_out_scores import left_out_scores
from sklearn_online_svm.evaluation._thresholds import choose

from ..bench.data import load_all_samples
from ..bench.frames import frame, unnest, where
from ..bench.rst import joined, list_table, percent, table, text_table
from ..bench.study import Study, grid, named, seeded, step

SETS = {
    "adult": "Adult",
    "codrna": "Cod-RNA",
    "covtype": "Covertype, 2",
    "magic04": "MAGIC",
    "svmguide1": "svmguide1",
    "generated": "generated",
}
# Training samples of the other class for each positive one, and test samples at most.
RATIO, N_POSITIVE_TEST, N_NEGATIVE_TEST = 10, 4000, 20_000
# Numbers of positive training samples, and of draws.
N_DRAWS = {20: 200, 40: 200, 100: 200, 400: 100}
SCORES = ["leave-one-out", "10 folds"]
# The target, its value, and whether it is guaranteed.
TARGETS = {
    "recall": ("recall", 0.9, False),
    "precision": ("precision", 0.7, False),
    "alarm_rate": ("alarm_rate", 0.05, False),
    "costs": ("costs", (1.0, 10.0), False),
    "recall, guarantee": ("recall", 0.9, True),
    "precision, guarantee": ("precision", 0.7, True),
    "alarm_rate, guarantee": ("alarm_rate", 0.05, True),
}
RATES = {"recall": "recall", "precision": "precision", "alarm_rate": "alarm rate", "cost": "cost"}
# Metrics that a threshold is tuned for, where it is compared with class weights.
TUNED_FOR = {"F1": f1_score, "g-mean": geometric_mean_score}
# A stream in which classes move slowly from the first to the second day, and at once at a third.
N_DAYS, PER_DAY, N_FEATURES, POSITIVE_SHARE = 40, 2000, 10, 0.02
SLOW, SUDDEN = (12, 24), 30
# Days before the fixed threshold is selected, and days of a week.
N_BEGIN, WEEK = 3, 7


def load(name):
    """Return standardized samples, and whether they are positive: of the smaller class."""
    if name == "generated":
        sizes = dict(n_informative=5, n_redundant=0, weights=[0.85])
        X, y = make_classification(80_000, 10, **sizes, class_sep=0.8, flip_y=0, random_state=0)
        return StandardScaler().fit_transform(X), y == 1
    file = {"adult": "adult_a9a", "covtype": "covtype_first20k"}.get(name, name)
    X, y, _ = load_all_samples(file, dense=True)
    classes, counts = np.unique(y, return_counts=True)
    positive = 2 if name == "covtype" else classes[counts.argmin()]
    X = X[:, X.std(axis=0) > 0].astype(np.float64)
    return StandardScaler().fit_transform(X), y == positive


def draw(positive, n_positive, rng):
    """Return the indices of training samples, and of the test samples of both classes."""
    found, others = (rng.permutation(np.flatnonzero(positive == side)) for side in (True, False))
    n_others = RATIO * n_positive
    train = rng.permutation(np.concatenate([found[:n_positive], others[:n_others]]))
    tests = found[n_positive:][:N_POSITIVE_TEST], others[n_others:][:N_NEGATIVE_TEST]
    return train, *tests


def _draws(name, n_positive, n_draws, seed, quick):
    """Yield training samples and labels, and the test samples of both classes."""
    X, positive = load(name)
    rng = np.random.default_rng(seed)
    for _ in range(2 if quick else n_draws):
        rows, *tests = draw(positive, 20 if quick else n_positive, rng)
        yield X[rows], positive[rows].astype(int), [X[test] for test in tests]


def days(n_per_day, rng):
    """Yield the samples and labels of each day of a stream."""
    direction = np.zeros(N_FEATURES)
    direction[:5] = 1.6
    for day in range(N_DAYS):
        moved = np.clip((day - SLOW[0]) / (SLOW[1] - SLOW[0]), 0.0, 1.0) + (day >= SUDDEN)
        y = rng.random(n_per_day) < POSITIVE_SHARE
        X = (1.0 + 0.3 * moved) * rng.normal(size=(n_per_day, N_FEATURES))
        X += np.outer(y, np.roll(direction, round(2 * moved))) + 0.3 * moved
        yield X, y.astype(int)


def attained(threshold, positive, negative, share):
    """Return the rates of a threshold, given test scores and the share of positive samples."""
    recall, false_alarms = np.mean(positive >= threshold), np.mean(negative >= threshold)
    alarm_rate = share * recall + (1 - share) * false_alarms
    precision = share * recall / alarm_rate if alarm_rate else np.nan
    cost = 10 * share * (1 - recall) + (1 - share) * false_alarms
    return dict(zip(RATES, (recall, precision, alarm_rate, cost)))


def cover(set, n_positive, n_draws, scores, seed=0, quick=False):
    """Return attained rates on test samples, and how often their intervals contain them."""
    runs = {name: [] for name in TARGETS}
    for X, y, tests in _draws(set, n_positive, n_draws, seed, quick):
        model = LASVC(random_state=0).fit(X, y)
        of_tests = [model.decision_function(test) for test in tests]
        left_out = left_out_scores(
            model, X, y, model.classes_, cv=None if scores == "leave-one-out" else 10
        )
        for name, asked in TARGETS.items():
            try:
                choice = choose(left_out, y == 1, model.classes_, *asked, 0.95)
            except ValueError:  # cannot be reached
                continue
            rates = attained(choice.threshold, *of_tests, y.mean())
            if name != "costs":
                del rates["cost"]
            ends = {rate: getattr(choice, f"{rate}_interval") for rate in rates}
            covered = {f"in {r}": low <= rates[r] <= high for r, (low, high) in ends.items()}
            runs[name].append(rates | covered)
    return {"targets": {name: _of_target(name, pd.DataFrame(of)) for name, of in runs.items()}}


def _of_target(name, runs):
    """Return mean rates, and how often they were covered, and the target was reached."""
    target, value, _ = TARGETS[name]
    found = {"n_reached": len(runs)}
    for rate in [rate for rate in RATES if rate in runs]:
        sign = -1 if rate == "alarm_rate" else 1
        reached = float((sign * runs[rate] >= sign * value).mean()) if rate == target else None
        mean, covered = runs[rate].mean(), runs[f"in {rate}"].mean()
        found[rate] = {"mean": float(mean), "covered": float(covered), "reached": reached}
    return found


def at_recall(y_true, y_pred):
    """Precision if the recall is at least 0.9; otherwise a negative number that grows with it."""
    recall = recall_score(y_true, y_pred)
    return precision_score(y_true, y_pred, zero_division=0) if recall >= 0.9 else recall - 1


def tune(set, n_positive, n_draws, seed=0, quick=False):
    """Return rates attained with the thresholds of TunedThresholdClassifierCV."""
    options = dict(greater_is_better=False, normalize=True, costs={1: 10, 0: 1})
    scorers = {
        "recall": make_scorer(at_recall),
        "costs": make_scorer(misclassification_cost, **options),
    }
    runs = {name: [] for name in scorers}
    for X, y, tests in _draws(set, n_positive, n_draws, seed, quick):
        for name, scorer in scorers.items():
            tuned = TunedThresholdClassifierCV(
                LASVC(random_state=0), scoring=scorer, response_method="decision_function"
            ).fit(X, y)
            scores = [tuned.estimator_.decision_function(test) for test in tests]
            runs[name].append(attained(tuned.best_threshold_, *scores, y.mean()))
    return {"targets": {name: pd.DataFrame(of).mean().to_dict() for name, of in runs.items()}}


def follow(target, seed=0, quick=False):
    """Return alarms and hits of each day of a stream with drift, with kinds of thresholds."""
    rng, n_per_day = np.random.default_rng(seed), 200 if quick else PER_DAY
    given = {
        "alarm_rate": dict(alarm_rate=0.02, window_size=N_BEGIN * n_per_day),
        "recall": dict(recall=0.9, window_size=150),
    }[target]
    step_sizes = {"fixed": 0, "window": 0, "adaptive": 0.002}
    ways = {name: AdaptiveThreshold(**given, step_size=s) for name, s in step_sizes.items()}
    model = LASVC(window_size=3 * n_per_day, gamma=0.1, random_state=0)
    counts, n_positive = {name: [] for name in ways}, []
    for day, (X, y) in enumerate(days(n_per_day, rng)):
        if day:
            for name, way in ways.items():
                is_kept = name == "fixed" and day > N_BEGIN
                found = way.predict(model, X) if is_kept else way.update(model, X, y)
                counts[name].append([int(found.sum()), int(found[y == 1].sum())])
            n_positive.append(int(y.sum()))
        model.partial_fit(X, y, classes=[0, 1])
    return {"days": counts, "n_positive": n_positive, "n_per_day": n_per_day}


TITLES = {
    "recall": "recall 0.9",
    "precision": "precision 0.7",
    "alarm_rate": "alarm rate 0.05",
    "costs": "costs 10 to 1",
}
HEADER = [f"{scores}, {part}" for scores in SCORES for part in ("mean", "lowest")]


def _coverage(results, **wanted):
    """Return a row for each record, with columns like "targets.recall.recall.mean"."""
    return where(unnest(frame("thresholds_coverage", results), None), **wanted)


def thresholds_attained(results):
    """Write the mean of the target on test samples, with leave-one-out values."""
    found, tables = _coverage(results, scores=SCORES[0]), []
    for target in ("recall", "precision", "alarm_rate"):
        share = found[f"targets.{target}.n_reached"] / found["n_draws"]
        if f"targets.{target}.{target}.mean" not in found:  # never reached
            continue
        means = found[f"targets.{target}.{target}.mean"].map("{:.3f}".format, na_action="ignore")
        found["text"] = means + ["" if s == 1 else f" ({percent(s, 0)})" for s in share]
        cells = found.pivot(index="set", columns="n_positive", values="text")
        cells = cells.rename(columns="n = {}".format).reindex(SETS).dropna(how="all")
        tables.append(text_table(cells.rename(index=SETS), parts=TITLES[target]))
    return joined(tables)


def _shares(found, target, field):
    """Return mean and smallest share of draws, over sets and numbers of samples, as cells."""
    cells = []
    for scores in SCORES:
        # Records of fewer draws in which the target was reached are left out.
        here = where(found, scores=scores)
        here = here[here[f"targets.{target}.n_reached"] >= 50]
        shares = here[f"targets.{target}.{field}"] if len(here) else None
        both = (None, None) if shares is None else (shares.mean(), shares.min())
        cells += [percent(share, 0) for share in both]
    return cells


def thresholds_coverage(results):
    """Write how often intervals contain the rate on test samples."""
    found = _coverage(results)
    rows = [
        [title, name, *_shares(found, target, f"{rate}.covered")]
        for target, title in TITLES.items()
        for rate, name in RATES.items()
        if rate != "cost" or target == "costs"
    ]
    return list_table(["target", "interval of", *HEADER], rows)


def thresholds_guarantee(results):
    """Write how often a guaranteed target was reached on test samples."""
    found = _coverage(results)
    rows = [
        [TITLES[rate], *_shares(found, f"{rate}, guarantee", f"{rate}.reached")]
        for rate in ("recall", "precision", "alarm_rate")
    ]
    return list_table(["target", *HEADER], rows)


def thresholds_tuned(results):
    """Write recall and cost, compared with TunedThresholdClassifierCV."""
    ours = _coverage(results, scores=SCORES[0], n_positive=100).set_index("set")
    theirs = unnest(frame("thresholds_tuned", results), None).set_index("set")
    cells = {}
    for target, rate in (("recall", "recall"), ("recall", "alarm_rate"), ("costs", "cost")):
        cells[RATES[rate]] = ours[f"targets.{target}.{rate}.mean"]
        cells[f"{RATES[rate]}, tuned"] = theirs[f"targets.{target}.{rate}"]
    cells = pd.DataFrame(cells).map("{:.3f}".format).loc[theirs.index]
    return text_table(cells.rename(index=SETS))


def thresholds_streams(results):
    """Write alarms per day, and the recall of a week, of three kinds of thresholds."""
    found, rows, parts = frame("thresholds_streams", results), [], ("least", "mean", "most")
    for way in ("fixed", "window", "adaptive"):
        alarms, recalls = [], []
        for record in found.to_dict("records"):
            of_day, hits = np.array(record["days"][way])[N_BEGIN:].T
            n_positive = np.array(record["n_positive"])[N_BEGIN:]
            if record["target"] == "alarm_rate":
                alarms.append([of_day.min(), of_day.mean(), of_day.max()])
                continue
            weeks = [np.convolve(values, np.ones(WEEK), "valid") for values in (hits, n_positive)]
            of_week = weeks[0] / weeks[1]
            recalls.append([of_week.min(), hits.sum() / n_positive.sum(), of_week.max()])
        of_alarms, of_recalls = np.mean(alarms, axis=0), np.mean(recalls, axis=0)
        row = {f"alarms, {part}": f"{value:.0f}" for part, value in zip(parts, of_alarms)}
        row |= {f"recall, {part}": f"{value:.2f}" for part, value in zip(parts, of_recalls)}
        rows.append({"": way, **row})
    return table(rows)


def weigh(ratio, seed=0, quick=False):
    """Return scores of a threshold and of class weights, with a rare class."""
    n_train, n_all = (1500, 4000) if quick else (6000, 26_000)
    sizes = dict(n_informative=5, n_redundant=0, weights=[ratio / (ratio + 1)])
    X, y = make_classification(n_all, 10, **sizes, class_sep=0.8, flip_y=0, random_state=seed)
    X = StandardScaler().fit(X[:n_train]).transform(X)
    X, y, X_test, y_test = X[:n_train], y[:n_train], X[n_train:], y[n_train:]
    found = {}
    for weights in (None, "balanced"):
        model, name = LASVC(class_weight=weights, random_state=seed), weights or "none"
        fitted = model.fit(X, y)
        found[f"average precision, {name}"] = average_precision_score(
            y_test, fitted.decision_function(X_test)
        )
        predicted = {f"{name}, not tuned": fitted.predict(X_test)}
        for title, score in TUNED_FOR.items():
            tuned = TunedThresholdClassifierCV(model, scoring=make_scorer(score))
            predicted[f"{name}, for {title}"] = tuned.fit(X, y).predict(X_test)
        for way, labels in predicted.items():
            found |= {f"{t}, {way}": score(y_test, labels) for t, score in TUNED_FOR.items()}
    return {"scores": {name: float(value) for name, value in found.items()}}


def thresholds_weights(results):
    """Scores with class weights and with tuned thresholds."""
    found = frame("thresholds_weights", results)
    scores = pd.DataFrame([*found.scores]).groupby(found.ratio).mean()
    columns = {}
    for ratio, of_ratio in scores.iterrows():
        for weights, title in (("none", "no weights"), ("balanced", "balanced weights")):
            ways = {"not tuned": "threshold 0", **{f"for {t}": f"for {t}" for t in TUNED_FOR}}
            for way, ending in ways.items():
                columns.setdefault("", []).append(f"{ratio} to 1, {title}, {ending}")
                for metric in TUNED_FOR:
                    value = of_ratio[f"{metric}, {weights}, {way}"]
                    columns.setdefault(metric, []).append(f"{value:.2f}")
                value = of_ratio[f"average precision, {weights}"]
                columns.setdefault("average precision", []).append(f"{value:.2f}")
    return table(columns)


def _cases(n_positive, **axes):
    """Return cases, without the one of a set that has too few negative samples."""
    return [
        {**case, "n_draws": N_DRAWS[case["n_positive"]]}
        for case in grid(set=SETS, n_positive=n_positive, **axes)
        if (case["set"], case["n_positive"]) != ("svmguide1", 400)
    ]


STUDY = Study(
    steps={
        "thresholds_coverage": step(cover, _cases(N_DRAWS, scores=SCORES), n_quick=10),
        "thresholds_tuned": step(tune, grid(set=SETS, n_positive=[100], n_draws=[50]), n_quick=2),
        "thresholds_weights": step(weigh, seeded(grid(ratio=[50, 200]), 3)),
        "thresholds_streams": step(follow, seeded(grid(target=["alarm_rate", "recall"]), 3)),
    },
    tables=named(
        thresholds_attained,
        thresholds_coverage,
        thresholds_guarantee,
        thresholds_tuned,
        thresholds_weights,
        thresholds_streams,
    ),
)
