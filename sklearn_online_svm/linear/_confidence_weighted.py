"""Second-order learners that know how sure they are of each weight: CW, SCW, AROW."""

from numbers import Real

from scipy.stats import norm
from sklearn.utils._param_validation import Interval, StrOptions

from ._second_order import SecondOrder
from ._state import Method


class ConfidenceWeightedClassifier(SecondOrder):
    """TODO"""

    _parameter_constraints: dict = {
        **SecondOrder._parameter_constraints,
        "eta": [Interval(Real, 0.5, 1.0, closed="neither")],
        "covariance": [StrOptions({"diag", "full"})],
    }
    _fixed = ("fit_intercept", "covariance")
    _tunable = ("eta",)

    def __init__(
        self,
        *,
        eta=0.7,
        covariance="diag",
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
        self.eta = eta
        self.covariance = covariance

    def _method(self):
        return Method(
            rule={"name": "confidence", "phi": float(norm.ppf(self.eta))},
            fit_intercept=bool(self.fit_intercept),
            covariance=self.covariance,
        )


class SCWClassifier(SecondOrder):
    """TODO"""

    _parameter_constraints: dict = {
        **SecondOrder._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "eta": [Interval(Real, 0.5, 1.0, closed="neither")],
        "covariance": [StrOptions({"diag", "full"})],
    }
    _fixed = ("fit_intercept", "covariance")
    _tunable = ("C", "eta", "loss")

    def __init__(
        self,
        *,
        C=1.0,
        eta=0.7,
        loss="hinge",
        covariance="diag",
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
        self.C = C
        self.eta = eta
        self.loss = loss
        self.covariance = covariance

    def _method(self):
        name = "soft_confidence" if self.loss == "hinge" else "squared_confidence"
        return Method(
            rule={"name": name, "C": float(self.C), "phi": float(norm.ppf(self.eta))},
            fit_intercept=bool(self.fit_intercept),
            covariance=self.covariance,
        )


class AROWClassifier(SecondOrder):
    """TODO"""

    _parameter_constraints: dict = {
        **SecondOrder._parameter_constraints,
        "r": [Interval(Real, 0.0, None, closed="neither")],
        "covariance": [StrOptions({"diag", "full"})],
    }
    _fixed = ("fit_intercept", "covariance")
    _tunable = ("r",)

    def __init__(
        self,
        *,
        r=1.0,
        covariance="diag",
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
        self.r = r
        self.covariance = covariance

    def _method(self):
        return Method(
            rule={"name": "arow", "r": float(self.r)},
            fit_intercept=bool(self.fit_intercept),
            covariance=self.covariance,
        )
