"""The algorithms of Lu, Zhao and Hoi (2016), by the names of the paper, AROW, and their tasks."""

import time
from dataclasses import dataclass, replace

import numpy as np

import sklearn_online_svm as ours

from ..sets import label_efficient as streams


def _cost_sensitive(rule):
    return lambda choice: ours.CostSensitivePassiveAggressiveClassifier(
        C=choice.C, costs={1: choice.rho}, rule=rule, average=False
    )


LEARNERS = {
    "PE": lambda choice: ours.PerceptronClassifier(),
    "PA": lambda choice: ours.PassiveAggressiveClassifier(C=np.inf),
    "PA-I": lambda choice: ours.PassiveAggressiveClassifier(C=choice.C),
    "PA-II": lambda choice: ours.PassiveAggressiveClassifier(C=choice.C, loss="squared_hinge"),
    "2nd": lambda choice: ours.SecondOrderPerceptronClassifier(covariance="full", a=choice.C),
    "CW": lambda choice: ours.ConfidenceWeightedClassifier(covariance="diag"),
    # The margins are not in the paper: the losses at 0 of its own algorithm.
    "PAUM": lambda choice: ours.PerceptronClassifier(
        positive_margin=choice.rho, negative_margin=1.0
    ),
    "CPA": _cost_sensitive("prediction"),
    "CSPA": _cost_sensitive("cost_sensitive"),
    "AROW": lambda choice: ours.AROWClassifier(r=choice.C, class_weight={1: choice.rho}),
}
# What queries: all labels, labels at random, or those within a margin with further parameters.
ALL, RANDOM, MARGIN = "all", "random", {}
BINARY = {
    "PEA": ("PE", MARGIN),
    "SEL-ada": ("PE", dict(schedule="mistakes")),
    "SEL-2nd": ("2nd", MARGIN),
    "RPE": ("PE", RANDOM),
    "RPA": ("PA", RANDOM),
    "RPA-I": ("PA-I", RANDOM),
    "RPA-II": ("PA-II", RANDOM),
    "PAA": ("PA", MARGIN),
    "PAA-I": ("PA-I", MARGIN),
    "PAA-II": ("PA-II", MARGIN),
}
# The paper leaves SEL-ada and SEL-2nd out where it is about text.
TEXT = [name for name in BINARY if not name.startswith("SEL")]
_MULTICLASS = ("RPE", "RPA", "RPA-I", "RPA-II", "PEA", "PAA", "PAA-I", "PAA-II")
MULTICLASS = {f"M{name}": BINARY[name] for name in _MULTICLASS}
COST = {
    "PE": ("PE", ALL),
    "PA": ("PA-I", ALL),
    "CW-diag": ("CW", ALL),
    "PAUM": ("PAUM", ALL),
    "CPA": ("CPA", ALL),
    "LEPE": ("PE", MARGIN),
    "CSRND": ("CSPA", RANDOM),
    "CSPAA": ("CSPA", MARGIN),
    "CSPAA(a)": ("CSPA", dict(schedule="adaptive")),
}
PAPER = BINARY | MULTICLASS | COST
# Not in the paper: a margin within which every label is queried, and the standardized margin.
AROW = {
    "AROW": ("AROW", MARGIN),
    "AROW, offset": ("AROW", dict(offset=-0.1)),
    "AROW, standardized": ("AROW", dict(confidence="standardized")),
    "AROW, standardized, offset": ("AROW", dict(confidence="standardized", offset=-0.25)),
}
AROW_COST = {"AROW, all labels": ("AROW", ALL)} | AROW
ALGORITHMS = PAPER | AROW_COST
# Those that query every label, and those that query at random.
FULL = [name for name, (_, query) in ALGORITHMS.items() if query == ALL]
AT_RANDOM = [name for name, (_, query) in ALGORITHMS.items() if query == RANDOM]
# Those whose C (or a) is chosen.
TUNED = [name for name in PAPER if name.endswith(("-I", "-II", "-2nd"))]


@dataclass(frozen=True)
class Choice:
    """An algorithm and its parameters."""

    algorithm: str
    # C of a passive-aggressive learner, a of the second-order perceptron, r of AROW.
    C: float = 1.0
    # The constant of the query rule, or the share of the labels that it is steered to.
    delta: float = 1.0
    rate: float | None = None
    # Cost of an overlooked positive sample; that of a false alarm is 1.
    rho: float = 1.0
    seed: int = 0

    def build(self):
        """Return the estimator, wrapped in its query strategy."""
        learner, query = ALGORITHMS[self.algorithm]
        # The paper predicts by the sign of w.x.
        model = LEARNERS[learner](self).set_params(fit_intercept=False)
        if self.algorithm in MULTICLASS:
            model.set_params(multi_class="crammer_singer")
        if query == ALL:
            strategy = ours.active.AllQuery()
        elif query == RANDOM:
            strategy = ours.active.RandomQuery(rate=self.rate, random_state=self.seed)
        else:
            options = dict(delta=self.delta, rate=self.rate, random_state=self.seed)
            strategy = ours.active.MarginQuery(**options, **query)
        return ours.LabelEfficientClassifier(
            model, strategy, shuffle=False, random_state=self.seed
        )


# Permutations of the samples that are reported, and others, with seeds of their own, on which C
# and delta are chosen: more where positive samples are few and the share of labels varies.
N_RUNS, N_TRIALS, N_UNEVEN_TRIALS = 20, 5, 40
FIRST_TRIAL = 1000
CS = [2.0**k for k in range(-5, 6)]
# r of AROW.
RS = [8.0**k for k in range(-2, 3)]
# Constants of a curve: of even and of uneven classes, and of the adaptive rule, which divides
# delta by the number of samples seen.
DELTAS = [2.0**k for k in range(-10, 11)]
COST_DELTAS = DELTAS[::2]
ADAPTIVE_DELTAS = [2.0**k for k in range(-4, 21, 2)]
# Where labels are queried at random, the share itself is set.
CURVE_RATES = [0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
# Share of the labels of the large stream.
URL_RATE = 0.02
# log2 of delta is sought between these, until the share of labels is within so much of the rate.
LOWEST, HIGHEST = -24, 24
CLOSE, STEPS = 0.01, 14
# A choice that queries more than this times the rate is not compared.
TOO_MANY = 1.1
# With which CSPAA(a) starts in Table 8.
ADAPTIVE_DELTA = 2.0**14


def score(y, predicted, ratio):
    """Return accuracy; of two classes F, or with a ratio mean sensitivity and specificity."""
    if not set(np.unique(y)) <= {-1, 1}:
        return float(np.mean(y == predicted))
    if ratio is not None:
        right = [np.mean(predicted[y == label] == label) for label in (-1, 1)]
        return float(sum(right)) / 2
    found = np.sum((y == 1) & (predicted == 1))
    return float(2 * found / max(1, np.sum(y == 1) + np.sum(predicted == 1)))


def _permuted(X, y, seed):
    order = np.random.default_rng([seed, 16]).permutation(len(y))
    return X[order], y[order]


def one_pass(choice, X, y, ratio):
    """Make one pass over the samples in their order."""
    model = choice.build()
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    share = model.n_queries_ / len(y)
    return {
        "seconds": seconds,
        "share": share,
        "score": score(y, model.online_predictions_, ratio),
    }


def choice_at(choice, rate, trials, ratio):
    """Return the choice that queries this share of the labels, and its mean score on trials."""

    def means(choice):
        found = [one_pass(replace(choice, seed=seed), X, y, ratio) for seed, X, y in trials]
        return [float(np.mean([run[name] for run in found])) for name in ("share", "score")]

    if choice.algorithm in (*FULL, *AT_RANDOM):
        choice = replace(choice, rate=rate)
        return choice, means(choice)[1]
    low, high = LOWEST, HIGHEST
    for _ in range(STEPS):
        middle = (low + high) / 2
        choice = replace(choice, delta=2.0**middle)
        share, reached = means(choice)
        if abs(share - rate) <= CLOSE * rate:
            break
        low, high = (middle, high) if share < rate else (low, middle)
    # A negative offset may query more labels than asked for, with any delta.
    return choice, reached if share < TOO_MANY * rate else -np.inf


def tuned(algorithm, X, y, rates, ratio, quick):
    """Return for each rate a choice, with the C that has the best mean score over the rates."""
    # In the paper C is the ratio of the classes, if given.
    rho = 1.0 if ratio is None else float(np.sum(y == -1) / np.sum(y == 1))
    Cs = [rho] if ratio is not None else CS if algorithm in TUNED else [1.0]
    Cs = (RS if algorithm in AROW_COST else Cs)[:: 5 if quick else 1]
    n_trials = N_TRIALS if ratio is None else N_UNEVEN_TRIALS // len(Cs)
    seeds = range(FIRST_TRIAL, FIRST_TRIAL + (1 if quick else n_trials))
    trials = [(seed, *_permuted(X, y, seed)) for seed in seeds]
    tried = []
    for C in Cs:
        start = Choice(algorithm, C=C, rho=rho)
        choices, scores = zip(*(choice_at(start, rate, trials, ratio) for rate in rates))
        tried.append((np.mean(scores), choices))
    return dict(zip(rates, max(tried, key=lambda found: found[0])[1]))


def curve_values(algorithm, ratio):
    """Return shares or constants of the query rule that give the curve of the paper."""
    if algorithm in FULL or algorithm not in PAPER:
        return []
    if algorithm in AT_RANDOM:
        return CURVE_RATES
    if algorithm == "CSPAA(a)":
        return ADAPTIVE_DELTAS
    return DELTAS if ratio is None else COST_DELTAS


def asked_labels(stream, algorithm, rates, ratio=None, quick=False):
    """Choose C and delta; then measure at the rates, and the curve over the share of labels.

    `ratio`: negative samples for each positive one; None: as they come. Without it each rate
    twice: by the constant delta found for it, and by a rule with this `rate` (the same where
    labels are queried at random). CSPAA(a) also starts with the delta of the paper.
    """
    X, y = streams.STREAMS[stream].load(quick, ratio)
    rates = [1.0] if algorithm in FULL else rates
    best = tuned(algorithm, X, y, rates, ratio, quick)
    plans = {("delta", rate): choice for rate, choice in best.items()}
    if ratio is None and algorithm not in AT_RANDOM:
        plans |= {("rate", rate): replace(best[rate], rate=rate) for rate in rates}
    start = replace(best[rates[0]], delta=1.0, rate=None)
    if algorithm == "CSPAA(a)":
        plans["start", ADAPTIVE_DELTA] = replace(start, delta=ADAPTIVE_DELTA)
    name = "rate" if algorithm in AT_RANDOM else "delta"
    values = curve_values(algorithm, ratio)[:: 5 if quick else 1]
    points = {value: replace(start, **{name: value}) for value in values}
    found = {key: [] for key in (*plans, *points)}
    for seed in range(2 if quick else N_RUNS):
        rows = _permuted(X, y, seed)
        for key, choice in (plans | points).items():
            found[key].append(one_pass(replace(choice, seed=seed), *rows, ratio))

    def lists(key):
        fields = ("seconds", "share", "score")
        return {field: [round(run[field], 7) for run in found[key]] for field in fields}

    def means(key):
        return {field: float(np.mean(lists(key)[field])) for field in ("share", "score")}

    return {
        "fixed": [{"way": way, "rate": rate, **lists((way, rate))} for way, rate in plans],
        "curve": [means(key) for key in points],
        "n_rows": len(y),
        "n_features": X.shape[1],
        "n_classes": len(np.unique(y)),
    }


def large_stream(algorithm, ratio, quick=False):
    """Measure the training time on a stream of chunks, each discarded after use."""
    n_rows, chunk = (20_000, 5_000) if quick else (1_000_000, 10_000)
    source = streams.url_like(1 / (1 + ratio))
    query = {"delta": ADAPTIVE_DELTA} if algorithm == "CSPAA(a)" else {"rate": URL_RATE}
    model = Choice(algorithm, C=ratio, rho=ratio, **query).build()
    labels, seconds, curve = [], 0.0, []
    for n_seen in range(chunk, n_rows + 1, chunk):
        X, y = source.rows(chunk)
        start = time.perf_counter()
        model.partial_fit(X, y, classes=[-1, 1])
        seconds += time.perf_counter() - start
        labels.append(y)
        curve.append([n_seen, seconds])
    return {
        "seconds": seconds,
        "curve_seconds": curve,
        "share": int(model.n_queries_) / n_rows,
        "score": score(np.concatenate(labels), model.online_predictions_, ratio),
    }
