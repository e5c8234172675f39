"""Models of `tables`, at their defaults; each is a function of kind, seed and training samples."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import (
    TransformedTargetRegressor,
    make_column_selector,
    make_column_transformer,
)
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

from sklearn_online_svm import LASVC, LASVR, KernelMetric

from ..sets.tables import CLASSES, REGRESSION

LASVM = {CLASSES: LASVC, REGRESSION: LASVR}


def encoder():
    """Return indicators of categories, and standardized numbers."""
    indicators = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    is_category = make_column_selector(dtype_include="category")
    return make_column_transformer((indicators, is_category), remainder=StandardScaler())


def with_scaled_target(model, kind):
    """Return the model, of regression for a standardized target."""
    if kind == CLASSES:
        return model
    return TransformedTargetRegressor(model, transformer=StandardScaler())


def metric_pipeline(kind, seed, **options):
    """Return a metric with `options`, and a support vector machine behind it."""
    machine = LASVM[kind](kernel="laplacian", gamma=1.0, C=8, random_state=seed)
    return make_pipeline(KernelMetric(random_state=seed, **options), machine)


def boosting(kind, seed, X, **params):
    is_classifier = kind == CLASSES
    make = HistGradientBoostingClassifier if is_classifier else HistGradientBoostingRegressor
    return make(categorical_features="from_dtype", random_state=seed, **params)


def _lightgbm(kind, seed, X):
    import lightgbm

    make = lightgbm.LGBMClassifier if kind == CLASSES else lightgbm.LGBMRegressor
    return make(n_jobs=1, random_state=seed, verbosity=-1)


def catboost(kind, seed, X, **params):
    import catboost as package

    make = package.CatBoostClassifier if kind == CLASSES else package.CatBoostRegressor
    return make(
        cat_features=list(X.select_dtypes("category")),
        thread_count=1,
        random_seed=seed,
        allow_writing_files=False,
        verbose=False,
        **params,
    )


class XRFM(BaseEstimator):
    """xRFM, which needs samples to choose its iteration on: a fifth of the training samples."""

    def __init__(self, seed=0):
        self.seed = seed

    def fit(self, X, y):
        from xrfm import xRFM

        X, X_held, y, y_held = train_test_split(X, y, test_size=0.2, random_state=self.seed)
        self.model_ = xRFM(n_threads=1, random_state=self.seed, verbose=False)
        self.model_.fit(X, y, X_held, y_held)
        return self

    def predict(self, X):
        return self.model_.predict(X)


def _xrfm(kind, seed, X):
    import xrfm  # noqa: F401 - the time of the import is not that of the fit

    return with_scaled_target(make_pipeline(encoder(), XRFM(seed)), kind)


def _svm(kind, seed, X):
    """SVC or SVR, for numbers only."""
    machine = SVC() if kind == CLASSES else SVR()
    return with_scaled_target(make_pipeline(StandardScaler(), machine), kind)


MODELS = {
    "metric": lambda kind, seed, X: with_scaled_target(metric_pipeline(kind, seed), kind),
    "without": lambda kind, seed, X: with_scaled_target(
        metric_pipeline(kind, seed, shrinkage=np.inf), kind
    ),
    "lasvm": lambda kind, seed, X: with_scaled_target(
        make_pipeline(encoder(), LASVM[kind](random_state=seed)), kind
    ),
    "svm": _svm,
    "boosting": boosting,
    "lightgbm": _lightgbm,
    "catboost": catboost,
    "xrfm": _xrfm,
}
OURS = ("metric", "without", "lasvm")
PEERS = ("boosting", "lightgbm", "catboost", "xrfm")
