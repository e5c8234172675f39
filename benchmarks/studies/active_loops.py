"""Loops that query labels one after the other, as different libraries do it."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from sklearn_online_svm.active import MarginSampling

from ..bench.frames import frame, median, pointwise, ratio, verdict, where
from ..bench.measure import Stopwatch
from ..bench.plots import BLUE, GREEN, GREY, ORANGE, legend_below, panels, plain_log, save
from ..bench.rst import count, joined, list_table, percent, seconds, times
from ..bench.study import Study, grid, named, seeded, step
from ..sets.workloads import WORKLOADS

# Labels that are queried, after how many a curve has a point, and of each class to begin with.
N_LABELS, EVERY, N_FIRST = 300, 20, 5
# Loops that are measured for one seed only: they take minutes.
ONCE = {("reuters", "refit_all"), ("reuters", "scikit_activeml")}


class Loop:
    """Query a label, and train with it or, as modAL's ``teach`` does, with all labels so far."""

    def __init__(self, X, y, first, model, pool_size, refit, seed):
        self.X, self.y, self.model, self.refit = X, y, model, refit
        self.strategy = MarginSampling(pool_size, random_state=seed)
        self.free, self.known = np.ones(len(y), dtype=bool), []
        self.learn(first)

    def learn(self, chosen):
        self.free[chosen] = False
        self.known.extend(chosen)
        if self.refit:
            self.model.fit(self.X[self.known], self.y[self.known])
        else:
            self.model.partial_fit(self.X[chosen], self.y[chosen], classes=[-1, 1])

    def step(self):
        self.learn(self.strategy.query(self.model, self.X, candidates=self.free))

    def classifier(self):
        return self.model


class ScikitActiveml:
    """Its own strategy, which needs probabilities and fits the model itself."""

    def __init__(self, X, y, first, svc, seed):
        from skactiveml.classifier import SklearnClassifier
        from skactiveml.pool import UncertaintySampling

        # Probabilities of SVC will be gone with scikit-learn 1.11.
        warnings.simplefilter("ignore", FutureWarning)
        # It takes no sparse arrays.
        self.X, self.y = X.toarray() if sparse.issparse(X) else X, y
        self.labels = np.full(len(y), np.nan)
        self.labels[first] = y[first]
        svc.set_params(probability=True, random_state=seed)
        self.model = SklearnClassifier(svc, classes=[-1, 1], random_state=seed)
        self.strategy = UncertaintySampling(method="margin_sampling", random_state=seed)

    def step(self):
        chosen = self.strategy.query(self.X, self.labels, self.model)
        self.labels[chosen] = self.y[chosen]

    def classifier(self):
        return self.model.fit(self.X, self.labels)


class WarmStarted(LASVC):
    """The optimum of SVC, where `fit` starts from the optimum over the first of its samples.

    It learns the samples that it does not know, then those outside the support set that violate
    their constraint, until there are none.
    """

    def fit(self, X, y):
        if not hasattr(self, "stream_"):
            self.stream_ = []
        violating = np.arange(len(set(self.stream_)), len(y))
        while len(violating):
            self.partial_fit(X[violating], y[violating], classes=np.unique(y)).finish()
            self.stream_.extend(violating)
            outside = np.setdiff1d(np.arange(len(y)), np.take(self.stream_, self.support_))
            if not len(outside):
                break
            margins = y[outside] * self.decision_function(X[outside])
            violating = outside[margins < 1 - self.tol]
        return self


# Titles, numbers of candidates, colours and lines; loops that score all samples are dashed.
LOOPS = {
    "partial_fit": ("``LASVC.partial_fit``, 59 samples drawn", 59, BLUE, "-"),
    "partial_fit_all": ("``LASVC.partial_fit``, all samples scored", "all", BLUE, "--"),
    "partial_fit_random": ("``LASVC.partial_fit``, a sample at random", 1, GREY, "-"),
    "refit": ("``SVC`` refitted, 59 samples drawn", 59, ORANGE, "-"),
    "refit_all": ("``SVC`` refitted, all samples scored", "all", ORANGE, "--"),
    "scikit_activeml": ("scikit-activeml, ``SVC(probability=True)``", "all", GREEN, "--"),
}


def learn_from_pool(workload, loop, seed=0, quick=False):
    """Query labels one after the other. Predicting the test samples is not in the times."""
    split, n_labels = WORKLOADS[workload].load(seed, quick), 20 if quick else N_LABELS
    X, y, X_test = split.X_train, split.y_train, split.X_test
    rng = np.random.default_rng([seed, 17])
    first = np.concatenate(
        [rng.choice(np.flatnonzero(y == label), N_FIRST, replace=False) for label in (-1, 1)]
    )
    problem = dict(C=WORKLOADS[workload].C, gamma=WORKLOADS[workload].gamma)
    _, pool_size, _, _ = LOOPS[loop]
    if loop == "scikit_activeml":
        X_test = X_test.toarray() if split.sparse else X_test
        querying = ScikitActiveml(X, y, first, SVC(**problem), seed)
    elif loop.startswith("refit"):
        querying = Loop(X, y, first, SVC(**problem), pool_size, True, seed)
    else:
        model = LASVC(**problem, random_state=seed)
        querying = Loop(X, y, first, model, pool_size, False, seed)
    watch, curve = Stopwatch(), []
    for n_bought in range(1, n_labels + 1):
        with watch:
            querying.step()
        if n_bought % EVERY == 0 or n_bought == n_labels:
            error = float(np.mean(querying.classifier().predict(X_test) != split.y_test))
            point = {"n_labels": len(first) + n_bought, "seconds": watch.seconds, "error": error}
            curve.append(point)
    return {"n_pool": X.shape[0], "seconds": watch.seconds, "error": error, "curve": curve}


def _cases(settings):
    """All loops on the same pools; they take turns, seed after seed."""
    return [
        case
        for case in seeded(grid(workload=["banana", "usps", "reuters"], loop=LOOPS))(settings)
        if case["seed"] == 0 or (case["workload"], case["loop"]) not in ONCE
    ]


def pool_loops(results):
    """Time of a loop, and the error after it, for each set."""
    found = frame("pool_loops", results, failed=True)
    tables = []
    for name, here in found.groupby("workload", sort=False):
        first = median(here, "seconds", loop="partial_fit")
        rows = []
        for loop, (title, *_) in LOOPS.items():
            passed, error = (median(here, field, loop=loop) for field in ("seconds", "error"))
            cells = [seconds(passed), times(ratio(passed, first)), percent(error)]
            rows.append([title, *(cells if passed else [verdict(here, loop=loop), "", ""])])
        title = (
            f"{WORKLOADS[name].title}, {count(median(here, 'n_pool'))} samples: "
            f"{N_LABELS} labels after {N_FIRST} of each class"
        )
        tables.append(list_table(["", "time", "relative to the first", "error"], rows, title))
    return joined(tables)


def draw_pool_loops(results, folder):
    """Error against labels, and against time; medians over the seeds."""
    found = frame("pool_loops", results)
    sets = found.groupby("workload", sort=False)
    figure, axes = panels(len(sets), 2, width=4.0, height=2.8)
    for (left, right), (name, here) in zip(axes, sets):
        for loop, (title, _, colour, line) in LOOPS.items():
            curve = pointwise(where(here, loop=loop), "curve", "median")
            if curve.empty:
                continue
            style = dict(color=colour, linestyle=line, linewidth=1.5)
            left.plot(curve.n_labels, 100 * curve.error, label=title.replace("``", ""), **style)
            right.plot(curve.seconds, 100 * curve.error, **style)
        left.set(title=WORKLOADS[name].title, xlabel="labels", ylabel="test error (%)")
        right.set(xlabel="time of the loop (s)")
        plain_log(right.xaxis)
        for axis in (left, right):
            plain_log(axis.yaxis, subs=(1, 2, 5))
    legend_below(figure, axes, 2, 0.8)
    save(figure, folder / "pool_loops.png")


STUDY = Study(
    steps={"pool_loops": step(learn_from_pool, _cases, limit=400)},
    tables=named(pool_loops),
    figures=[draw_pool_loops],
)
