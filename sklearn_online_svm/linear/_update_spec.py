"""The specification of an update: plain values, also read from a stored model."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class UpdateSpec:
    """Parameters of the update loop, derived from those of an estimator."""

    rule: dict
    target_margins: dict = field(default_factory=dict)
    fit_intercept: bool = True
    # Value of the constant feature of the intercept, for dense and for sparse samples.
    intercept_scaling: tuple = (1.0, 1.0)
    covariance: str | None = None
    start_variance: float = 1.0
    crammer_singer: bool = False
    # Number of samples before averaging begins; None: no average.
    average_from: int | None = None
    # Parameters of local models: n_prototypes, n_neighbors, lam; None: a single hyperplane.
    local: dict | None = None
    # The result of ``rules_of``; None: no advice.
    advice: dict | None = None

    @property
    def derived(self):
        """Whether the weights that predict are computed from the stored ones."""
        return self.average_from is not None or self.advice is not None
