"""Candidates of a search: parameters, the transformers in front of a model, and the model."""

import copy
from inspect import signature

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from .._estimator_base import with_classes
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
        self.steps = list(steps)
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

    def transform(self, X):
        """Apply all steps."""
        for _, step in self.steps:
            if step is not None and step != "passthrough":
                X = step.transform(X)
        return X


class Candidate:
    """One choice of parameters, its models (one for each fold), and their scores.

    Attributes
    ----------
    models : list of estimators
    n_parts : list of int
        Number of parts of the training data that each model has been trained on completely.
    scores : dict
        :class:`Scores` by the number of the rung.
    error : Exception or None
        Error that the candidate has failed with.
    """

    def __init__(self, number, params, estimator, transformers):
        self.number, self.params = number, params
        self.estimator, self.transformers = estimator, transformers
        self.models, self._has_begun = [], []
        self.scores, self.error = {}, None
        self.fit_seconds = self.score_seconds = 0.0
        self._past_cost = self.score_cost = 0.0
        self._n_calls = self._n_read = self._n_values = self._n_support = 0

    def start(self, n_folds, n_parts=0):
        """Start with unfitted models, one for each fold; scores are kept.

        ``n_parts``: number of the next part of the training data.
        """
        self._past_cost = self.cost
        self._n_calls = self._n_read = 0
        self._previous_model = self.models[0] if self.models else None
        # An unfitted estimator is copied ten times as fast as it is cloned.
        self.models = [copy.deepcopy(final_estimator(self.estimator)) for _ in range(n_folds)]
        self.n_parts = [n_parts] * n_folds
        self._has_begun = [False] * n_folds
        # Number of samples seen at the end of the last complete part, and the first sample of the
        # last call in the present part.
        self._n_seen, self._begun_from = [0] * n_folds, [0] * n_folds

    def train(self, fold, X, y, arguments, classes, *, resumable=True):
        """Train the model of a fold.

        ``resumable``: after an interrupt, the same call continues or repeats the training.
        """
        model = self.models[fold]
        resumes = hasattr(model, "resume")
        if getattr(model, "interrupted_", False):
            model.resume(*_rest(self._begun_from[fold], X, y), **self._rest_of(arguments, fold))
            self._has_begun[fold] = True
            return
        begin = self._untrained(fold) if resumable else 0
        if _num_samples(X) <= begin:
            return
        self._begun_from[fold] = begin
        given = self._rest_of(arguments, fold)
        X, y = _rest(begin, X, y)
        if resumable and not resumes:
            # The state that an interrupt leaves behind is unknown.
            model = copy.deepcopy(model)
        if not self._has_begun[fold] and classes is not None:
            given = {**given, "classes": classes}
        model.partial_fit(X, y, **given)
        self.models[fold], self._has_begun[fold], self._previous_model = model, True, None

    def with_classes(self, classes):
        """Return copies of the models to which new classes have been added."""
        return [
            with_classes(model, classes) if has_begun else model
            for model, has_begun in zip(self.models, self._has_begun, strict=True)
        ]

    def finish_part(self, fold, X, seconds):
        """Record that a model has been trained on a whole part."""
        self._n_seen[fold] = getattr(self.models[fold], "n_samples_seen_", 0)
        self.n_parts[fold] += 1
        self.fit_seconds += seconds
        self._n_calls += 1
        self._n_values = _n_values(X) / max(1, _num_samples(X))
        self._n_read += _n_values(X)

    def note_scored(self, parts, seconds):
        """Count the cost of predictions for the parts of X, one for each model."""
        self.score_seconds += seconds
        by_sample = VALUE_NS * self._n_values
        n_support = getattr(self.models[0], "n_support_", None)
        if n_support is not None:
            by_kernel_value = 0.5 + 0.01 * self._n_values + 0.1 * len(n_support)
            by_sample += by_kernel_value * float(np.sum(n_support))
        self.score_cost = by_sample * sum(_num_samples(X) for X in parts)
        self._past_cost += len(parts) * CALL_NS + self.score_cost

    def _untrained(self, fold):
        """Return where in the present part training stopped, if it was interrupted there."""
        if not hasattr(self.models[fold], "resume"):
            return 0
        return getattr(self.models[fold], "n_samples_seen_", 0) - self._n_seen[fold]

    def _rest_of(self, arguments, fold):
        begin = self._begun_from[fold]
        return {name: _rest(begin, values)[0] for name, values in arguments.items()}

    def release(self):
        """Release the models of an eliminated candidate."""
        self._past_cost, self._n_support, self.models = self.cost, self.n_support, []
        self._n_calls = self._n_read = 0

    def copy(self):
        """Return a candidate with a copy of the first model, to be trained independently."""
        other = copy.copy(self)
        # During the final training the previous model is kept until the new one has samples.
        is_new = not self._has_begun[0] and self._previous_model is not None
        other.models = [copy.deepcopy(self._previous_model if is_new else self.models[0])]
        for name in ("_n_seen", "_begun_from", "n_parts", "_has_begun"):
            setattr(other, name, list(getattr(self, name)))
        if not self.transformers.is_fitted:
            other.transformers = copy.deepcopy(self.transformers)
        return other

    def fitted(self):
        """Return the fitted estimator, with its transformers if it is a pipeline."""
        if not isinstance(self.estimator, Pipeline):
            return self.models[0]
        pipeline = copy.copy(self.estimator)
        name = self.estimator.steps[-1][0]
        pipeline.steps = [*self.transformers.steps, (name, self.models[0])]
        return pipeline

    @property
    def n_support(self):
        """Number of support vectors of the first model; nan if it has none."""
        if not self.models:
            return self._n_support
        n_support = getattr(self.models[0], "n_support_", None)
        return np.nan if n_support is None else float(np.sum(n_support))

    @property
    def cost(self):
        """Estimated nanoseconds of training and scores so far, the same on every machine."""
        return self._past_cost + CALL_NS * self._n_calls + sum(self.training_costs)

    @property
    def training_costs(self):
        """Estimated nanoseconds of training the present models, without the calls.

        The part that is proportional to the number of samples, and the rest.
        """
        linear, superlinear = VALUE_NS * self._n_read, 0.0
        for model, has_begun in zip(self.models, self._has_begun):
            if has_begun and hasattr(model, "_estimated_cost"):
                steps, by_support = model._estimated_cost(self._n_values)
                linear, superlinear = linear + steps, superlinear + by_support
        return linear, superlinear

    @property
    def fit_cost(self):
        """Estimated nanoseconds of one fit on the same samples."""
        return CALL_NS + sum(self.training_costs) / len(self.models)


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
