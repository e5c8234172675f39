"""The searches that are compared: what each is built from, and the one that a clock stops."""

import time
from dataclasses import dataclass

import numpy as np
from scipy.stats import loguniform
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import HalvingGridSearchCV, ParameterSampler, RandomizedSearchCV
from sklearn.pipeline import Pipeline

from sklearn_online_svm import AROWClassifier, PassiveAggressiveClassifier, SCWClassifier

N_FOLDS, N_DRAWS = 5, 20


@dataclass(frozen=True)
class Search:
    """A way to choose parameters, by the name of a column."""

    title: str
    # Of `svc.models`; None: the quicker exact solver for the set.
    model: str | None = None


SEARCHES = {
    "progressive": Search("``ProgressiveSearch(LASVC)``", "lasvc"),
    "halving_lasvc": Search("``HalvingGridSearchCV(LASVC)``", "lasvc"),
    "halving": Search("``HalvingGridSearchCV(SVC)``"),
    "random": Search(f"``RandomizedSearchCV(SVC, n_iter={N_DRAWS})``"),
    "boosting": Search("``HistGradientBoostingClassifier``"),
}


def progressive(estimator, grid, seed, threads=1):
    """Ours, at its defaults."""
    # Only here: the peers can be measured without it.
    from sklearn_online_svm.model_selection import ProgressiveSearch

    return ProgressiveSearch(estimator, grid, n_jobs=threads, random_state=seed)


def peer(search, estimator, grid, seed, threads=1):
    """A search of scikit-learn that has chosen, but not fitted to all rows."""
    options = dict(cv=N_FOLDS, refit=False, n_jobs=threads, random_state=seed)
    if search == "random":
        return RandomizedSearchCV(estimator, grid, n_iter=N_DRAWS, **options)
    return HalvingGridSearchCV(estimator, grid, **options)


class TimedSearch(BaseEstimator):
    """Random parameters until so many seconds are over, each tried on the last fifth of the rows.

    Five folds would leave time for one or two of them. The best is fitted to all rows within the
    same time: the search ends earlier by what its last fit has taken.
    """

    def __init__(self, estimator, distributions, seconds, seed, one_pass=False):
        self.estimator, self.distributions = estimator, distributions
        self.seconds, self.seed, self.one_pass = seconds, seed, one_pass

    def fit(self, X, y):
        start = time.perf_counter()
        n = 4 * len(y) // 5
        self.n_tried_, best_score, took = 0, -np.inf, 0.0
        # The defaults come first.
        for params in [{}, *ParameterSampler(self.distributions, 1000, random_state=self.seed)]:
            begun = time.perf_counter()
            # All rows are a quarter more.
            if self.n_tried_ and begun - start + 2.25 * took > self.seconds:
                break
            model = self._learn(clone(self.estimator).set_params(**params), X[:n], y[:n])
            score = model.score(X[n:], y[n:])
            took = time.perf_counter() - begun
            self.n_tried_ += 1
            if score > best_score:
                best_score, self.best_params_ = score, params
        best = clone(self.estimator).set_params(**self.best_params_)
        self.best_estimator_ = self._learn(best, X, y)
        return self

    def _learn(self, model, X, y):
        return model.partial_fit(X, y, classes=np.unique(y)) if self.one_pass else model.fit(X, y)

    def predict(self, X):
        return self.best_estimator_.predict(X)


def boosting(seconds, seed):
    """HistGradientBoosting, tuned for so many seconds."""
    distributions = {
        "learning_rate": loguniform(0.02, 0.5),
        "max_leaf_nodes": [7, 15, 31, 63],
        "max_iter": [50, 100, 200],
        "min_samples_leaf": [5, 20, 50],
        "l2_regularization": [0.0, 0.1, 1.0, 10.0],
    }
    model = HistGradientBoostingClassifier(random_state=seed)
    return TimedSearch(model, distributions, seconds, seed)


# ---------------------------------------------------------------------------
# Linear
# ---------------------------------------------------------------------------


def linear_candidates(seed, quick=False):
    """A pipeline of one step, and sixty candidates for it: twenty of each family."""
    n = 2 if quick else 10
    grid = [
        {
            "model": [PassiveAggressiveClassifier(random_state=seed)],
            "model__C": np.logspace(-5, 0, n).tolist(),
            "model__loss": ["hinge", "squared_hinge"],
        },
        {
            "model": [AROWClassifier(random_state=seed)],
            "model__r": np.logspace(-3, 4, 2 * n).tolist(),
        },
        {
            "model": [SCWClassifier(random_state=seed)],
            "model__C": np.logspace(-5, 0, n).tolist(),
            "model__eta": [0.6, 0.9],
        },
    ]
    return Pipeline([("model", PassiveAggressiveClassifier())]), grid


def sgd(seconds, seed):
    """SGDClassifier, one pass, tuned for so many seconds."""
    distributions = {
        "loss": ["hinge", "log_loss", "modified_huber"],
        "alpha": loguniform(1e-7, 1e-2),
        "learning_rate": ["optimal", "invscaling", "adaptive"],
        "eta0": loguniform(1e-3, 1e0),
        "average": [False, True],
    }
    model = SGDClassifier(random_state=seed)
    return TimedSearch(model, distributions, seconds, seed, one_pass=True)
