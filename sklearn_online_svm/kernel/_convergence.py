"""Limits of the number of steps, and what is said if they prevent convergence."""

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._validation import warn
from ._engine import EXPONENTIAL

# Maximum number of steps of one call on the support set (REPROCESS and finish), for each of k
# binary problems: max(MAX_STEPS / k, MAX_STEPS_PER_SAMPLE * n_samples). Without a limit a call
# might run for a very long time if features or C are very large, or if the kernel is not positive
# semidefinite. Typical problems need a small fraction of them.
MAX_STEPS = 5_000_000
MAX_STEPS_PER_SAMPLE = 2500


def most_steps(engine, n_rows=None):
    """Return the maximum number of steps on so many samples; None: on the support set."""
    if n_rows is None:
        n_rows = max(problem.members.n_members for problem in engine.problems)
    return max(MAX_STEPS // len(engine.problems), MAX_STEPS_PER_SAMPLE * n_rows)


def violation_among_members(engine):
    """Return the largest violation of the optimality conditions in the support set."""
    return max(problem.delta for problem in engine.problems)


def is_solved(engine):
    """Return whether the problems over the support set are solved to tol."""
    return all(problem.delta <= problem.tau for problem in engine.problems)


def warn_unless_solved(model):
    """Warn if the step limit, or the precision of a double, prevented convergence."""
    engine = model._engine
    violation, tolerance = violation_among_members(engine), model._tolerance()
    if is_solved(engine) and violation <= max(tolerance, 1e-3):
        return
    reason = (
        "at the maximum number of steps"
        if engine.out_of_steps
        else "at the limit of floating-point precision"
    )
    warn(
        f"{type(model).__name__} stopped {reason}: the largest violation is {violation:.3g}, "
        f"tol is {tolerance:.3g}. {advice(model)}",
        ConvergenceWarning,
    )


def warn_if_cut_short(model):
    """Warn if REPROCESS reached its maximum number of steps after a sample."""
    if model._engine.cut_short:
        warn(
            "REPROCESS reached the maximum number of steps after a sample and left a violation of "
            f"up to {violation_among_members(model._engine):.3g} in the support set. "
            f"{advice(model)} A larger delta_max helps, too, where one is given.",
            ConvergenceWarning,
        )


def advice(model):
    """Return what helps if training does not converge."""
    if model._targets.advice_for_hard_margin and np.isinf(model.C):
        return model._targets.advice_for_hard_margin
    if not hasattr(model, "C"):
        return "Scale the features (StandardScaler), or use a larger tol, or another kernel."
    smaller = dict.fromkeys(("rbf", *EXPONENTIAL), "C or another gamma")
    smaller |= dict.fromkeys(("sigmoid", "poly"), "C, gamma or coef0")
    kernel = model.kernel if isinstance(model.kernel, str) else None
    return (
        f"Scale the features (StandardScaler), or use a smaller {smaller.get(kernel, 'C')}, a "
        "larger tol, or another kernel."
    )
