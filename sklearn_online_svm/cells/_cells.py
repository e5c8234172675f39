"""Base of the estimators with cells, and the models of cells."""

import copy
from functools import partial
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from .._chunks import selected
from .._core.guard import Guarded
from .._docs import SHARED, filled_docs
from .._estimator import seeded, store_parameters
from .._metadata import WeightRouter
from .._sklearn_compat import Interval
from .._snapshots import Snapshots
from .._threads import equal_warnings_once, thread_pool
from .._transactions import PostponedInterrupts, Transaction
from .._validation import check_given_weights, check_samples
from ._check import warn_if_inaccurate
from ._stream import CellStream
from ._tree import CellTree

# Most samples that are kept of a cell whose samples have the same class, for partial_fit.
_N_KEPT = 200


_PARTS = {
    "seeds_and_threads": """n_jobs : int, default=None
    Number of threads for ``fit``, ``partial_fit`` and predictions. None means 1 unless in a
    ``joblib.parallel_config`` context, -1 all cores.
random_state : int, RandomState instance or None, default=None
    Seed of the samples from which the cuts are computed, and of each model whose
    ``random_state`` is None.""",
    "cells": """cell_sizes_ : ndarray of shape (n_cells,)
    Number of training samples of each cell.
n_cells_ : int
    Number of cells.
tree_ : CellTree
    The partition.
n_samples_seen_ : int
    Number of samples of all calls of ``partial_fit``. Defined only after such a call.
$features""",
    "warning": """\
**Warning.** ``fit`` compares one model with smaller cells, on at most 4000 samples, and warns
if cells are probably less accurate. If ``estimator`` is a search, the comparison uses the
parameters of the first cell.

References
----------
.. [1] P. Thomann, I. Steinwart, I. Blaschzyk, M. Meister: Spatial decompositions for large
   scale SVMs. AISTATS 2017.""",
}
with_cell_docs = partial(filled_docs, parts=SHARED | _PARTS)


class _SingleClass:
    """Model of a cell whose samples have the same class.

    A few samples are kept for ``partial_fit``, which trains the estimator on them first.
    """

    def __init__(self, label, estimator, X, weights):
        self.classes_ = np.array([label])
        some = slice(None, None, -(-X.shape[0] // _N_KEPT))
        self._estimator, self._X = estimator, X[some].copy()
        self._weights = None if weights is None else weights[some].copy()

    def decision_function(self, X):
        return np.ones(X.shape[0])

    def predict_proba(self, X):
        return np.ones((X.shape[0], 1))

    def started(self, classes):
        """Return a model of all classes that is trained on the samples kept."""
        y = np.repeat(self.classes_, self._X.shape[0])
        return _train(clone(self._estimator), self._X, y, self._weights, classes=classes)


def _fit_classifier(estimator, X, y, weights, classes=()):
    """Fit a model of a cell; ``classes`` are those of all cells, if they are known."""
    of_all = dict.fromkeys(np.asarray(classes).tolist(), 1.0)
    # A cell may contain none of the labels of class_weight, which is an error: add weight 1 for
    # all classes.
    given = {
        name: of_all | value
        for name, value in estimator.get_params().items()
        if name.endswith("class_weight") and isinstance(value, dict) and of_all.keys() & value
    }
    estimator.set_params(**given)
    weighted = slice(None) if weights is None else weights > 0.0
    present = np.unique(y[weighted])
    if len(present) > 1:
        return _fit(estimator, X, y, weights)
    return _SingleClass(present[0], estimator, *selected(weighted, X, weights))


def _fit(estimator, X, y, weights):
    options = {} if weights is None else {"sample_weight": weights}
    # The copy has no cache of kernel values: those of all cells would not fit into memory.
    return copy.deepcopy(estimator.fit(X, y, **options))


def _train(estimator, X, y, weights, **options):
    if weights is not None:
        options["sample_weight"] = weights
    return estimator.partial_fit(X, y, **options)


def _has_partial_fit(model):
    return bool(model._base_estimator().partial_fit)  # its error says why there is none


class _CellEstimator(WeightRouter, Snapshots, BaseEstimator, Guarded):
    """Base class: the tree, training by cells, and blended predictions.

    Training works on a draft, so that concurrent predictions use the former tree and models.
    """

    _trained_by = {"fit": "fit", "partial_fit": "partial_fit"}
    _parameter_constraints: dict = {
        "cell_size": [Interval(Integral, 2, None, closed="left")],
        "overlap": [Interval(Real, 0, 0.5, closed="both")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self, estimator=None, *, cell_size=4000, overlap=0.2, n_jobs=None, random_state=None
    ):
        store_parameters(locals())

    @property
    def n_cells_(self):
        """Number of cells."""
        check_is_fitted(self)
        return len(self.estimators_)

    def __copy__(self):
        # partial_fit changes models and samples in place.
        return copy.deepcopy(self)

    def _base_estimator(self):
        return self._default() if self.estimator is None else self.estimator

    def _fit_checked(self, X, y, sample_weight, params):
        """Fit the models of all cells, and warn if one model is better."""
        self._validate_params()
        sample_weight = self._routed_weights("fit", sample_weight, params)
        with self._guard, equal_warnings_once(), Transaction(self) as change:
            draft = change.draft
            X, y = draft._validated(X, y, reset=True)
            weights = check_given_weights(sample_weight, X, allow_all_zero=False)
            draft._fit_part(X, y, weights)
            warn_if_inaccurate(draft, X, y, weights)
        return self

    def _fit_cells(self, X, y, weights, fit):
        random = check_random_state(self.random_state)
        tree, cells = CellTree.grow(X, self.cell_size, self.overlap, random)
        self.estimators_ = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(fit)(self._new_model(random), *selected(rows, X, y, weights)) for rows in cells
        )
        self.tree_ = tree
        self.cell_sizes_ = np.array([len(rows) for rows in cells])
        for name in ("_stream", "n_samples_seen_", "_class_order"):
            self.__dict__.pop(name, None)
        return self

    def _partial_fit_cells(self, X, y, classes, sample_weight, params):
        self._validate_params()
        sample_weight = self._routed_weights("partial_fit", sample_weight, params)
        # Models change in place: interrupts are raised between pieces, with a draft to be kept.
        with (
            self._guard,
            equal_warnings_once(),
            PostponedInterrupts() as interrupts,
            Transaction(self) as change,
        ):
            draft, n_seen = change.draft, self.__dict__.get("n_samples_seen_")
            try:
                X, y = draft._check_chunk(X, y, classes, first=not hasattr(self, "tree_"))
                weights = check_given_weights(sample_weight, X, allow_all_zero=True)
                draft._train_on_chunk(X, y, weights, interrupts)
            except BaseException:
                # Samples that have been counted before an error remain.
                change.keep = draft.__dict__.get("n_samples_seen_") != n_seen
                raise
        return self

    def _train_on_chunk(self, X, y, weights, interrupts):
        n = X.shape[0]
        stream = self.__dict__.get("_stream") or self._new_stream(X.shape[1])
        n_seen = self.__dict__.get("n_samples_seen_", 0)
        with thread_pool(self.n_jobs, n) as threads:
            run = map if threads is None else threads.map
            for first in range(0, n, self.cell_size):
                interrupts.check()
                part = selected(slice(first, first + self.cell_size), X, y, weights)
                stream.learn(*part, self, run)
                self._stream, self.tree_, self.estimators_ = stream, stream.tree, stream.models
                self.cell_sizes_ = stream.sizes
                self.n_samples_seen_ = n_seen + first + len(part[1])

    def _new_stream(self, n_features):
        """Return the stream that begins with the cells of ``fit``, or with a single one."""
        random = check_random_state(self.random_state)
        if hasattr(self, "tree_"):
            tree = copy.deepcopy(self.tree_)
            # Their parameters change, also if the first chunk is refused.
            models = [copy.copy(model) for model in self.estimators_]
            self._share_caches(models, len(models))
            return CellStream(tree, models, self.cell_sizes_.copy(), random)
        tree = CellTree.single(n_features)
        return CellStream(tree, [self._new_model(random)], np.zeros(1, dtype=np.int64), random)

    # Models of cells.

    def _new_model(self, random):
        return seeded(clone(self._base_estimator()), random)

    def _share_caches(self, models, n_models):
        """Set the sizes of caches of kernel values so that those of all models have that of one.

        The shares change only at powers of two of the number of models.
        """
        sizes = {
            name: value / (1 << (n_models - 1).bit_length())
            for name, value in self._base_estimator().get_params().items()
            if name.endswith("cache_size") and isinstance(value, Real)  # others are refused later
        }
        for model in models:
            if isinstance(model, BaseEstimator):
                model.set_params(**sizes)

    def _blended(self, X, shape, values_of):
        """Return ``values_of(model, samples)``, averaged over the cells of each sample."""
        X = check_samples(self, X, reset=False)
        view = self._view()
        values, parts = np.zeros((X.shape[0], *shape)), list(view.tree_.parts(X))
        models = view.estimators_
        with thread_pool(self.n_jobs, X.shape[0]) as threads:
            run = map if threads is None else threads.map
            found = run(lambda part: values_of(models[part[0]], X[part[1]]), parts)
            for (_, rows, weights), of_part in zip(parts, found, strict=True):
                values[rows] += weights.reshape(-1, *[1] * len(shape)) * of_part
        return values

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        base = get_tags(self._base_estimator())
        tags.input_tags.sparse = base.input_tags.sparse
        tags.target_tags.multi_output = base.target_tags.multi_output
        return tags
