r"""Rules as the engine takes them: what all pieces of advice of a model are to its problems.

They are a dict of plain arrays, which is stored with a model (``rows``, ``bounds``, ``starts``,
``signs``, ``columns``: see :class:`Refinement`), with the numbers of the method (``weight``,
``refine``) and the vectors that learning begins with.

A rule ``D x <= d  =>  z w.x >= 1`` is met if there is u >= 0 with ``D'u + z w = 0`` and
``1 + d.u <= 0``. How far it is from that is ``|D'u + z w|^2 + max(0, 1 + d.u)^2``, and all that is
computed here are minima of it: nonnegative least squares.
"""

import warnings

import numpy as np
from scipy.optimize import nnls

from ._advice import Advice

__all__ = [
    "check_advice",
    "check_features",
    "keep_of",
    "mean_advice",
    "rules_of",
    "same_rules",
    "shortfalls",
    "stored_rules",
    "warn_of_contradictions",
]


def check_advice(advice, classes, n_features, feature_names):
    """Return the pieces of advice as a list; those that a model cannot take are refused."""
    pieces = list(advice)
    known = classes.tolist()
    for i, piece in enumerate(pieces):
        check_features(piece, i, n_features, feature_names)
        if piece.label not in known:
            raise ValueError(
                f"advice[{i}], {str(piece)!r}, has a label that is none of the classes {known}."
            )
    return pieces


def check_features(piece, i, n_features, feature_names):
    """Refuse advice, the i-th, that is none, or about other features than those of X."""
    if not isinstance(piece, Advice):
        raise TypeError(f"advice[{i}] must be an Advice, got {piece!r}.")
    said = f"advice[{i}], {str(piece)!r},"
    if piece.D.shape[1] != n_features:
        raise ValueError(f"{said} is about {piece.D.shape[1]} features, but X has {n_features}.")
    names = piece.feature_names
    if names is not None and feature_names is not None and names != (*feature_names,):
        raise ValueError(f"{said} is about the features {[*names]}, but X has {[*feature_names]}.")


def warn_of_contradictions(pieces):
    """Warn of regions that overlap and have different labels."""
    pairs = [
        f"advice[{j}], {str(other)!r}, and advice[{i}], {str(one)!r}"
        for i, one in enumerate(pieces)
        for j, other in enumerate(pieces[:i])
        if one.label != other.label and one.overlaps(other)
    ]
    if pairs:
        more = f"; and {len(pairs) - 3} pairs more" if len(pairs) > 3 else ""
        warnings.warn(
            "Rules with different labels contradict each other where their regions overlap: "
            f"{'; '.join(pairs[:3])}{more}.",
            UserWarning,
            stacklevel=2,
        )


def rules_of(pieces, classes, *, fit_intercept, weight, refine):
    """Return the rules, with the vectors that learning begins with."""
    columns = np.unique(np.concatenate([piece.D.indices for piece in pieces]))
    blocks, bounds = [], []
    for i, piece in enumerate(pieces):
        rows, d = piece.D[:, columns].toarray(), piece.d
        if fit_intercept:
            # The constant feature is 1: without these conditions u would pull it to 0.
            rows = np.block([[rows, np.zeros((len(rows), 1))], [np.zeros((2, len(columns) + 1))]])
            rows[-2:, -1] = 1.0, -1.0
            d = np.append(d, [1.0, -1.0])
        elif (d >= 0.0).all():
            warnings.warn(
                f"advice[{i}], {str(piece)!r}, says nothing without an intercept: a region that "
                "holds the origin has no margin there.",
                UserWarning,
                stacklevel=2,
            )
        blocks.append(rows)
        bounds.append(d)
    labels = np.array([classes.tolist().index(piece.label) for piece in pieces])
    positive = np.array([1]) if len(classes) == 2 else np.arange(len(classes))
    rules = {
        "weight": float(weight),
        "refine": bool(refine),
        "rows": np.vstack(blocks),
        "bounds": np.concatenate(bounds),
        "starts": np.cumsum([0, *map(len, bounds)]),
        "signs": np.where(labels == positive[:, None], 1.0, -1.0),
        "columns": columns.astype(np.int64),
    }
    rules["vectors"] = np.array([_first_vectors(rules, signs) for signs in rules["signs"]])
    return rules


def _first_vectors(rules, signs):
    r"""Return u >= 0 of the hypothesis that knows the rules and no rows.

    With ``r_i = -z_i D_i'u_i`` and their mean r, the problem

        min over w, u >= 0 of  1/2 |w|^2 + mu/2 sum_i (|D_i'u_i + z_i w|^2 + max(0, 1 + d_i.u_i)^2)

    has the solution w = (1 - nu) r, nu = 1 / (1 + m mu). What is left is a problem in u,

        sum_i |r_i - r|^2 + m nu |r|^2 + sum_i max(0, 1 + d_i.u_i)^2 ,

    nonnegative least squares, with one slack for each maximum.
    """
    starts, rows = rules["starts"], rules["rows"]
    m, (n_conditions, n_columns) = len(signs), rows.shape
    parts = np.zeros((m, n_columns, n_conditions))
    lacks = np.zeros((m, n_conditions + m))
    for i, z in enumerate(signs):
        own = slice(starts[i], starts[i + 1])
        parts[i, :, own] = -z * rows[own].T
        lacks[i, own] = rules["bounds"][own]
        lacks[i, n_conditions + i] = 1.0
    mean = parts.mean(axis=0)
    squares = np.vstack([*(parts - mean), np.sqrt(m * keep_of(rules)) * mean])
    squares = np.hstack([squares, np.zeros((len(squares), m))])
    wanted = np.append(np.zeros(len(squares)), np.full(m, -1.0))
    vectors = _nonnegative(np.vstack([squares, lacks]), wanted)[:n_conditions]
    # Of two conditions that are opposite, as those of the constant feature are, only the
    # difference of their u matters: what both have is taken off.
    conditions = np.column_stack([rows, rules["bounds"]])
    for a, b in zip(starts[:-1], starts[1:], strict=True):
        for k in range(a, b):
            for j in range(a, k):
                if np.array_equal(conditions[k], -conditions[j]):
                    vectors[[j, k]] -= min(vectors[j], vectors[k])
    return vectors


def shortfalls(piece, label_signs, coef, intercept):
    """Return by how much weights would have to change to meet a rule, in each problem.

    Parameters
    ----------
    piece : Advice
    label_signs : ndarray of shape (n_problems,)
    coef : ndarray of shape (n_problems, n_features)
    intercept : ndarray of shape (n_problems,)

    Returns
    -------
    eta : ndarray of shape (n_problems, n_features)
        Of the weights, those for which ``z w`` is larger than it may be are positive.
    zeta : ndarray of shape (n_problems,)
        What the margin lacks that the rule asks for.
    """
    columns = np.unique(piece.D.indices)
    rows, d = piece.D[:, columns].toarray().T, piece.d
    eta, zeta = label_signs[:, None] * coef.astype(np.float64), np.zeros(len(coef))
    for c, z in enumerate(label_signs):
        wanted = -eta[c, columns]
        own = z * float(intercept[c])
        A = np.vstack([np.hstack([rows, np.zeros((len(columns), 1))]), [*d, 1.0]])
        u = _nonnegative(A, np.append(wanted, own - 1.0))[:-1]
        eta[c, columns] += rows @ u
        zeta[c] = max(0.0, 1.0 + d @ u - own)
    # What is left by rounding is nothing.
    nothing = 1e-10 * max(1.0, np.abs(coef).max(), np.abs(intercept).max())
    eta[np.abs(eta) < nothing] = 0.0
    zeta[zeta < nothing] = 0.0
    return eta, zeta


def _nonnegative(A, b):
    """Return the nonnegative x of the least ``|A x - b|``."""
    # Conditions may be in any units, and as many steps as that takes are a matter of milliseconds.
    lengths = np.linalg.norm(A, axis=0)
    lengths[lengths == 0.0] = 1.0
    try:
        x, _ = nnls(A / lengths, b, maxiter=100 * A.shape[1])
    except RuntimeError as error:
        raise ValueError(
            f"The problem of the advice alone cannot be solved ({error}); scale the features."
        ) from error
    return x / lengths


def keep_of(rules):
    """Return nu, the part of the way from the advice that is left of the weights after a row."""
    return 1.0 / (1.0 + rules["signs"].shape[1] * rules["weight"])


def mean_advice(rules, vectors):
    """Return r, the mean weights that vectors stand for: (n_problems, n_columns)."""
    n_rules = rules["signs"].shape[1]
    signs = np.repeat(rules["signs"], np.diff(rules["starts"]), axis=1)
    return -(signs * vectors) @ rules["rows"] / n_rules


def same_rules(one, other):
    """Whether two models have the same advice, and make the same of it."""
    if one is None or other is None:
        return one is other
    return all(np.array_equal(one[name], other[name]) for name in one)


def stored_rules(state, name, weights_shape, fit_intercept):
    """Read what a stored model has learnt with; None without advice."""
    if state.value(name) is None:
        return None
    rules = state.part(name)
    n_problems, n_features = weights_shape
    shape = getattr(rules.value("rows"), "shape", None)
    rules.require(shape is not None and len(shape) == 2, "rows", "must have two axes")
    n_conditions, n_columns = shape
    starts = rules.array("starts", np.int64, (None,), low=0, high=n_conditions)
    rules.require(
        len(starts) > 1
        and starts[0] == 0
        and starts[-1] == n_conditions
        and (np.diff(starts) > 0).all(),
        "starts",
        "must rise from 0 to the number of conditions",
    )
    own = n_columns - bool(fit_intercept)
    columns = rules.array("columns", np.int64, (own,), low=0, high=n_features - 1)
    rules.require((np.diff(columns) > 0).all(), "columns", "must ascend")
    signs = rules.array("signs", np.float64, (n_problems, len(starts) - 1), finite=True)
    rules.require((np.abs(signs) == 1.0).all(), "signs", "must be -1 or 1")
    read = {
        "weight": rules.number("weight", 0.0),
        "refine": rules.flag("refine"),
        "rows": rules.array("rows", np.float64, shape, finite=True),
        "bounds": rules.array("bounds", np.float64, (n_conditions,), finite=True),
        "starts": starts,
        "signs": signs,
        "columns": columns,
        "vectors": rules.array(
            "vectors", np.float64, (n_problems, n_conditions), finite=True, low=0
        ),
    }
    rules.end()
    return read
