"""Training of cells on a cluster.

The data are read twice. The first time, a uniform sample is taken, from which the upper part of
the tree is grown; its leaves are groups of neighbouring cells. The second time, each partition is
divided into pieces, one per group. The task of a group concatenates its pieces, in the order of
the partitions, grows the lower part of the tree from all of its samples, and fits its cells.
"""

import pickle
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from .. import _limits
from .._chunks import selected, stacked
from .._estimator import seeded
from .._optional import import_optional
from .._validation import check_given_weights, require_two_classes
from ..cells import CellClassifier, CellRegressor
from ..cells._cells import _fit, _fit_classifier
from ..cells._check import warn_if_inaccurate
from ..cells._tree import DECAY, CellTree
from ._partitions import as_partitions, reduced

# A group has at most this many times the samples of a cell, or this share of all samples if that
# is more: with many small pieces the scheduler would take more time than the workers.
CELLS_PER_GROUP = 4
SHARE_OF_GROUP = 1 / 128


def fit_cells(model, X, y=None, *, sample_weight=None):
    """Fit one model per cell, on the workers of a dask cluster.

    Parameters
    ----------
    model : CellClassifier or CellRegressor
        Model to clone and fit; it is not changed.
    X : dask array of shape (n_samples, n_features), dask DataFrame, or list of Delayed
        Training samples. The number of samples of a partition may be unknown. The elements of a
        list are delayed pairs ``(X, y)`` or triples ``(X, y, sample_weight)``, such as those of
        :func:`read_partitions`.
    y : dask array of shape (n_samples,) or (n_samples, n_outputs), dask Series, or str, \
            default=None
        Class labels or target values, or the name of their column of `X`. None if `X` is a list.
    sample_weight : dask array of shape (n_samples,) or dask Series, default=None
        Per-sample weights, passed to the models of the cells; with metadata routing enabled, only
        if the estimator of `model` requests them. Weights in a list of partitions are passed
        without a request.

    Returns
    -------
    model : CellClassifier or CellRegressor
        A fitted clone of `model`.

    Raises
    ------
    ImportError
        If dask is not installed.
    TypeError
        If `model`, `X`, `y` or `sample_weight` has another type.
    ValueError
        If the input is invalid or has a single class, or if partitions do not match.

    See Also
    --------
    sklearn_online_svm.cells.CellClassifier : The same for samples in memory.
    predict : Predictions on a cluster.

    Notes
    -----
    The active scheduler of dask is used: that of the last ``distributed.Client``, or threads.

    ``cell_size``, ``overlap``, ``estimator`` and ``n_jobs`` have the same meaning as in
    :class:`~sklearn_online_svm.cells.CellClassifier`. Only the first cuts differ: they are
    computed from a random subset of at most 20 000 samples. With at most ``4 * cell_size`` samples
    and an integer ``random_state``, the model is the same as that of ``fit``. The comparison after
    which ``fit`` may warn that cells are less accurate than one model uses the same subset, and
    runs in this process.

    The model depends on ``random_state``, the samples, their order and their partitions, but not
    on the number of workers or on the order of tasks. With ``random_state=None`` a seed is drawn
    before training.

    Read more in the :ref:`user guide <distributed>`.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.distributed import fit_cells
    >>> from sklearn_online_svm.cells import CellClassifier
    >>> X, y = make_banana_like(6000, random_state=0)
    >>> X, y = da.from_array(X, chunks=(1000, 2)), da.from_array(y, chunks=1000)
    >>> model = CellClassifier(LASVC(random_state=0), cell_size=500, random_state=0)
    >>> fit_cells(model, X, y).n_cells_
    32
    """
    dask = import_optional("dask", "fit_cells")
    if not isinstance(model, (CellClassifier, CellRegressor)):
        raise TypeError(
            f"model must be a CellClassifier or a CellRegressor, got {type(model).__name__}."
        )
    model = clone(model)
    model._validate_params()
    seed = _seed(model.random_state)
    sample_weight = model._routed_weights("fit", sample_weight, {})
    partitions = as_partitions(X, y, sample_weight, "fit_cells")
    shared = dask.delayed(model, traverse=False)
    summaries = [
        dask.delayed(_summary)(shared, (seed, number), part)
        for number, part in enumerate(partitions)
    ]
    grown = dask.delayed(_grown)(shared, seed, reduced(summaries, _merged))
    summary, tree = dask.compute(grown)[0]
    summary.set_attributes(model)
    trees, models, sizes = [], [], []
    for of_group in _results(_groups(shared, seed, tree, partitions)):
        trees.append(of_group[0])
        models += map(pickle.loads, of_group[1])
        sizes += of_group[2]
    model.tree_ = _grafted(tree, trees)
    model.estimators_, model.cell_sizes_ = models, np.array(sizes)
    warn_if_inaccurate(model, *summary.samples)
    return model


def _seed(random_state):
    """Return a number: if a task runs again, it must have the same seed."""
    random = check_random_state(random_state)
    is_number = isinstance(random_state, Integral)
    return int(random_state) if is_number else random.randint(2**31 - 1)


def _checked(model, part):
    """Return a clone with the attributes of the features, and the validated arrays."""
    X, y, weights = part
    model = clone(model)
    X, y = model._validated(X, y, reset=True)
    return model, X, y, check_given_weights(weights, X, allow_all_zero=True)


# ------------------------------------------------------------------------------- the first reading


@dataclass
class _Summary:
    """What is known of some partitions, and a uniform sample: that with the smallest keys."""

    n_samples: int
    features: dict
    output_shape: tuple
    classes: np.ndarray
    samples: tuple
    keys: np.ndarray

    def set_attributes(self, model):
        """Set the fitted attributes that do not depend on cells."""
        vars(model).update(self.features)
        if isinstance(model, CellRegressor):
            model._output_shape = self.output_shape
            return
        require_two_classes(len(self.classes), ".")
        model.classes_ = self.classes


def _summary(model, seed, part):
    """Return the summary of a partition, or None if it has no samples."""
    if not part[0].shape[0]:
        return None
    checked, *arrays = _checked(model, part)
    y = arrays[1]
    names = "n_features_in_", "feature_names_in_"
    features = {name: getattr(checked, name) for name in names if hasattr(checked, name)}
    classes = np.unique(y) if isinstance(model, CellClassifier) else None
    keys = np.random.default_rng(seed).random(len(y))
    rows = _smallest(keys)
    samples = selected(rows, *arrays)
    return _Summary(len(y), features, y.shape[1:], classes, samples, keys[rows])


def _joined(parts):
    """Concatenate tuples of X, y and weights, which all or none of them have."""
    return tuple(None if of[0] is None else stacked(of) for of in zip(*parts, strict=True))


def _smallest(keys):
    if len(keys) <= _limits.N_SAMPLED:
        return np.arange(len(keys))
    return np.sort(np.argpartition(keys, _limits.N_SAMPLED)[: _limits.N_SAMPLED])


def _merged(summaries):
    """Return the summary of all partitions of some summaries."""
    summaries = [part for part in summaries if part is not None]
    if not summaries:
        return None
    first = summaries[0]
    for part in summaries:
        for name, value in first.features.items():
            found = part.features.get(name)
            if not np.array_equal(found, value):
                raise ValueError(f"Partitions have different features: {name} {value}, {found}.")
        if part.output_shape != first.output_shape:
            raise ValueError(
                f"Partitions of y have different shapes: {first.output_shape}, "
                f"{part.output_shape} without the first axis."
            )
    classes = first.classes
    if classes is not None:
        classes = np.unique(np.concatenate([part.classes for part in summaries]))
    keys = np.concatenate([part.keys for part in summaries])
    rows = _smallest(keys)
    return _Summary(
        sum(part.n_samples for part in summaries),
        first.features,
        first.output_shape,
        classes,
        selected(rows, *_joined([part.samples for part in summaries])),
        keys[rows],
    )


def _grown(model, seed, summary):
    """Return the summary, and the upper part of the tree."""
    if summary is None:
        raise ValueError("Found 0 samples in all partitions; at least 1 is required.")
    n, X = summary.n_samples, summary.samples[0]
    group_size = max(CELLS_PER_GROUP * model.cell_size, SHARE_OF_GROUP * n)
    # The share of an overlap depends on cell_size, also where nodes are not divided down to it.
    overlap = model.overlap * (model.cell_size / group_size) ** DECAY
    n_of_group = group_size * X.shape[0] / n
    tree, _ = CellTree.grow(X, n_of_group, overlap, np.random.RandomState(seed))
    # Numbers of all samples, not of those of the summary.
    n_divided = np.rint(tree.n_divided * (n / X.shape[0])).astype(np.int64)
    tree = CellTree(tree.directions, tree.lower, tree.upper, tree.children, n_divided)
    return summary, tree


# ------------------------------------------------------------------------------ the second reading


def _groups(model, seed, tree, partitions):
    """Return the delayed result of each group."""
    dask = import_optional("dask", "fit_cells")
    n_groups = len(tree.children) + 1
    shared_tree = dask.delayed(tree, traverse=False)
    divided = [
        dask.delayed(_pieces, nout=n_groups)(model, shared_tree, part) for part in partitions
    ]
    return [
        dask.delayed(_fit_group)(
            model, (seed + group) % 2**32, [parts[group] for parts in divided]
        )
        for group in range(n_groups)
    ]


def _results(groups):
    """Yield the result of each group, in order, and release it: all might not fit into memory."""
    dask = import_optional("dask", "fit_cells")
    waiting = list(dask.persist(*groups))
    while waiting:
        yield waiting.pop(0).compute()


def _pieces(model, tree, part):
    """Divide a partition: return the samples of each group, or None."""
    pieces = [None] * (len(tree.children) + 1)
    if not part[0].shape[0]:
        return pieces
    _, *arrays = _checked(model, part)
    for group, rows, _ in tree.parts(arrays[0]):
        pieces[group] = selected(rows, *arrays)
    return pieces


def _fit_group(model, seed, pieces):
    """Fit the cells of a group; return the tree, the models as bytes, and the sizes of cells."""
    pieces = [piece for piece in pieces if piece is not None]
    if not pieces:
        return None, [], []
    arrays = _joined(pieces)
    random = np.random.RandomState(seed)
    tree, cells = CellTree.grow(arrays[0], model.cell_size, model.overlap, random)
    fit = _fit_classifier if isinstance(model, CellClassifier) else _fit
    models = Parallel(n_jobs=model.n_jobs, prefer="threads")(
        delayed(_fit_cell)(
            fit, seeded(clone(model._base_estimator()), random), *selected(rows, *arrays)
        )
        for rows in cells
    )
    return tree, models, [len(rows) for rows in cells]


def _fit_cell(fit, *arguments):
    """Return a fitted model as bytes: without its kernel cache, and dask knows their size."""
    return import_optional("cloudpickle", "fit_cells").dumps(fit(*arguments))


def _grafted(upper, lower):
    """Return the tree in which the trees of groups replace the cells of ``upper``.

    Equal samples at a cut can be on the other side than in the uniform sample, by rounding. A
    group without samples, whose tree is None, has the cells of the nearest one.
    """
    filled = [group for group, tree in enumerate(lower) if tree is not None]
    first_cells = np.cumsum([0, *(len(lower[group].children) + 1 for group in filled)])
    trees, children, roots = [upper], [], []
    n_nodes = len(upper.children)
    for group in range(len(lower)):
        place = min(range(len(filled)), key=lambda place: abs(filled[place] - group))
        tree, first_cell = lower[filled[place]], first_cells[place]
        # Cell c is the child -1 - c.
        roots.append(n_nodes if len(tree.children) else -1 - first_cell)
        inner = tree.children.astype(np.intp)
        children.append(np.where(inner < 0, inner - first_cell, inner + n_nodes))
        trees.append(tree)
        n_nodes += len(inner)
    top = [
        [child if child >= 0 else roots[-1 - child] for child in pair] for pair in upper.children
    ]
    return CellTree(
        np.concatenate([tree.directions for tree in trees]),
        np.concatenate([tree.lower for tree in trees]),
        np.concatenate([tree.upper for tree in trees]),
        np.concatenate([np.array(top, dtype=np.intp).reshape(-1, 2), *children]),
        np.concatenate([tree.n_divided for tree in trees]),
    )
