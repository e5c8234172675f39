"""Prediction intervals and prediction sets, compared with those of MAPIE and crepes."""

from functools import partial

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import LeaveOneOut, train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklearn_online_svm import LASVC, LASVR
from sklearn_online_svm.evaluation import AdaptiveConformalInference
from sklearn_online_svm.kernel._analysis._intervals import fitted_scale, knots_of
from sklearn_online_svm.kernel._analysis._kept_values import ConformalQuantiles

from ..bench.data import chunks, drawn, load_paper_dataset
from ..bench.frames import frame, means, unnest
from ..bench.measure import processor_seconds
from ..bench.rst import cross, joined, number, percent, table, text_table, times
from ..bench.study import Study, each_seed, grid, named, step
from ..sets.tables import REGRESSION, TABLES

COVERAGE = 0.9
C, EPSILON = 10.0, 0.1
N_QUICK, LIMIT = 60, 1800
# Length of a stream and of its chunks, and step sizes of adaptive conformal inference.
N_STREAM, CHUNK, STEP_SIZES = 8000, 100, (0.005, 0.02)
REAL = [name for name, table in TABLES.items() if table.kind == REGRESSION]
# Targets of very different size.
OF_LOGARITHM = ("ames", "computers", "diamonds", "saratoga", "stackoverflow")
SMALL = ["diabetes", "hundred"]
SETS = [*REAL, "diabetes", "friedman", "heteroscedastic", "hundred", "integers", "outliers"]
# Sets of classes, and the number of training samples.
CLASSES = {
    "covtype_first20k": 2000, "letter": 2000, "satimage": 1000, "spambase": 1000, "usps": 1000,
}  # fmt: skip


def _real(name, seed, n, n_test):
    split = TABLES[name].load(seed)
    indicators = OneHotEncoder(handle_unknown="ignore", min_frequency=10, sparse_output=False)
    is_category = make_column_selector(dtype_include="category")
    columns = make_column_transformer((indicators, is_category), remainder="passthrough")
    X = columns.fit_transform(split.X_train[:n])
    scale = np.log if name in OF_LOGARITHM else np.asarray
    y, y_test = scale(split.y_train[:n]), scale(split.y_test[:n_test])
    return X, y, columns.transform(split.X_test[:n_test]), y_test


def _generated(name, seed, n, n_test):
    rng, n = np.random.default_rng(seed), min(n, 100) if name == "hundred" else n
    X, _ = make_friedman1(n + n_test, random_state=seed)
    X = np.floor(5 * X) if name == "integers" else X
    x = X.T / 5 if name == "integers" else X.T
    smooth = 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4]
    noise = rng.normal(size=len(X))
    deviation = {"integers": 0.3, "heteroscedastic": 0.1 + 0.8 * X[:, 5]}.get(name, 0.2)
    y = smooth / 5 + deviation * noise
    if name == "outliers":
        y += 3 * rng.standard_t(2, len(X)) * (rng.random(len(X)) < 0.05)
    return X[:n], y[:n], X[n:], y[n:]


def load(name, seed, n, n_test):
    """Return samples and standardized targets: training samples, at most n, and test samples."""
    if name in REAL:
        X, y, X_test, y_test = _real(name, seed, n, n_test)
    elif name == "diabetes":
        X, y = load_diabetes(return_X_y=True)
        X, y, X_test, y_test = drawn(X, y, min(n, 300), len(y), seed)
    else:
        X, y, X_test, y_test = _generated(name, seed, n, n_test)
    scaler, mean, deviation = StandardScaler().fit(X), y.mean(), y.std()
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    return X, (y - mean) / deviation, X_test, (y_test - mean) / deviation


def load_classes(name, seed, quick):
    """Return training samples and labels, and those of the test."""
    data = load_paper_dataset(name)
    X, y = data["X_train"], data["y_train"]
    X, y, X_test, y_test = drawn(X, y, 200 if quick else CLASSES[name], 4000, seed)
    scaler = StandardScaler().fit(X.astype(float))
    return scaler.transform(X.astype(float)), y, scaler.transform(X_test.astype(float)), y_test


# Methods: functions of training samples, test samples, a seed, and a function that makes a model.


def one_width(X, y, X_test, seed, make):
    """Return intervals of a quantile of the residuals without each sample, the jackknife."""
    model = make().fit(X, y)
    sizes = np.abs(y - model.leave_one_out_predict(X, y))
    half = ConformalQuantiles(sizes, np.ones(len(sizes))).at(COVERAGE)
    return model.predict(X_test)[:, None] + [-half, half]


def split(X, y, X_test, seed, make):
    """Use residuals of the other half, divided by the scale of `predict_interval`."""
    X, X_held, y, y_held = train_test_split(X, y, test_size=0.5, random_state=seed)
    model = make().fit(X, y)
    held, middle = model.predict(X_held), model.predict(X_test)
    sizes, weights = np.abs(y_held - held), np.ones(len(held))
    values = rbf_kernel(X_held, X_held, model.gamma_)
    given = values, held, sizes, weights, np.arange(len(held)), knots_of(held, held)
    scale, without = fitted_scale(*given)
    sums = rbf_kernel(X_test, X_held, model.gamma_) @ scale.coef + scale.constant
    half = ConformalQuantiles(sizes / without, weights).at(COVERAGE) * scale(sums, middle)
    return np.column_stack([middle - half, middle + half])


def _cross(X, y, X_test, seed, make, cv):
    from mapie.regression import CrossConformalRegressor

    mapie = CrossConformalRegressor(make(), confidence_level=COVERAGE, method="plus", cv=cv)
    return mapie.fit_conformalize(X, y).predict_interval(X_test)[1][:, :, 0]


def crepes(X, y, X_test, seed, make):
    """Use residuals of the other half, divided by the mean of those of 25 neighbours."""
    from crepes import WrapRegressor
    from crepes.extras import DifficultyEstimator

    X, X_held, y, y_held = train_test_split(X, y, test_size=0.5, random_state=seed)
    model = WrapRegressor(make())
    model.fit(X, y)
    sizes = np.abs(y - model.predict(X))
    difficulty = DifficultyEstimator().fit(X=X, residuals=sizes, scaler=True)
    model.calibrate(X_held, y_held, de=difficulty)
    return model.predict_int(X_test, confidence=COVERAGE)


OURS = {
    "ours": lambda X, y, X_test, seed, make: (
        make(intervals=True).fit(X, y).predict_interval(X_test, COVERAGE)
    ),
    "one width": one_width,
    "split": split,
}
PEERS = {
    "jackknife+": partial(_cross, cv=LeaveOneOut()),
    "CV+": partial(_cross, cv=5),
    "crepes": crepes,
}


def mapie_sets(X, y, X_test, seed, make):
    """Use scores of five folds of a model with probabilities."""
    from mapie.classification import CrossConformalClassifier

    options = dict(confidence_level=COVERAGE, cv=5, random_state=seed)
    mapie = CrossConformalClassifier(make(), **options)
    return mapie.fit_conformalize(X, y).predict_set(X_test)[1][:, :, 0]


def crepes_sets(X, y, X_test, seed, make):
    """Use scores of a third of the samples."""
    from crepes import WrapClassifier

    X, X_held, y, y_held = train_test_split(X, y, test_size=1 / 3, random_state=seed, stratify=y)
    model = WrapClassifier(make())
    model.fit(X, y)
    model.calibrate(X_held, y_held, seed=seed)
    return model.predict_set(X_test, labels=False, confidence=COVERAGE).astype(bool)


OF_CLASSES = {
    "ours": lambda X, y, X_test, seed, make: make().fit(X, y).predict_set(X_test, COVERAGE),
    "MAPIE": mapie_sets,
    "crepes": crepes_sets,
}


def _quarters(covered, values):
    """Return the coverage in each quarter of the samples, in the order of some values."""
    edges = np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
    parts = zip(edges[:-1], edges[1:], strict=True)
    return [float(covered[(low <= values) & (values <= high)].mean()) for low, high in parts]


@each_seed(5)
def predict_intervals(
    set, seed, quick, method="ours", n_train=1000, n_test=1000, C=C, epsilon=EPSILON
):
    """Return coverage, width and time of intervals."""
    n, n_test = (N_QUICK, N_QUICK) if quick else (n_train, n_test)
    X, y, X_test, y_test = load(set, seed, n, n_test)
    function, make = (OURS | PEERS)[method], partial(LASVR, C=C, epsilon=epsilon)
    ends, seconds = processor_seconds(lambda: function(X, y, X_test, seed, make))
    covered = (ends[:, 0] <= y_test) & (y_test <= ends[:, 1])
    component = PCA(1).fit(X).transform(X_test)[:, 0]
    return {
        "n_train": len(y),
        "coverage": float(covered.mean()),
        "quarters": _quarters(covered, ends.mean(axis=1)) + _quarters(covered, component),
        "width": float(np.minimum(ends[:, 1] - ends[:, 0], 1e3).mean()),
        "seconds": seconds,
    }


@each_seed(5)
def predict_sets(set, method, seed, quick):
    """Return coverage, size and time of prediction sets."""
    X, y, X_test, y_test = load_classes(set, seed, quick)
    make = partial(LASVC, C=C, probability=True)
    found, seconds = processor_seconds(lambda: OF_CLASSES[method](X, y, X_test, seed, make))
    own = found[np.arange(len(found)), np.searchsorted(np.unique(y), y_test)]
    size = float(found.sum(axis=1).mean())
    return {"n_train": len(y), "coverage": float(own.mean()), "size": size, "seconds": seconds}


def _stream(kind, seed, n):
    """Return samples of a stream that changes in its middle."""
    X, y, _, _ = load("friedman", seed, n, 1)
    rng, is_late = np.random.default_rng(seed), np.arange(n) >= n // 2
    if kind == "noise":
        return X, y + np.where(is_late, 0.8, 0.1) * rng.normal(size=n)
    return X, np.where(is_late, -y, y) if kind == "function" else y


def _intervals_in_stream(X, y):
    """Return the intervals of a stream, by what determines them."""
    model = LASVR(C=C, epsilon=EPSILON, gamma=0.1, intervals=True)
    adaptive = {f"adaptive, {s}": AdaptiveConformalInference(step_size=s) for s in STEP_SIZES}
    ends = {name: [] for name in ("intervals", *adaptive)}
    for rows in chunks(len(y), CHUNK):
        chunk = X[rows], y[rows]
        if rows.start:
            ends["intervals"].append(model.predict_interval(chunk[0], COVERAGE))
            for name, inference in adaptive.items():
                ends[name].append(inference.update(model, *chunk))
        model.partial_fit(*chunk)
    return {name: np.concatenate(parts) for name, parts in ends.items()}


def follow_stream(set, quick=False):
    """Return coverage in a stream: of the model, and with adaptive conformal inference."""
    n, runs = 400 if quick else N_STREAM, []
    # Without the first chunk, which is not predicted.
    change = n // 2 - CHUNK
    later = change + n // 8
    for seed in range(1 if quick else 5):
        X, y = _stream(set, seed, n)
        for name, ends in _intervals_in_stream(X, y).items():
            lower, upper = ends.T
            covered = (lower <= y[CHUNK:]) & (y[CHUNK:] <= upper)
            parts = {"before": covered[:change], "changed": covered[change:later]}
            parts |= {"after": covered[later:], "width": np.minimum(upper - lower, 1e3)[later:]}
            means = {part: float(values.mean()) for part, values in parts.items()}
            runs.append({"seed": seed, "way": name, **means})
    return {"runs": runs}


TITLES = {
    "ours": "``predict_interval``",
    "one width": "one width for all x",
    "split": "same scale, half of the samples",
    "jackknife+": "jackknife+ (MAPIE)",
    "CV+": "CV+, 5 folds (MAPIE)",
    "crepes": "normalized, half of the samples (crepes)",
}
in_percent = partial(percent, digits=1)


def _by_table(found, label):
    """Return means over the runs by label and table, and the lowest coverage of a quarter."""
    runs = unnest(found, "runs", "set", label)
    quarters = pd.DataFrame([*runs["quarters"]]).add_prefix("quarter ")
    found = means(runs.join(quarters), label, "set")
    return found.assign(lowest=found.filter(like="quarter ").min(axis=1))


def _coverage(found):
    """Return cells of the coverage on some tables."""
    coverage = found["coverage"]
    return {
        "coverage": in_percent(coverage.mean()),
        "lowest to highest": f"{in_percent(coverage.min())} to {in_percent(coverage.max())}",
        "lowest in a quarter": in_percent(found["lowest"].min()),
    }


def intervals(results):
    """Write a line for each method."""
    found = _by_table(frame(["intervals", "intervals_peers"], results), "method")
    reference, rows = found.loc["ours"], []
    for method in [method for method in TITLES if method in found.index]:
        width, seconds = (found.loc[method, f] / reference[f] for f in ("width", "seconds"))
        ratios = {"width / ours": number(width.mean())}
        ratios["time / ours"] = times(np.exp(np.log(seconds).mean()))
        rows.append({"": TITLES[method], **_coverage(found.loc[method]), **ratios})
    return table(rows, f"{len(reference)} tables, coverage of 90 % intervals")


def intervals_lines(results):
    """Write a line for each table."""
    found = _by_table(frame("intervals", results), "method").reset_index()
    methods = {method: TITLES[method] for method in ("ours", "one width")}
    return joined(
        cross(found, ("set", SETS), ("method", methods), field, form, title, corner="")
        for field, form, title in (
            ("coverage", in_percent, "Coverage"),
            ("lowest", in_percent, "Lowest in a quarter"),
            ("width", number, "Width"),
        )
    )


def intervals_parameters(results):
    """Write a line for each number of samples and pair of parameters."""
    found = frame("intervals_parameters", results)
    asked = found.reindex(columns=["n_train", "C", "epsilon"])
    found["case"] = [
        f"C={C:g}, epsilon={epsilon:g}" if pd.isna(n) else f"{n:g} samples"
        for n, C, epsilon in asked.itertuples(index=False)
    ]
    found = found.loc[asked.sort_values([*asked]).index]
    groups = _by_table(found, "case").groupby("case", sort=False)
    rows = [{"": case, **_coverage(of_case)} for case, of_case in groups]
    return table(rows, "Coverage with other numbers of samples and parameters")


def intervals_sets(results):
    """Write a line for each set of classes."""
    runs = unnest(frame("intervals_sets", results), "runs", "set", "method")
    found = means(runs, "method", "set")
    found["ratio"] = found["seconds"] / found.loc["ours", "seconds"]
    peers = {"MAPIE": "MAPIE, 5 folds", "crepes": "crepes, a third"}
    methods = {"ours": "``predict_set``", **peers}
    found = found.reset_index()
    return joined(
        cross(found, ("set", [*CLASSES]), ("method", m), field, form, title, corner="")
        for field, m, form, title in (
            ("coverage", methods, in_percent, "Coverage"),
            ("size", methods, number, "Mean size"),
            ("ratio", peers, times, "Time / ours"),
        )
    )


def intervals_stream(results):
    """Write a line for each stream and way."""
    found = means(unnest(frame("intervals_stream", results), "runs", "set"), "set", "way")
    columns = {
        "way": ("", str),
        "before": ("before", in_percent),
        "changed": ("first 1000", in_percent),
        "after": ("later", in_percent),
        "width": ("width, later", number),
    }
    title = "Coverage before and after a change"
    return text_table(found.reset_index("way"), columns, title, keys=["what changes"])


COMMON = dict(n_quick=2, limit=LIMIT)
OTHERS = [
    *grid(n_train=[50, 100, 300, 3000]),
    *grid(C=[1.0, 100.0], epsilon=[0.1]),
    *grid(C=[10.0], epsilon=[0.01, 0.5]),
]
STUDY = Study(
    steps={
        "intervals": step(
            predict_intervals, grid(set=SETS, method=OURS), n_test=4000, n_seeds=20, **COMMON
        ),
        "intervals_peers": step(
            predict_intervals, grid(set=SETS, method=PEERS), n_seeds=2, **COMMON
        ),
        "intervals_parameters": step(
            predict_intervals,
            [{"set": name, **case} for name in SETS if name not in SMALL for case in OTHERS],
            **COMMON,
        ),
        "intervals_sets": step(predict_sets, grid(set=CLASSES, method=OF_CLASSES), **COMMON),
        "intervals_stream": step(
            follow_stream, grid(set=["nothing", "noise", "function"]), **COMMON
        ),
    },
    tables=named(
        intervals, intervals_lines, intervals_parameters, intervals_sets, intervals_stream
    ),
)
