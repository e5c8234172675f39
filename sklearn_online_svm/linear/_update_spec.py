"""The specification of an update: plain values, also read from a stored model."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Method:
    """Parameters of the update loop, derived from those of an estimator."""

    rule: dict
    demands: dict = field(default_factory=dict)
    fit_intercept: bool = True
    # The constant feature that makes the intercept, for dense and for sparse rows.
    intercept_scaling: tuple = (1.0, 1.0)
    covariance: str | None = None
    start_variance: float = 1.0
    crammer_singer: bool = False
    # Rows before the first that counts for the average; None: no average.
    average_from: int | None = None
    # Components of regions: n_prototypes, n_neighbors, lam. None: one hyperplane.
    local: dict | None = None
    # The rules of ``_advice_rules.py``; None: no advice.
    advice: dict | None = None

    @property
    def derived(self):
        """Whether the weights that predict are computed from those that are kept."""
        return self.average_from is not None or self.advice is not None
