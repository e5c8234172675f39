"""Cost-sensitive passive-aggressive learning."""

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ._classifier import LinearClassifier
from ._state import Method


class CostSensitivePassiveAggressiveClassifier(LinearClassifier):
    """TODO"""

    _parameter_constraints: dict = {
        **LinearClassifier._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "objective": [StrOptions({"sum", "cost"})],
        "rule": [StrOptions({"cost-sensitive", "prediction", "max_loss"})],
        "rho": [Interval(Real, 0.0, None, closed="neither"), "array-like", None],
        "eta_p": [Interval(Real, 0.0, 1.0, closed="neither")],
        "cost_p": [Interval(Real, 0.0, None, closed="neither"), None],
        "cost_n": [Interval(Real, 0.0, None, closed="neither"), None],
        "pos_label": "no_validation",
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
    }
    _fixed = ("fit_intercept", "multi_class")
    _tunable = ("C", "objective", "rule", "rho", "eta_p", "cost_p", "cost_n", "pos_label")

    def __init__(
        self,
        *,
        C=1.0,
        objective="sum",
        rule="cost-sensitive",
        rho=None,
        eta_p=0.5,
        cost_p=None,
        cost_n=None,
        pos_label=None,
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
        self.C = C
        self.objective = objective
        self.rule = rule
        self.rho = rho
        self.eta_p = eta_p
        self.cost_p = cost_p
        self.cost_n = cost_n
        self.pos_label = pos_label
        self.multi_class = multi_class

    def _method(self):
        return Method(
            rule={
                "name": "prediction" if self.rule == "prediction" else "hinge",
                "C": float(self.C),
            },
            demands=self._demands(),
            fit_intercept=bool(self.fit_intercept),
            crammer_singer=self.multi_class == "crammer_singer" and len(self.classes_) > 2,
        )

    def _current_values(self):
        values = super()._current_values()
        return [value.tolist() if isinstance(value, np.ndarray) else value for value in values]

    def _demands(self):
        """The margins that rows are to have."""
        root = self.rule != "cost-sensitive"
        if len(self.classes_) > 2 and self.multi_class == "crammer_singer":
            if not root:
                raise ValueError(
                    "multi_class='crammer_singer' is for rule='prediction' and rule='max_loss'; "
                    "got rule='cost-sensitive', which is one class against the rest."
                )
            return {
                "pairs": np.sqrt(self._costs_of_pairs()),
                "max_loss": self.rule == "max_loss",
            }
        first = self._positive_is_first()
        demands = {"sign": -1.0 if first else 1.0, "root": root}
        rho = self._fixed_rho(first)
        if rho is None:
            weighted = self.objective == "sum"
            demands["running"] = True
            demands["eta_ratio"] = self.eta_p / (1.0 - self.eta_p) if weighted else 1.0
            return demands
        # `negative` and `positive` are the margins of other rows and of positive rows.
        rho_n, rho_p = rho
        demands["positive"] = np.sqrt(rho_p) if root else rho_p
        demands["negative"] = np.sqrt(rho_n) if root else rho_n
        return demands

    def _fixed_rho(self, first):
        """What rows of the negative and the positive class cost, or None: by running counts."""
        if self.rho is not None:
            rho = np.asarray(self.rho, dtype=np.float64)
            if rho.ndim == 0:
                return 1.0, float(rho)
            if len(self.classes_) > 2:
                raise ValueError(
                    "a matrix of costs, rho, needs multi_class='crammer_singer' where there are "
                    f"more than two classes; got multi_class={self.multi_class!r}."
                )
            rho = self._costs_of_pairs()
            return (rho[1, 0], rho[0, 1]) if first else (rho[0, 1], rho[1, 0])
        if self.objective == "cost" and (self.cost_p is not None or self.cost_n is not None):
            if self.cost_p is None or self.cost_n is None:
                raise ValueError(
                    "cost_p and cost_n must be given both, or none; got "
                    f"cost_p={self.cost_p!r}, cost_n={self.cost_n!r}."
                )
            return 1.0, self.cost_p / self.cost_n
        return None

    def _costs_of_pairs(self):
        """rho[y, r], the cost of saying r for y."""
        n_classes = len(self.classes_)
        if self.rho is None:
            return 1.0 - np.eye(n_classes)
        rho = np.asarray(self.rho, dtype=np.float64)
        if rho.ndim == 0:
            return float(rho) * (1.0 - np.eye(n_classes))
        if rho.shape != (n_classes, n_classes):
            raise ValueError(
                f"rho must be a number or have shape {(n_classes, n_classes)}, got {rho.shape}."
            )
        others = rho[~np.eye(n_classes, dtype=bool)]
        if not (np.isfinite(rho).all() and (others > 0).all() and not np.diag(rho).any()):
            raise ValueError(
                "rho, a matrix of costs, must be 0 on its diagonal and positive elsewhere."
            )
        return rho

    def _positive_is_first(self):
        """Whether ``pos_label`` is the first of two classes."""
        if len(self.classes_) > 2 or self.pos_label is None:
            return False
        known = self.classes_ == self.pos_label
        if not known.any():
            raise ValueError(
                f"pos_label={self.pos_label!r} is none of the classes {self.classes_.tolist()}."
            )
        return bool(known[0])
