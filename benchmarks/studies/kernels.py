"""Kernels by name compared with functions: real sets, fingerprints, and mixed tables."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import zero_one_loss
from sklearn.metrics.pairwise import (
    chi2_kernel,
    cosine_similarity,
    laplacian_kernel,
    manhattan_distances,
)
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, AROWClassifier, ColumnKernel

from ..bench.data import drawn, load_all_samples, scaled
from ..bench.frames import frame, unnest
from ..bench.measure import fit_and_predict
from ..bench.rst import count, number, percent, seconds, text_table, times
from ..bench.study import Study, grid, named, seeded, step

LIMIT = 900
SIZES = [3000, 9000, 27_000, 100_000]
# Above, the kernel matrix of SVC needs more than a few GB.
MOST_FOR_SVC = 9000
# Samples of the test.
N_TEST, N_TEST_GENERATED = 2000, 5000
# Fingerprints: clusters of two classes; bits that are frequent in one of them, and how much more.
N_BITS, N_SET = 2048, 64
N_CLUSTERS, N_OWN, ODDS = 60, 80, 20.0
# Mixed tables: numeric features, the numbers of categories of the others, and the number of
# columns whose categories change the sign of a numeric effect.
N_NUMERIC, CATEGORIES = 4, (3, 5, 10, 20, 50, 100)
TABLES = {"one": 1, "pair": 2}
# Share of wrong labels of generated samples.
WRONG = 0.05
TITLES = {
    "product": "product of kernels",
    "sum": "sum of kernels",
    "rbf": "one-hot columns, rbf",
    "boosting": "gradient boosting",
    "arow": "one-hot columns, AROW",
}


def intersection(X, Z):
    """Return the sums of the smaller values, for nonnegative features."""
    return 0.5 * (X.sum(axis=1)[:, None] + Z.sum(axis=1) - manhattan_distances(X, Z))


def tanimoto(X, Z):
    """Return Tanimoto similarities of dense or sparse samples."""
    products = X @ Z.T
    if issparse(products):
        products = products.toarray()
        squares = [np.asarray(A.multiply(A).sum(axis=1)).ravel() for A in (X, Z)]
    else:
        squares = [np.einsum("ij,ij->i", A, A) for A in (X, Z)]
    return products / (squares[0][:, None] + squares[1] - products)


# The kernels of the package as functions, as they are written for SVC.
FUNCTIONS = {
    "laplacian": laplacian_kernel,
    "chi2": chi2_kernel,
    "intersection": intersection,
    "tanimoto": tanimoto,
    "cosine": partial(cosine_similarity, dense_output=True),
}
# Kernels with the parameter gamma.
WITH_GAMMA = ("laplacian", "chi2")


@dataclass(frozen=True)
class Case:
    """A kernel, and a set of the papers with its features prepared for it."""

    title: str
    kernel: str
    file: str
    n_train: int
    # A number by which features are divided, "sums" (samples have sum 1), or None: standardized.
    scale: str | float | None = 1.0
    # The classes against the others: even ones, or one of them. None: there are two classes.
    positive: str | int | None = None
    C: float = 10.0
    # If the kernel has a gamma. Features are scaled to [0, 1], or to variance 1.
    gamma: float = 1.0

    def load(self, seed, quick=False):
        """Return training samples and labels, test samples and labels; a split for each seed."""
        X, y, _ = load_all_samples(self.file)
        if self.positive is not None:
            y = np.where(y % 2 == 0 if self.positive == "even" else y == self.positive, 1, -1)
        n_test = 400 if quick else min(N_TEST, len(y) // 3)
        n_train = 400 if quick else min(self.n_train, len(y) - n_test)
        X, y, X_test, y_test = drawn(X.tocsr() if issparse(X) else X, y, n_train, n_test, seed)
        if self.scale == "sums":
            X, X_test = (A / A.sum(axis=1, keepdims=True) for A in (X, X_test))
        else:
            X, X_test = scaled(X, X_test, self.scale)
        return X.astype(np.float32), y, X_test.astype(np.float32), y_test


CASES = {
    "laplacian_letter": Case("Letter", "laplacian", "letter", 8000, None, "even", gamma=0.1),
    "laplacian_magic04": Case("MAGIC", "laplacian", "magic04", 8000, None, gamma=0.1),
    "chi2_satimage": Case("Satimage", "chi2", "satimage", 4435, 255.0, "even"),
    "chi2_mnist": Case("MNIST", "chi2", "mnist", 4000, "sums", "even", gamma=2.0),
    "intersection_satimage": Case("Satimage", "intersection", "satimage", 4435, 255.0, "even"),
    "intersection_mnist": Case("MNIST", "intersection", "mnist", 4000, "sums", "even", C=100.0),
    "tanimoto_adult": Case("Adult", "tanimoto", "adult_a9a", 8000, C=1.0),
    "tanimoto_mushrooms": Case("Mushrooms", "tanimoto", "mushrooms", 5416),
    "tanimoto_dna": Case("DNA, class 3 against the rest", "tanimoto", "dna", 2000, positive=3),
    "cosine_adult": Case("Adult", "cosine", "adult_a9a", 8000, C=1.0),
    "cosine_newsgroups": Case(
        "20 Newsgroups", "cosine", "newsgroups20", 4000, positive="even", C=1.0
    ),
}


def fingerprints(n_samples, random):
    """Return bits of samples as CSR matrix, and labels of which 5 % are wrong.

    Each cluster has its own frequent bits, besides those that are frequent in all clusters. Of
    each sample, 64 bits are set: a draw without replacement with the probabilities of its cluster.
    """
    fixed = np.random.default_rng(0)
    weights = np.tile(-np.log(20.0 + np.arange(N_BITS)), (N_CLUSTERS, 1))
    for row in weights:
        row[fixed.choice(N_BITS, N_OWN, replace=False)] += np.log(ODDS)
    clusters = random.integers(N_CLUSTERS, size=n_samples)
    indices = np.empty((n_samples, N_SET), dtype=np.int32)
    chunk = 2000
    for first in range(0, n_samples, chunk):
        # The largest of log-weights with Gumbel noise are such a draw.
        keys = weights[clusters[first : first + chunk]]
        keys = keys + random.gumbel(size=keys.shape)
        drawn = np.argpartition(keys, N_BITS - N_SET, axis=1)[:, N_BITS - N_SET :]
        indices[first : first + chunk] = np.sort(drawn, axis=1)
    indptr = N_SET * np.arange(n_samples + 1, dtype=np.int32)
    bits = np.ones(indices.size, dtype=np.float32)
    y = _flipped(np.where(clusters % 2 == 0, 1, -1), random)
    return csr_matrix((bits, indices.ravel(), indptr), shape=(n_samples, N_BITS)), y


def _flipped(y, random):
    return np.where(random.random(len(y)) < WRONG, -y, y)


def mixed_table(name, n_samples, random):
    """Return numeric and categorical columns, and labels that depend on both.

    Each category has an effect. A numeric effect has the sign of a category of the first column,
    or the product of the signs in the first two. Of the labels, 5 % are wrong.
    """
    fixed = np.random.default_rng(0)
    effects = [fixed.normal(size=n) for n in CATEGORIES]
    signs = [1 - 2 * (fixed.permutation(n) % 2) for n in CATEGORIES[: TABLES[name]]]
    numeric = random.normal(size=(n_samples, N_NUMERIC))
    codes = np.column_stack([random.integers(n, size=n_samples) for n in CATEGORIES])
    score = sum(effect[column] for effect, column in zip(effects, codes.T, strict=True)) / 2
    sign = np.prod([sign[codes[:, k]] for k, sign in enumerate(signs)], axis=0)
    score += sign * (numeric[:, 0] + np.sin(2 * numeric[:, 1])) + numeric[:, 2] ** 2 - 1
    return numeric.astype(np.float32), codes, _flipped(np.where(score > 0, 1, -1), random)


def measured(model, X, y, X_test, y_test):
    """Fit and predict; return the times and the error."""
    predicted, spent = fit_and_predict(model, X, y, X_test)
    return {**spent, "error": zero_one_loss(y_test, predicted)}


def compare(set, seed=0, quick=False):
    """Compare a kernel by its name with SVC and the same kernel as a function."""
    case = CASES[set]
    X, y, X_test, y_test = case.load(seed, quick)
    gamma = {"gamma": case.gamma} if case.kernel in WITH_GAMMA else {}
    named = dict(C=case.C, kernel=case.kernel, **gamma, random_state=seed)
    function = SVC(C=case.C, kernel=partial(FUNCTIONS[case.kernel], **gamma))
    models = {"lasvc": LASVC(**named), "svc": function, "converged": LASVC(max_iter=-1, **named)}
    parts = {name: measured(model, X, y, X_test, y_test) for name, model in models.items()}
    scores = function.decision_function(X_test)
    for name in ("lasvc", "converged"):
        difference = models[name].decision_function(X_test) - scores
        parts[name]["difference"] = float(np.abs(difference).max())
    return {"n_train": len(y), **parts}


def fit_fingerprints(n_train, model, seed=0, quick=False):
    """Fit a model on fingerprints."""
    n_train, n_test = (500, 500) if quick else (n_train, N_TEST_GENERATED)
    X, y = fingerprints(n_train + n_test, np.random.default_rng(seed + 1))
    ours, svc = LASVC(kernel="tanimoto", random_state=seed), SVC(kernel=tanimoto)
    chosen = ours if model == "lasvc" else svc
    return measured(chosen, X[:n_train], y[:n_train], X[n_train:], y[n_train:])


def _mixed_models(name, seed):
    """Return the models among which held-out samples of the mixed table select one."""
    numbers, codes = np.split(np.arange(N_NUMERIC + len(CATEGORIES)), [N_NUMERIC])
    if name == "boosting":
        return [HistGradientBoostingClassifier(categorical_features=codes, random_state=seed)]
    if name == "arow":
        return [AROWClassifier(r=r, random_state=seed) for r in (0.1, 1.0, 10.0)]

    def kernel(gamma):
        if name == "rbf":
            return dict(kernel="rbf", gamma=gamma)
        columns = [("rbf", list(numbers), gamma), ("overlap", list(codes))]
        return dict(kernel=ColumnKernel(columns, combine=name))

    values = grid(C=[1.0, 3.0, 10.0], gamma=[0.03, 0.1, 0.3, 1.0])
    return [LASVC(C=v["C"], **kernel(v["gamma"]), random_state=seed) for v in values]


def fit_mixed(set, n_train, model, seed=0, quick=False):
    """Fit the model on a table of mixed types that a fifth of it selects."""
    n, n_test = (500, 500) if quick else (n_train, N_TEST_GENERATED)
    X, codes, y = mixed_table(set, n + n_test, np.random.default_rng(seed + 1))
    if model in ("rbf", "arow"):
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        codes = encoder.fit(codes[:n]).transform(codes)
    X = np.hstack([X, codes]).astype(np.float32)
    first, held_out = slice(n * 4 // 5), slice(n * 4 // 5, n)
    models = _mixed_models(model, seed)
    fitted = [clone(each).fit(X[first], y[first]) for each in models]
    best = np.argmax([each.score(X[held_out], y[held_out]) for each in fitted])
    return measured(models[best], X[:n], y[:n], X[n:], y[n:])


def kernels_sets(results):
    """Write times and errors of a name and of a function."""
    found = unnest(frame("kernels_sets", results), None)
    for name in ("fit", "predict"):
        found[name] = found[f"svc.seconds_{name}"] / found[f"lasvc.seconds_{name}"]
    found.index = [f"{CASES[name].kernel}, {CASES[name].title}" for name in found["set"]]
    columns = {
        "lasvc.seconds_fit": ("fit", partial(number, factor=1000)),
        "fit": ("SVC / LASVC", times),
        "lasvc.seconds_predict": ("predict", partial(number, factor=1000)),
        "predict": ("SVC / LASVC", times),
        "n_train": ("samples", count),
        "lasvc.error": ("LASVC", percent),
        "svc.error": ("SVC", percent),
    }
    parts = {"Time of LASVC, milliseconds": 4, "Test error": 3}
    return text_table(found, columns, parts, keys=["kernel, set"])


def kernels_tanimoto(results):
    """Write times on fingerprints."""
    found = frame("kernels_tanimoto", results)
    fields = ["seconds_fit", "seconds_predict"]
    cells = found.pivot(index="n_train", columns="model", values=fields)
    cells.columns = [f"{model.upper()}, {name.removeprefix('seconds_')}" for name, model in cells]
    return text_table(cells.map(seconds, na_action="ignore").rename(index=count), keys=["samples"])


def kernels_mixed(results):
    """Write error and time of models on tables of mixed types."""
    found = frame("kernels_mixed", results).groupby(["set", "model"], sort=False)
    found = found[["error", "seconds_fit"]].median()
    titles = {"one": "one category", "pair": "two categories"}
    found = found.rename(index=titles | TITLES)
    columns = {"error": ("error", percent), "seconds_fit": ("fit", seconds)}
    return text_table(found, columns, keys=["sign depends on", "model"])


MIXED = grid(set=TABLES, n_train=[10_000], model=TITLES)
SIZED = [
    case
    for case in grid(n_train=SIZES, model=["lasvc", "svc"])
    if case["model"] == "lasvc" or case["n_train"] <= MOST_FOR_SVC
]
STUDY = Study(
    steps={
        "kernels_sets": step(compare, grid(set=CASES), limit=LIMIT),
        "kernels_tanimoto": step(fit_fingerprints, SIZED, n_quick=2, limit=LIMIT),
        "kernels_mixed": step(fit_mixed, seeded(MIXED, 3), limit=LIMIT),
    },
    tables=named(kernels_sets, kernels_tanimoto, kernels_mixed),
)
