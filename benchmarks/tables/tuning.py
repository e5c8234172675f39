"""Searches for the parameters of models on a table."""

import numpy as np
from scipy.stats import loguniform, randint
from sklearn.model_selection import ParameterSampler, train_test_split

from sklearn_online_svm.model_selection import ProgressiveSearch

from ..sets.tables import CLASSES
from .models import LASVM, boosting, catboost, metric_pipeline, with_scaled_target

N_TRIALS, HELD_OUT = 30, 0.25
C_VALUES, GAMMA_VALUES = (1, 4, 16, 64), (0.25, 0.5, 1, 2)
BOOSTING = {
    "learning_rate": loguniform(0.01, 0.3),
    "max_iter": randint(300, 1001),
    "max_leaf_nodes": randint(8, 64),
    "min_samples_leaf": randint(5, 61),
    "l2_regularization": loguniform(1e-3, 10),
}
CATBOOST = {
    "learning_rate": loguniform(0.01, 0.3),
    "iterations": randint(300, 1001),
    "depth": randint(4, 9),
    "l2_leaf_reg": loguniform(1, 30),
}


class RandomTrials:
    """Model with the best of some random parameters, by the error on a quarter of the samples."""

    def __init__(self, make, params, kind, seed, n_trials):
        self.make, self.params, self.kind, self.seed = make, params, kind, seed
        self.n_trials = n_trials

    def fit(self, X, y):
        X_part, X_held, y_part, y_held = train_test_split(
            X, y, test_size=HELD_OUT, random_state=self.seed
        )
        trials = list(ParameterSampler(self.params, self.n_trials, random_state=self.seed))
        errors = [
            error_of(self.kind, y_held, self._fitted(X_part, y_part, trial).predict(X_held))
            for trial in trials
        ]
        self.model_ = self._fitted(X, y, trials[int(np.argmin(errors))])
        return self

    def _fitted(self, X, y, params):
        return self.make(self.kind, self.seed, X, **params).fit(X, y)

    def predict(self, X):
        return self.model_.predict(X)


def error_of(kind, y, predicted):
    """Return the share of wrong predictions, or of the variance that is not explained."""
    if kind == CLASSES:
        return float(np.mean(np.ravel(predicted) != y))
    return float(np.mean((y - predicted) ** 2) / np.var(y))


def _metric(kind, seed, n_trials):
    machine = LASVM[kind].__name__.lower()
    grid = {f"{machine}__C": list(C_VALUES), f"{machine}__gamma": list(GAMMA_VALUES)}
    search = ProgressiveSearch(metric_pipeline(kind, seed), grid, random_state=seed)
    return with_scaled_target(search, kind)


SEARCHES = {
    "metric": _metric,
    "boosting": lambda *given: RandomTrials(boosting, BOOSTING, *given),
    "catboost": lambda *given: RandomTrials(catboost, CATBOOST, *given),
}
