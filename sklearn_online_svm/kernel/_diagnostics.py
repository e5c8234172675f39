"""Diagnostics of a solution: limits of steps that prevented convergence, coarse kernel values."""

from dataclasses import replace

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

from .. import _limits
from .._core.kernel.vectors import stores
from .._feature_space import Kernel
from .._validation import warn
from ._engine import EXPONENTIAL, short

# Kernels with values between -1 and 1, whose rounding does not matter.
BOUNDED = ("rbf", "laplacian", "chi2", "tanimoto", "cosine")

# Uncertainty of decision values that causes a warning; the margin is 1.
COARSE = 0.01

# Number of support vectors whose kernel values are compared.
N_COMPARED = 50


# -------------------------------------------------------------------------------- convergence


def most_steps(engine, n_rows=None):
    """Return the maximum number of steps on so many samples; None: on the support set."""
    if n_rows is None:
        n_rows = max(problem.members.n_members for problem in engine.problems)
    n_steps = _limits.MAX_STEPS // engine.n_problems_of_sample
    return max(n_steps, _limits.MAX_STEPS_PER_SAMPLE * n_rows)


def violation_among_members(engine):
    """Return the largest violation of the optimality conditions in the support set."""
    return max(problem.delta for problem in engine.problems)


def is_solved(engine):
    """Return whether the problems over the support set are solved to tol."""
    return all(problem.delta <= problem.tau for problem in engine.problems)


def warn_unless_solved(model):
    """Warn if the step limit, or the precision of a double, prevented convergence."""
    engine = model._engine
    violation, tolerance = violation_among_members(engine), model._targets.tolerance(model.tol)
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


# -------------------------------------------------------------------------------- precision


def refuse_overflow(model):
    """Raise an error if the solution is not finite, as with an unbounded problem."""
    for problem in model._engine.problems:
        slots, (alpha, g, bias) = problem.slots(), problem.solution()
        if np.isfinite([alpha[slots], g[slots]]).all() and np.isfinite(bias):
            continue
        names = [name for name in ("kernel", "C", "loss") if hasattr(model, name)]
        given = ", ".join(f"{name}={getattr(model, name)!r}" for name in names)
        raise ValueError(
            f"The coefficients of {type(model).__name__} are beyond the range of double "
            f"precision with {given}. Use a positive definite kernel, or a smaller C."
        )


def coarseness(model):
    """Return the uncertainty of decision values, or 0 when below the warning threshold."""
    engine, spec = model._engine, model._spec
    if spec.kernel in BOUNDED:
        return 0.0  # values of at most 1 are too coarse only if C is very large
    found = uncertainty(engine)
    if spec.kernel == "sigmoid" and is_saturated(engine):
        found = max(found, 1.0)
    scale = model._targets.scale_of_members(engine)
    tolerance = model._targets.tolerance(model.tol)
    return found if found > max(tolerance, COARSE * scale) else 0.0


def has_constant_kernel(model):
    """Return whether different support vectors have the same kernel values, by rounding."""
    engine, spec = model._engine, model._spec
    if spec.kernel not in BOUNDED or spread(engine) > uncertainty(engine):
        return False
    rows = engine.current_solution().vectors()[:N_COMPARED]
    rows = rows.toarray() if issparse(rows) else rows
    rounding = 8.0 * np.finfo(np.float32).eps
    if not (len(rows) and (np.ptp(rows, axis=0) > rounding * np.abs(rows).max(axis=0)).any()):
        return False
    values = Kernel.of(spec)(rows, rows)
    return np.ptp(values) <= rounding * np.abs(values).max()


def warn_if_coarse(model, uncertain):
    """Warn when kernel values in single precision are too coarse for the solution."""
    if uncertain:
        effect = "are all the same"
        if np.isfinite(uncertain):
            effect = f"are uncertain by about {uncertain:.1g}{model._targets.margin_note}"
        warn(
            "Kernel values are rounded to single precision, and the decision function values of "
            f"this {type(model).__name__} {effect}. The usual cause is features with large "
            "values, or with a mean that is large compared with their spread: scale them, for "
            "example with sklearn.preprocessing.StandardScaler."
        )


def recentre_if_coarse(model):
    """Move the origin to the mean of the support set if that helps; return whether it did.

    The first chunk of a stream does not always show that features are far from 0.
    """
    found, spec = coarseness(model), model._spec
    if not (found and spec.kernel == "linear" and spec.solver.may_move_origin):
        return False
    vectors = model._engine.current_solution().vectors()
    mean = np.asarray(vectors.mean(axis=0, dtype=np.float64)).ravel()
    spec = replace(spec, offset=short(mean), dtype="float64")
    engine = with_offset(model._engine, spec)
    if uncertainty(engine) > 0.5 * found:
        return False
    # One assignment, because other threads may predict.
    changed = dict(_spec=spec, _engine=engine, _dtype=np.dtype(np.float64))
    model.__dict__ = {**model.__dict__, **changed}
    return True


def with_offset(engine, spec):
    """Return an engine of ``spec``, which has an offset, with the content of ``engine``."""
    vectors = engine.store.vectors(np.arange(engine.store.n_slots))
    state = engine.state()
    state["store"] = stores.filled(spec.store(), vectors.astype(spec.dtype)).state()
    moved = spec.build()
    moved.restore(state)
    moved.discard_optimized()
    moved.recompute()
    return moved


def uncertainty(engine):
    """Estimate the error of decision values that is caused by the rounding of kernel values.

    The root mean square over the support set, for random rounding errors of values of size
    sqrt(K_ii K_jj).
    """
    largest = 0.0
    for problem in engine.problems:
        slots = problem.slots()
        alpha = problem.solution()[0][slots]
        size = np.abs(problem.members["diag"][slots].astype(np.float64))
        if len(slots):
            rounded = 2.0**-24 * np.sqrt(size.mean() * (alpha**2 @ size))
            largest = max(largest, rounded)
            if engine.store.offset is not None:
                # Rounding errors of doubles of the size of the squared offset.
                square = engine.store.offset @ engine.store.offset
                largest = max(largest, 2.0**-52 * square * np.sqrt(alpha @ alpha))
    return largest


def spread(engine):
    """Return the largest standard deviation of decision values over a support set."""
    return max(float(decisions(problem).std()) for problem in engine.problems)


def decisions(problem):
    """Return the decision values of the support set, without the bias; 0 if it is empty."""
    slots = problem.slots()
    alpha, g, _ = problem.solution()
    f = problem.sides()[0] - problem.members["ridge"] * alpha - g
    return f[slots] if len(slots) else np.zeros(1)


def is_saturated(engine):
    """Return whether K(x, x) = 1 for the whole support set: a sigmoid kernel is then saturated."""
    diagonals = [problem.members["diag"][problem.slots()] for problem in engine.problems]
    return any(len(values) > 1 and np.all(values == 1) for values in diagonals)
