"""Candidates of a search: parameters, the transformers in front of a model, and the model."""

import copy
from inspect import signature

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from .._estimator import with_classes
from .._sklearn_compat import _num_samples, _safe_indexing
from ..pipeline import final_estimator
from ._learning_curves import key_of

__all__ = ["CALL_NS", "Candidate", "FrozenTransformers", "candidates_of"]

# Estimates of cost in nanoseconds: a call of partial_fit or predict, and reading a value of X.
CALL_NS, VALUE_NS = 7e5, 0.2


def requires_targets(transformer):
    """Return whether a transformer, or an estimator among its parameters, requires targets.

    Tags of meta-estimators, such as ``SelectFromModel`` and ``ColumnTransformer``, do not say so
    for the estimators that they contain.
    """
    parts = [transformer]
    if hasattr(transformer, "get_params"):
        parts += transformer.get_params().values()
    return any(_is_supervised(part) for part in parts if hasattr(part, "__sklearn_tags__"))


def _is_supervised(estimator):
    if isinstance(estimator, type):
        return False
    tags = get_tags(estimator)
    if tags.target_tags.required or tags.estimator_type in ("classifier", "regressor"):
        return True
    # SelectKBest and its like leave the tag unset, since a score_func may ignore targets.
    score_func = getattr(estimator, "score_func", None)
    if score_func is None:
        return False
    return sum(p.default is p.empty for p in signature(score_func).parameters.values()) > 1


class FrozenTransformers:
    """The transformers of a pipeline: fitted once, then only applied."""

    def __init__(self, steps=()):
        self.unfitted, self.steps = steps, list(steps)
        self.is_fitted = False

    def fit(self, X, y, first):
        """Fit each step on all samples without their targets.

        A step that requires targets is fitted on the samples ``first`` with their targets; these
        are never used for scores.
        """
        for k, (name, step) in enumerate(self.steps):
            if step is None or step == "passthrough":
                continue
            if requires_targets(step):
                fitted = clone(step).fit(_safe_indexing(X, first), _safe_indexing(y, first))
            else:
                fitted = clone(step).fit(X, None)
            self.steps[k] = (name, fitted)
            if k < len(self.steps) - 1:
                X = fitted.transform(X)
        self.is_fitted = True
        return self

    def refitted(self, X, y, indices):
        """Return transformers that are fitted on some of the samples, with their targets."""
        if not self.steps:
            return self
        X, y = _safe_indexing(X, indices), None if y is None else _safe_indexing(y, indices)
        return FrozenTransformers(self.unfitted).fit(X, y, np.arange(len(indices)))

    def transform(self, X):
        """Apply all steps."""
        for _, step in self.steps:
            if step is not None and step != "passthrough":
                X = step.transform(X)
        return X


class Candidate:
    """One choice of parameters, its model, and their scores.

    Attributes
    ----------
    model : estimator or None
    n_parts : int
        Number of parts of the training data that the model has been trained on completely.
    scores : dict
        :class:`Scores` by the number of the rung.
    folds : list of Scores
        One for each fold of the cross-validation.
    error : Exception or None
        Error that the candidate has failed with.
    score_error : Exception or None
        Error of its last scores, until those of all candidates have been computed.
    """

    score_error = None

    def __init__(self, number, params, estimator, transformers):
        self.number, self.params = number, params
        self.estimator, self.transformers = estimator, transformers
        self.model, self._has_begun, self._previous = None, False, None
        self.scores, self.folds, self.error = {}, [], None
        # Seconds of all training, of that of the present model, and of scores.
        self.fit_seconds = self.model_seconds = self.score_seconds = 0.0
        self._past_cost = self.score_cost = self.fold_cost = 0.0
        self._n_calls = self._n_read = self._n_values = self._n_support = 0

    def start(self, n_parts=0, transformers=None):
        """Start with an unfitted model; scores are kept.

        ``n_parts``: number of the next part of the training data. ``transformers``: those of the
        new model, if they are others.
        """
        self._past_cost = self.cost
        self._n_calls = self._n_read = 0
        self.model_seconds = 0.0
        if self._has_begun:  # until the new one is fitted
            self._previous = self.model, self.transformers
        if transformers is not None:
            self.transformers = transformers
        # An unfitted estimator is copied ten times as fast as it is cloned.
        self.model = copy.deepcopy(final_estimator(self.estimator))
        self.n_parts, self._has_begun = n_parts, False
        # Number of samples seen at the end of the last complete part, and the first sample of the
        # last call in the present part.
        self._n_seen = self._begun_from = 0

    def train(self, X, y, arguments, classes, *, resumable=True, begin=0):
        """Train the model on a part of the data.

        ``resumable``: after an interrupt, the same call continues or repeats the training.
        Otherwise it begins with the sample ``begin``.
        """
        model = self.model
        resumes = hasattr(model, "resume")
        if getattr(model, "interrupted_", False):
            model.resume(*_rest(self._begun_from, X, y), **self._rest_of(arguments))
            self._has_begun, self._previous = True, None
            return
        begin = self._untrained() if resumable else begin
        if _num_samples(X) <= begin:
            return
        self._begun_from = begin
        given = self._rest_of(arguments)
        X, y = _rest(begin, X, y)
        if resumable and not resumes:
            # The state that an interrupt leaves behind is unknown.
            model = copy.deepcopy(model)
        if not self._has_begun and classes is not None:
            given = {**given, "classes": classes}
        model.partial_fit(X, y, **given)
        self.model, self._has_begun, self._previous = model, True, None

    def fit(self, X, y, arguments):
        """Fit the model on all samples; after an interrupt, the same call continues."""
        if getattr(self.model, "interrupted_", False):
            self.model.resume(X, y, **arguments)
        else:
            self.model.fit(X, y, **arguments)
        self._has_begun, self._previous = True, None

    def with_classes(self, classes):
        """Return a copy of the model to which new classes have been added."""
        return with_classes(self.model, classes) if self._has_begun else self.model

    def finish_part(self, X, seconds):
        """Record that the model has been trained on a whole part."""
        self._n_seen = getattr(self.model, "n_samples_seen_", 0)
        self.n_parts += 1
        self.note_trained(X, seconds)

    def note_trained(self, X, seconds):
        """Count the cost of a call that has trained on X."""
        self.fit_seconds += seconds
        self.model_seconds += seconds
        self._n_calls += 1
        self._n_values = _n_values(X) / max(1, _num_samples(X))
        self._n_read += _n_values(X)

    def note_scored(self, X, n_metrics, seconds):
        """Count the cost of predictions for X, and of metrics."""
        self.score_seconds += seconds
        by_sample = VALUE_NS * self._n_values
        n_support = getattr(self.model, "n_support_", None)
        if n_support is not None:
            by_kernel_value = 0.5 + 0.01 * self._n_values + 0.1 * len(n_support)
            by_sample += by_kernel_value * float(np.sum(n_support))
        self.score_cost = by_sample * _num_samples(X)
        self._past_cost += (1 + n_metrics) * CALL_NS + self.score_cost

    def _untrained(self):
        """Return where in the present part training stopped, if it was interrupted there."""
        if not hasattr(self.model, "resume"):
            return 0
        return getattr(self.model, "n_samples_seen_", 0) - self._n_seen

    def _rest_of(self, arguments):
        begin = self._begun_from
        return {name: _rest(begin, values)[0] for name, values in arguments.items()}

    def release(self):
        """Release the model of an eliminated candidate."""
        self._past_cost, self._n_support, self.model = self.cost, self.n_support, None
        self._n_calls = self._n_read = 0

    def copy(self):
        """Return a candidate with a copy of the model, to be trained independently."""
        other = copy.copy(self)
        if not self._has_begun and self._previous is not None:
            other.model, other.transformers = self._previous
        other.model = copy.deepcopy(other.model)
        if not self.transformers.is_fitted:
            other.transformers = copy.deepcopy(self.transformers)
        return other

    def fitted(self):
        """Return the fitted estimator, with its transformers if it is a pipeline."""
        if not isinstance(self.estimator, Pipeline):
            return self.model
        pipeline = copy.copy(self.estimator)
        name = self.estimator.steps[-1][0]
        pipeline.steps = [*self.transformers.steps, (name, self.model)]
        return pipeline

    @property
    def n_samples_seen(self):
        """Number of samples that the model has been trained on; 0 if it does not count them."""
        if hasattr(self.model, "n_samples_seen_"):
            return self.model.n_samples_seen_
        return int(getattr(self.model, "t_", 1)) - 1

    @property
    def n_support(self):
        """Number of support vectors; nan if the model has none."""
        if self.model is None:
            return self._n_support
        n_support = getattr(self.model, "n_support_", None)
        return np.nan if n_support is None else float(np.sum(n_support))

    @property
    def cost(self):
        """Estimated nanoseconds of training and scores so far, the same on every machine."""
        return self._past_cost + CALL_NS * self._n_calls + sum(self.training_costs)

    @property
    def training_costs(self):
        """Estimated nanoseconds of training the present model, without the calls.

        The part that is proportional to the number of samples, and the rest.
        """
        linear, superlinear = VALUE_NS * self._n_read, 0.0
        if self._has_begun and hasattr(self.model, "_estimated_cost"):
            steps, superlinear = self.model._estimated_cost(self._n_values)
            linear += steps
        return linear, superlinear


def _n_values(X):
    """Return the number of values of X that are stored."""
    return X.nnz if issparse(X) else np.size(X)


def _rest(begin, *arrays):
    """Return the samples from ``begin`` on, of arrays that may be None."""
    if not begin:
        return arrays
    return tuple(None if a is None else _safe_indexing(a, slice(begin, None)) for a in arrays)


def candidates_of(estimator, settings):
    """Return the candidates for a list of dicts of parameters.

    Those whose transformers have the same parameters share them.
    """
    unfitted, shared, candidates = clone(estimator), {}, []
    # A candidate that a callback stops within a rung could not be compared with the others.
    vars(final_estimator(unfitted)).pop("_skl_callbacks", None)
    for number, params in enumerate(settings):
        # Values may be estimators, as in a search over the steps of a pipeline.
        configured = copy.deepcopy(unfitted).set_params(**clone(params, safe=False))
        key, steps = (), []
        if isinstance(configured, Pipeline):
            last, steps = configured.steps[-1][0], configured.steps[:-1]
            key = tuple(
                (name, key_of(value))
                for name, value in sorted(params.items())
                if name.partition("__")[0] != last
            )
        if key not in shared:
            shared[key] = FrozenTransformers(steps)
        candidates.append(Candidate(number, params, configured, shared[key]))
    return candidates
