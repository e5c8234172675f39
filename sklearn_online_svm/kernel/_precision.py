"""Solutions that the precision of kernel values does not suffice for: found, mended, reported."""

from dataclasses import replace

import numpy as np
from scipy.sparse import issparse

from .._feature_space import Kernel
from .._validation import warn
from ._engine import BOUNDED, COARSE, is_saturated, short, spread, uncertainty, with_offset

# Number of support vectors whose kernel values are compared.
N_COMPARED = 50


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
    return found if found > max(model._tolerance(), COARSE * scale) else 0.0


def is_constant(model):
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
