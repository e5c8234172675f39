"""What a training call needs to know of an estimator: its parameters, and what follows from them.

An estimator has one hook, ``_plan``, which returns a :class:`Plan`. Training is functions of a
plan, a :class:`Machine` and samples; none of them reads the parameters of an estimator.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

from .._estimator import params_getter
from ._choice import AllSamples

# Parameters that limit the support set: samples that are removed must not be added again.
LIMITS = "window_size", "max_support_vectors"


@dataclass(frozen=True)
class Plan:
    """How an estimator is trained."""

    name: str  # name of the estimator, for messages
    # A copy of all parameters, and values of parameters that the estimator does not have.
    params: SimpleNamespace
    values: tuple  # the parameters when the plan was made
    limits: dict  # limits of the support set that are given, by name
    targets: type  # class of the encoded targets, a subclass of :class:`Targets`
    solver: Callable  # returns the :class:`SolverSpec` for ``params`` and targets
    # Procedure: how ``fit`` trains, unless a small set is optimized at once (``procedure_of``).
    procedure: object
    most_passes: int | str  # number of epochs; -1: as many as needed
    # Whether the support set is optimized at the end of ``fit`` and for predictions.
    finishing: bool
    starts_warm: bool  # whether ``fit`` starts from the solution of the previous ``fit``
    is_single: bool  # whether ``fit`` visits each sample once
    # The sparse layouts of X that are accepted: ``accept_sparse`` of scikit-learn.
    layouts: str | bool
    # Whether samples are kept beside the support vectors, for probabilities or intervals.
    keeps_samples: bool
    replay_size: int  # maximum number of samples of a stream that are stored to be visited again
    choice: type = AllSamples  # which samples are used, and in what order
    in_batch: bool = False  # whether all samples of a small set can be optimized at once
    # Functions of the plan and of ``in_stream``, which raise ValueError for parameters that cannot
    # be combined, or not in a stream.
    refusals: tuple = ()
    has_finite_costs: bool = False  # whether infinite upper bounds of alpha are refused
    # Whether a problem is told which samples it has not counted before.
    counts_new_samples: bool = False


def plan_of(estimator, params, targets, solver, procedure, *, most_passes=None, **options):
    """Return the plan of an estimator, given the result of :func:`params_of`.

    ``most_passes`` is ``max_iter`` by default, but 1 for "auto" where a single epoch is possible
    only: with the ramp loss, samples that were skipped as outliers would be added in others.
    ``options``: other fields of :class:`Plan`.
    """
    given, most = vars(params), params.max_iter if most_passes is None else most_passes
    limits = {name: given[name] for name in LIMITS if given.get(name) is not None}
    finishing, starts_warm = bool(given.get("finishing", True)), given.get("warm_start", False)
    if most == "auto" and (options.get("has_finite_costs") or not finishing or limits):
        most = 1
    return Plan(
        type(estimator).__name__,
        params,
        params_getter(type(estimator))(estimator),
        limits,
        targets,
        solver,
        procedure,
        most,
        finishing,
        starts_warm,
        is_single=most == 1 and not starts_warm,
        layouts=False if is_precomputed(params.kernel) else "csr",
        keeps_samples=given.get("probability", False) or given.get("intervals", False),
        # A window or budget forgets what replay would bring back, and LASVM-FULL forgets nothing.
        replay_size=0
        if limits or given.get("algorithm") == "lasvm-full"
        else given.get("replay_size", 0),
        **options,
    )


def is_precomputed(kernel):
    """Return whether X holds kernel values."""
    return isinstance(kernel, str) and kernel == "precomputed"


def refuse_limits(plan, in_stream):
    """Raise ValueError for limits of the support set that need a single epoch from scratch."""
    if in_stream or plan.is_single:
        return
    warm = hasattr(plan.params, "warm_start")
    for name, value in plan.limits.items():
        raise ValueError(
            f"{name}={value} requires a single epoch{' from scratch' if warm else ''}, "
            "because another epoch would add the removed samples again: max_iter=1"
            f"{' and warm_start=False' if warm else ''}, got max_iter={plan.most_passes}"
            f"{f' and warm_start={plan.starts_warm}' if warm else ''}."
        )
