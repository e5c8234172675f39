"""Diagnostics of a solution: limits of steps that prevented convergence, coarse kernel values."""

from dataclasses import replace

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

from .. import _limits
from .._core.kernel.vectors import stores
from .._feature_space import Kernel
from .._threads import warn
from ._first_samples import short
from ._optimum import Optimum
from ._spec import EXPONENTIAL

# Kernels with values between -1 and 1, whose rounding does not matter.
BOUNDED = ("rbf", "laplacian", "chi2", "tanimoto", "cosine")

# Uncertainty of decision values that causes a warning; the margin is 1.
COARSE = 0.01

# Number of support vectors whose kernel values are compared.
N_COMPARED = 50


# -------------------------------------------------------------------------------- convergence


def most_steps(engine):
    """Return the maximum number of steps on the support set."""
    n_rows = max(problem.members.n_members for problem in engine.problems)
    return most_steps_of(engine.n_problems_of_sample, n_rows)


def most_steps_of(n_problems_of_sample, n_rows):
    """Return the maximum number of steps of each problem on so many samples."""
    n_steps = _limits.MAX_STEPS // n_problems_of_sample
    return max(n_steps, _limits.MAX_STEPS_PER_SAMPLE * n_rows)


def violation_in(trained):
    """Return the largest violation in the support set, and whether none exceeds tol."""
    if isinstance(trained, Optimum):
        return trained.violation()
    engine, largest, is_solved = trained, -np.inf, True
    for problem in engine.problems:
        largest = max(largest, problem.delta)
        is_solved = is_solved and problem.delta <= problem.tau
    return largest, is_solved


def warn_unless_solved(plan, machine):
    """Warn if the step limit, or the precision of a double, prevented convergence."""
    trained, tolerance = machine.trained, machine.targets.tolerance(plan.params.tol)
    violation, is_solved = violation_in(trained)
    if is_solved and violation <= max(tolerance, 1e-3):
        return
    reason = (
        "at the maximum number of steps"
        if trained.out_of_steps
        else "at the limit of floating-point precision"
    )
    warn(
        f"{plan.name} stopped {reason}: the largest violation is {violation:.3g}, "
        f"tol is {tolerance:.3g}. {advice(plan, machine)}",
        ConvergenceWarning,
    )


def warn_if_cut_short(plan, machine):
    """Warn if REPROCESS reached its maximum number of steps after a sample."""
    if machine.engine.cut_short:
        warn(
            "REPROCESS reached the maximum number of steps after a sample and left a violation of "
            f"up to {violation_in(machine.engine)[0]:.3g} in the support set. "
            f"{advice(plan, machine)} A larger delta_max helps, too, where one is given.",
            ConvergenceWarning,
        )


def advice(plan, machine):
    """Return what helps if training does not converge."""
    params, for_hard_margin = plan.params, machine.targets.advice_for_hard_margin
    if for_hard_margin and np.isinf(params.C):
        return for_hard_margin
    if not hasattr(params, "C"):
        return "Scale the features (StandardScaler), or use a larger tol, or another kernel."
    smaller = dict.fromkeys(("rbf", *EXPONENTIAL), "C or another gamma")
    smaller |= dict.fromkeys(("sigmoid", "poly"), "C, gamma or coef0")
    kernel = params.kernel if isinstance(params.kernel, str) else None
    return (
        f"Scale the features (StandardScaler), or use a smaller {smaller.get(kernel, 'C')}, a "
        "larger tol, or another kernel."
    )


# -------------------------------------------------------------------------------- precision


def diagnosed(plan, machine):
    """Return the uncertainty of decision values after ``fit``, infinite if all are equal.

    It is 0 below the warning threshold. Raise ValueError if the solution is not finite, as with an
    unbounded problem.
    """
    found, spread, is_finite = precision(machine.trained)
    if not is_finite:
        names = [name for name in ("kernel", "C", "loss") if hasattr(plan.params, name)]
        given = ", ".join(f"{name}={getattr(plan.params, name)!r}" for name in names)
        raise ValueError(
            f"The coefficients of {plan.name} are beyond the range of double precision with "
            f"{given}. Use a positive definite kernel, or a smaller C."
        )
    if machine.spec.kernel in BOUNDED:
        # gamma=0 has a warning of its own.
        is_constant = machine.spec.gamma and spread <= found and has_constant_kernel(machine)
        return np.inf if is_constant else 0.0
    return coarseness(plan, machine, found)


def precision(trained):
    """Return what the rounding of kernel values does to decision values.

    Returns their estimated error: the root mean square over the support set, for random rounding
    errors of values of size sqrt(K_ii K_jj); their largest standard deviation over a support set;
    and whether all coefficients are finite.
    """
    if isinstance(trained, Optimum):
        return trained.precision()
    engine = trained
    found, spread, is_finite, offset = 0.0, 0.0, True, engine.store.offset
    for problem in engine.problems:
        members = problem.view(used=True)
        alpha, size = members.alpha, np.abs(members.diag.astype(np.float64))
        if not (np.isfinite(members.b) and np.isfinite([alpha, members.g]).all()):
            is_finite = False
        elif len(alpha):
            found = max(found, 2.0**-24 * np.sqrt(size.mean() * (alpha**2 @ size)))
            spread = max(spread, float(members.decisions.std()))
            if offset is not None:
                # Rounding errors of doubles of the size of the squared offset.
                found = max(found, 2.0**-52 * (offset @ offset) * np.sqrt(alpha @ alpha))
    return found, spread, is_finite


def coarseness(plan, machine, found=None):
    """Return the uncertainty of decision values, or 0 when below the warning threshold."""
    spec, targets = machine.spec, machine.targets
    if spec.kernel in BOUNDED:
        return 0.0  # values of at most 1 are too coarse only if C is very large
    found = precision(machine.trained)[0] if found is None else found
    if spec.kernel == "sigmoid" and is_saturated(machine):
        found = max(found, 1.0)
    least = max(targets.tolerance(plan.params.tol), COARSE * targets.scale_of_members(machine))
    return found if found > least else 0.0


def has_constant_kernel(machine):
    """Return whether different support vectors have the same kernel values, by rounding."""
    rows = machine.current_solution().vectors()[:N_COMPARED]
    rows = rows.toarray() if issparse(rows) else rows
    rounding = 8.0 * np.finfo(np.float32).eps
    if not (len(rows) and (np.ptp(rows, axis=0) > rounding * np.abs(rows).max(axis=0)).any()):
        return False
    values = Kernel.of(machine.spec)(rows, rows)
    return np.ptp(values) <= rounding * np.abs(values).max()


def warn_if_coarse(plan, targets, uncertain):
    """Warn when kernel values in single precision are too coarse for the solution."""
    if uncertain:
        effect = "are all the same"
        if np.isfinite(uncertain):
            effect = f"are uncertain by about {uncertain:.1g}{targets.margin_note}"
        warn(
            "Kernel values are rounded to single precision, and the decision function values of "
            f"this {plan.name} {effect}. The usual cause is features with large values, or with "
            "a mean that is large compared with their spread: scale them, for example with "
            "sklearn.preprocessing.StandardScaler."
        )


def recentred(plan, machine):
    """Return a machine with the origin at the mean of the support set, if that helps, or None.

    The first chunk of a stream does not always show that features are far from 0.
    """
    found, spec = coarseness(plan, machine), machine.spec
    if not (found and spec.kernel == "linear" and spec.solver.may_move_origin):
        return None
    vectors = machine.current_solution().vectors()
    mean = np.asarray(vectors.mean(axis=0, dtype=np.float64)).ravel()
    spec = replace(spec, offset=short(mean), dtype="float64")
    engine = with_offset(machine.engine, spec)
    if precision(engine)[0] > 0.5 * found:
        return None
    return replace(machine, spec=spec, trained=engine)


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


def is_saturated(machine):
    """Return whether K(x, x) = 1 for a whole support set: a sigmoid kernel is then saturated."""
    if isinstance(machine.trained, Optimum):
        values = Kernel.of(machine.spec).diagonal(machine.trained.solution.all_vectors())
        return len(values) > 1 and bool(np.all(values.astype(np.float32) == 1))
    problems = machine.engine.problems
    diagonals = [problem.view().diag for problem in problems]
    return any(len(values) > 1 and np.all(values == 1) for values in diagonals)
