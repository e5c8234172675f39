r"""Conversion of advice into the arrays that the update loop uses.

The rules of a model are a dict of plain arrays (``rows``, ``bounds``, ``starts``, ``signs``,
``columns``: see :class:`Refinement`), which is stored with the model, together with the
parameters ``weight``, ``zero_start`` and ``refine`` and the initial advice vectors ``vectors``.

A rule ``D x <= d  =>  z w.x >= 1`` is met if there is u >= 0 with ``D'u + z w = 0`` and ``1 + d.u
<= 0``. Its violation is ``|D'u + z w|^2 + max(0, 1 + d.u)^2``. The functions in this module
minimize it by nonnegative least squares.
"""

import numpy as np
from scipy.optimize import nnls

from .._threads import warn
from ._advice import Advice

# Violations below this fraction of the largest weight are rounding errors of the least squares.
_ROUNDING = 1e-10


def check_advice(advice, classes, n_features, feature_names):
    """Return the advice as a list; raise an error if a piece does not fit the model."""
    pieces = list(advice)
    known = classes.tolist()
    for i, piece in enumerate(pieces):
        check_features(piece, i, n_features, feature_names)
        if piece.label not in known:
            raise ValueError(
                f"advice[{i}], {str(piece)!r}, has a label that is not one of the classes {known}."
            )
    return pieces


def check_features(piece, i, n_features, feature_names):
    """Raise an error if the i-th piece is not an Advice, or its features are not those of X."""
    if not isinstance(piece, Advice):
        raise TypeError(f"advice[{i}] must be an Advice, got {piece!r}.")
    prefix = f"advice[{i}], {str(piece)!r},"
    if piece.D.shape[1] != n_features:
        raise ValueError(f"{prefix} is about {piece.D.shape[1]} features, but X has {n_features}.")
    names = piece.feature_names
    if names is not None and feature_names is not None and names != (*feature_names,):
        raise ValueError(
            f"{prefix} is about the features {[*names]}, but X has {[*feature_names]}."
        )


def warn_of_contradictions(pieces):
    """Warn if regions with different labels overlap."""
    pairs = [
        f"advice[{j}], {str(other)!r}, and advice[{i}], {str(one)!r}"
        for i, one in enumerate(pieces)
        for j, other in enumerate(pieces[:i])
        if one.label != other.label and one.overlaps(other)
    ]
    if pairs:
        more = f"; and {len(pairs) - 3} more pairs" if len(pairs) > 3 else ""
        warn(
            "Rules with different labels contradict each other where their regions overlap: "
            f"{'; '.join(pairs[:3])}{more}."
        )


def rules_of(pieces, classes, *, fit_intercept, weight, zero_start, refine):
    """Return the rules as plain arrays, with the initial advice vectors."""
    columns = np.unique(np.concatenate([piece.D.indices for piece in pieces]))
    blocks, bounds = [], []
    for i, piece in enumerate(pieces):
        rows, d = piece.D[:, columns].toarray(), piece.d
        if fit_intercept:
            # Two conditions fix the constant feature at 1.
            rows = np.block([[rows, np.zeros((len(rows), 1))], [np.zeros((2, len(columns) + 1))]])
            rows[-2:, -1] = 1.0, -1.0
            d = np.append(d, [1.0, -1.0])
        elif (d >= 0.0).all():
            warn(
                f"advice[{i}], {str(piece)!r}, has no effect with fit_intercept=False, because "
                "its region contains the origin, where the decision function is 0."
            )
        blocks.append(rows)
        bounds.append(d)
    labels = np.array([classes.tolist().index(piece.label) for piece in pieces])
    positive = np.array([1]) if len(classes) == 2 else np.arange(len(classes))
    rules = {
        "weight": float(weight),
        "zero_start": bool(zero_start),
        "refine": int(refine),
        "rows": np.vstack(blocks),
        "bounds": np.concatenate(bounds),
        "starts": np.cumsum([0, *map(len, bounds)]),
        "signs": np.where(labels == positive[:, None], 1.0, -1.0),
        "columns": columns.astype(np.int64),
    }
    rules["vectors"] = np.array([_first_vectors(rules, signs) for signs in rules["signs"]])
    return rules


def _first_vectors(rules, signs):
    r"""Return the initial advice vectors u >= 0: the solution without samples.

    With ``r_i = -z_i D_i'u_i`` and their mean r, the problem

        min over w, u >= 0 of  1/2 |w|^2 + mu/2 sum_i (|D_i'u_i + z_i w|^2 + max(0, 1 + d_i.u_i)^2)

    has the solution w = (1 - nu) r, nu = 1 / (1 + m mu). Inserting it gives a problem in u,

        sum_i |r_i - r|^2 + m nu |r|^2 + sum_i max(0, 1 + d_i.u_i)^2 ,

    which is nonnegative least squares with one slack variable for each maximum.
    """
    starts, rows = rules["starts"], rules["rows"]
    m, (n_conditions, n_columns) = len(signs), rows.shape
    parts = np.zeros((m, n_columns, n_conditions))
    margins = np.zeros((m, n_conditions + m))
    for i, z in enumerate(signs):
        own = slice(starts[i], starts[i + 1])
        parts[i, :, own] = -z * rows[own].T
        margins[i, own] = rules["bounds"][own]
        margins[i, n_conditions + i] = 1.0
    mean = parts.mean(axis=0)
    squares = np.vstack([*(parts - mean), np.sqrt(m * keep_of(rules)) * mean])
    squares = np.hstack([squares, np.zeros((len(squares), m))])
    target = np.append(np.zeros(len(squares)), np.full(m, -1.0))
    vectors = _nonnegative(np.vstack([squares, margins]), target)[:n_conditions]
    # Only the difference of the u of two opposite conditions matters, such as those of the
    # constant feature: subtract the common part.
    conditions = np.column_stack([rows, rules["bounds"]])
    for a, b in zip(starts[:-1], starts[1:], strict=True):
        for k in range(a, b):
            for j in range(a, k):
                if np.array_equal(conditions[k], -conditions[j]):
                    vectors[[j, k]] -= min(vectors[j], vectors[k])
    return vectors


def shortfalls(piece, label_signs, coef, intercept):
    """Return by how much the weights of each problem violate the rule of a piece of advice.

    Returns ``eta`` (n_problems, n_features): violation by the weights; positive where ``z w`` is
    too large. ``zeta`` (n_problems,): shortfall of the margin that the rule requires.
    """
    columns = np.unique(piece.D.indices)
    rows, d = piece.D[:, columns].toarray().T, piece.d
    eta, zeta = label_signs[:, None] * coef.astype(np.float64), np.zeros(len(coef))
    for c, z in enumerate(label_signs):
        target = -eta[c, columns]
        own = z * float(intercept[c])
        A = np.vstack([np.hstack([rows, np.zeros((len(columns), 1))]), [*d, 1.0]])
        u = _nonnegative(A, np.append(target, own - 1.0))[:-1]
        eta[c, columns] += rows @ u
        zeta[c] = max(0.0, 1.0 + d @ u - own)
    rounding = _ROUNDING * max(1.0, np.abs(coef).max(), np.abs(intercept).max())
    eta[np.abs(eta) < rounding] = 0.0
    zeta[zeta < rounding] = 0.0
    return eta, zeta


def _nonnegative(A, b):
    """Return the nonnegative x that minimizes ``|A x - b|``."""
    # Scaled columns, because conditions may have any units; many iterations take milliseconds.
    lengths = np.linalg.norm(A, axis=0)
    lengths[lengths == 0.0] = 1.0
    try:
        x, _ = nnls(A / lengths, b, maxiter=100 * A.shape[1])
    except RuntimeError as error:
        raise ValueError(
            f"Computing weights from the advice failed ({error}). Scale the features."
        ) from error
    return x / lengths


def keep_of(rules):
    """Return nu, the factor by which a sample shrinks the difference of weights and advice."""
    return 1.0 / (1.0 + rules["signs"].shape[1] * rules["weight"])


def mean_advice(rules, vectors):
    """Return r, the mean weight vectors of the rules: (n_problems, n_columns)."""
    n_rules = rules["signs"].shape[1]
    signs = np.repeat(rules["signs"], np.diff(rules["starts"]), axis=1)
    return -(signs * vectors) @ rules["rows"] / n_rules


def same_rules(one, other):
    """Return whether two models have the same rules, advice parameters and arrays."""
    if one is None or other is None:
        return one is other
    if bool(one["refine"]) != bool(other["refine"]):
        return False
    return all(np.array_equal(one[name], other[name]) for name in one if name != "refine")
