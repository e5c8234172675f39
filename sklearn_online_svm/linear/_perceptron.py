"""Perceptrons of first and second order."""

from numbers import Real

from sklearn.utils._param_validation import Interval, StrOptions

from ._classifier import LinearClassifier
from ._learner import AVERAGE, average_from
from ._second_order import SecondOrder
from ._state import Method


class PerceptronClassifier(LinearClassifier):
    """TODO"""

    _parameter_constraints: dict = {
        **LinearClassifier._parameter_constraints,
        "positive_margin": [Interval(Real, None, None, closed="neither")],
        "negative_margin": [Interval(Real, None, None, closed="neither")],
        "average": AVERAGE,
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
    }
    _fixed = ("fit_intercept", "average", "multi_class")
    _tunable = ("positive_margin", "negative_margin")

    def __init__(
        self,
        *,
        positive_margin=0.0,
        negative_margin=0.0,
        average=False,
        multi_class="ovr",
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        shuffle=True,
        verbose=0,
        n_jobs=None,
        random_state=None,
        warm_start=False,
        class_weight=None,
    ):
        super().__init__(
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            tol=tol,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            shuffle=shuffle,
            verbose=verbose,
            n_jobs=n_jobs,
            random_state=random_state,
            warm_start=warm_start,
            class_weight=class_weight,
        )
        self.positive_margin = positive_margin
        self.negative_margin = negative_margin
        self.average = average
        self.multi_class = multi_class

    def _method(self):
        return Method(
            rule={"name": "perceptron"},
            demands={
                "positive": float(self.positive_margin),
                "negative": float(self.negative_margin),
            },
            fit_intercept=bool(self.fit_intercept),
            crammer_singer=self.multi_class == "crammer_singer",
            average_from=average_from(self.average),
        )


class SecondOrderPerceptronClassifier(SecondOrder):
    """TODO"""

    _parameter_constraints: dict = {
        **LinearClassifier._parameter_constraints,
        "a": [Interval(Real, 0.0, None, closed="neither")],
        "covariance": [StrOptions({"diag", "full"})],
    }
    _fixed = ("fit_intercept", "covariance", "a")
    _tunable = ()

    def __init__(
        self,
        *,
        a=1.0,
        covariance="full",
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        shuffle=True,
        verbose=0,
        n_jobs=None,
        random_state=None,
        warm_start=False,
        class_weight=None,
    ):
        super().__init__(
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            tol=tol,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            shuffle=shuffle,
            verbose=verbose,
            n_jobs=n_jobs,
            random_state=random_state,
            warm_start=warm_start,
            class_weight=class_weight,
        )
        self.a = a
        self.covariance = covariance

    def _method(self):
        return Method(
            rule={"name": "second_order"},
            fit_intercept=bool(self.fit_intercept),
            covariance=self.covariance,
            start_variance=1.0 / float(self.a),
        )
