"""What the classifiers that solve a dual problem have in common: parameters of SVC, a plan."""

import functools
import inspect
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator

from .._estimator import params_of
from .._sklearn_compat import Interval, StrOptions
from ._analysis._probabilities import PROBABILITIES
from ._choice import AllSamples
from ._dual_estimator import ONLINE_CONSTRAINTS, DualEstimator
from ._epochs import EPOCHS
from ._plan import is_precomputed, plan_of, refuse_limits
from ._spec import ALGORITHMS, GapDrivenSpec, LasvmSpec
from ._targets import ClassTargets

# Parameters of SVC without a counterpart: the values that change nothing here, which are accepted
# and dropped, and the alternative to others.
KEYWORDS = {
    "probability": ((False, "deprecated"), PROBABILITIES),
    "decision_function_shape": (
        ("ovr",),
        "decision_function has one column for each class, as with 'ovr'; for 'ovo' use "
        "OneVsOneClassifier(estimator)",
    ),
    # SVC breaks ties between votes of pairs; here there are no votes.
    "break_ties": ((False,), "predict uses the largest decision value, as with break_ties=True"),
}


# Parameters of classifiers that may solve a problem for each pair of classes.
MULTICLASS_CONSTRAINTS = {
    "multi_class": [StrOptions({"ovo", "ovr"})],
    "decision_function_shape": [StrOptions({"ovo", "ovr"})],
    "break_ties": ["boolean"],
}


def without_svc_defaults(params, own):
    """Return parameters without those of SVC whose values change nothing here.

    ``own`` are the parameters that exist here. Of these only ``"deprecated"`` is left out, the
    default of a parameter that SVC is about to remove.
    """
    return {
        name: value
        for name, value in params.items()
        if name not in KEYWORDS
        or not _is_one_of(value, ("deprecated",) if name in own else KEYWORDS[name][0])
    }


def _is_one_of(value, accepted):
    return isinstance(value, bool | str) and value in accepted


def without_keywords_of_svc(init):
    """Decorate ``__init__`` to accept SVC's defaults of parameters that do not exist here.

    Other values raise a TypeError that names the alternative. The signature, from which
    scikit-learn reads the parameters, remains that of ``init``.
    """
    own = inspect.signature(init).parameters

    @functools.wraps(init)
    def checked_init(self, *args, **kwargs):
        kwargs = without_svc_defaults(kwargs, own)
        for name in (KEYWORDS.keys() & kwargs.keys()) - own.keys():
            raise TypeError(
                f"{type(self).__name__} got an unexpected keyword argument {name!r}: "
                f"{KEYWORDS[name][1]}."
            )
        init(self, *args, **kwargs)

    return checked_init


# -------------------------------------------------------------------------------- parameters

# Parameters of all classifiers that solve a dual problem.
CLASS_CONSTRAINTS: dict = {
    "C": [Interval(Real, 0.0, None, closed="right")],
    **DualEstimator._parameter_constraints,
    "ramp_s": [Interval(Real, None, 1.0, closed="neither")],
}

# Parameters of those that LASVM trains.
ONLINE_CLASS_CONSTRAINTS: dict = {
    **ONLINE_CONSTRAINTS,
    **CLASS_CONSTRAINTS,
    "algorithm": [StrOptions(set(ALGORITHMS))],
    "delta_max": [Interval(Real, 0.0, None, closed="neither"), None],
    "class_weight": [StrOptions({"balanced", "online_balanced"}), dict, None],
    "warm_start": ["boolean"],
}
FIXED_PARAMS = (*DualEstimator._fixed_params, "algorithm")
ADJUSTABLE_PARAMS = (
    *("C", "class_weight", "tol", "delta_max", "finishing", "ramp_s", "shrinking"),
    *("cache_size", "n_jobs", "window_size"),
)


def plan_of_classes(estimator, *, choice=AllSamples, refusals=(), **more_params):
    """Return the plan of a classifier that LASVM trains, with parameters that it does not have."""
    params = params_of(estimator, **more_params)
    return plan_of(
        estimator,
        params,
        ClassTargets,
        solver_of_classes,
        EPOCHS,
        choice=choice,
        in_batch=choice is AllSamples,
        refusals=(refuse_limits, refuse_balanced_stream, *refusals),
        has_finite_costs=params.algorithm in ("lasvm-nc", "lasvm-i"),
    )


def solver_of_classes(params, targets):
    """Return the specification of the solver."""
    common = dict(
        tol=float(params.tol), shrinking=bool(params.shrinking), window_size=params.window_size
    )
    if params.algorithm == "lasvm":
        delta_max = np.inf if params.delta_max is None else float(params.delta_max)
        return LasvmSpec(delta_max=delta_max, **common)
    return GapDrivenSpec(
        algorithm=params.algorithm,
        gap_floor=float(params.C),
        ramp_s=float(params.ramp_s),
        **common,
    )


def refuse_balanced_stream(plan, in_stream):
    """Raise ValueError for class weights that a stream cannot have."""
    if in_stream and plan.params.class_weight == "balanced":
        raise ValueError(
            "class_weight='balanced' is not supported for partial_fit: the class counts of a "
            "stream are unknown. Use class_weight='online_balanced', or a dict of weights."
        )


def refuse_probability_of_matrix(plan, in_stream):
    """Raise ValueError for probabilities that need kernel values which are not stored."""
    if plan.params.probability and is_precomputed(plan.params.kernel):
        raise ValueError(
            "probability=True is not possible with kernel='precomputed': kernel values "
            "between support vectors are not stored. Set probability=False and "
            f"{PROBABILITIES}."
        )


# -------------------------------------------------------------------------------- classes

# Methods and attributes of these classifiers.


def set_params(self, **params):
    """Set the parameters of this estimator.

    Parameters of ``SVC`` that do not exist here are ignored if they have the default of
    ``SVC``, so that ``set_params(**SVC().get_params())`` works.

    Parameters
    ----------
    **params : dict
        Estimator parameters.

    Returns
    -------
    self : object
        Estimator instance.

    Raises
    ------
    ValueError
        If a parameter does not exist.
    """
    own = self._get_param_names()
    return BaseEstimator.set_params(self, **without_svc_defaults(params, own))


@property
def classes_(self):
    """Class labels."""
    return self._fitted.targets.classes


@property
def class_weight_(self):
    """Multiplier of C for each class."""
    return self._fitted.targets.factors


@property
def n_admitted_(self):
    """Number of samples added to the support set, by position on the ramp."""
    return _flow(self, 0)


@property
def n_cleaned_(self):
    """Number of samples removed by CLEAN, by position on the ramp when they were added."""
    return _flow(self, 1)


@property
def n_skipped_(self):
    """Number of samples skipped, by position on the ramp."""
    return _flow(self, 2)


# Attributes of those that select samples.


@property
def n_labels_used_(self):
    """Number of samples whose labels were used for training."""
    return self._fitted.n_labels


@property
def stopped_early_(self):
    """Whether ``stopping`` ended the last ``fit`` or chunk before all samples were used."""
    return self._fitted.stopped


def _flow(model, which):
    """Return a count of each problem by position on the ramp."""
    with model._reading() as (machine, _):
        if machine.spec.solver.has_bias:
            raise AttributeError("counted only by the algorithms lasvm-g, -nc, -i and -full")
        return np.array([problem.flow()[which] for problem in machine.engine.problems])


def add_classes(self, classes):
    """Add problems for new classes to a fitted model, which must be a draft."""
    self._machine = self._machine.extended(classes)
