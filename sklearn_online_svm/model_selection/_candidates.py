"""Candidates of a search: parameters, the transformers in front of a model, and the model."""

import copy
from numbers import Number

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

__all__ = ["Candidate", "Preparation", "Table", "candidates_of", "final_estimator"]


def final_estimator(estimator):
    """Return what learns: the last step of a pipeline, else the estimator itself."""
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


class Table:
    """Rows with labels and metadata, and what transformers have made of them.

    Parameters
    ----------
    X, y : rows and targets
    learning : dict
        Arguments of ``partial_fit``, one value for each row.
    scoring : dict of dicts
        Arguments of each scorer.
    """

    def __init__(self, X, y, learning, scoring):
        self.X, self.y = X, y
        self.learning, self.scoring = learning, scoring
        self.prepared = {}

    def rows_of(self, preparation):
        """Return the rows as the transformers leave them; made once."""
        if preparation not in self.prepared:
            self.prepared[preparation] = preparation.transform(self.X)
        return self.prepared[preparation]

    def keep_prepared(self, preparations):
        """Give up what other transformers have made."""
        self.prepared = {p: X for p, X in self.prepared.items() if p in preparations}

    def copied(self):
        """Return the same rows, which nobody else writes to."""
        learning = {name: _copied(values) for name, values in self.learning.items()}
        scoring = {
            metric: {name: _copied(values) for name, values in given.items()}
            for metric, given in self.scoring.items()
        }
        return Table(_copied(self.X), _copied(self.y), learning, scoring)

    def take(self, preparation, rows):
        """Return X and y of some rows, and the arguments of ``partial_fit`` and of scorers."""
        X = _safe_indexing(self.rows_of(preparation), rows)
        y = None if self.y is None else _safe_indexing(self.y, rows)
        learning = {name: _safe_indexing(values, rows) for name, values in self.learning.items()}
        scoring = {
            metric: {name: _safe_indexing(values, rows) for name, values in given.items()}
            for metric, given in self.scoring.items()
        }
        return X, y, learning, scoring


class Preparation:
    """The transformers of a pipeline: fitted once, and frozen from then on."""

    def __init__(self, steps=()):
        self.steps = list(steps)
        self.is_fitted = False

    def fit(self, X, y, first):
        """Fit each step: on every row of X, without y.

        One that cannot be fitted so gets the ``first`` rows with their targets, on which nobody is
        scored.
        """
        for k, (name, step) in enumerate(self.steps):
            if step is None or step == "passthrough":
                continue
            try:
                fitted = clone(step).fit(X, None)
            except (TypeError, ValueError):  # of whatever kind: it shows again
                fitted = clone(step).fit(_safe_indexing(X, first), _safe_indexing(y, first))
            self.steps[k] = (name, fitted)
            if k < len(self.steps) - 1:
                X = fitted.transform(X)
        self.is_fitted = True
        return self

    def transform(self, X):
        """Return rows as the model takes them."""
        for _, step in self.steps:
            if step is not None and step != "passthrough":
                X = step.transform(X)
        return X


class Candidate:
    """A choice of parameters, its models (one for each fold), and how they have done.

    Attributes
    ----------
    models : list of estimators
    n_learnt : list of int
        Parts of the stream that each has learnt, wholly.
    marks : dict
        By the number of the comparison, what the judges gave.
    error : Exception or None
        What it failed with.
    """

    def __init__(self, number, params, estimator, preparation):
        self.number, self.params = number, params
        self.estimator, self.preparation = estimator, preparation
        self.models = []

    def begin(self, n_folds, n_parts=0):
        """Start anew, with a model for each fold; so many parts of the stream are over."""
        self.restart(n_folds, n_parts)
        self.marks, self.error = {}, None
        self.fit_seconds = self.score_seconds = 0.0

    def restart(self, n_folds, n_parts):
        """Forget what has been learnt, and keep the scores."""
        self.former = self.models[0] if self.models else None
        # What is copied has not been fitted; clone would take ten times as long.
        self.models = [copy.deepcopy(final_estimator(self.estimator)) for _ in range(n_folds)]
        self.n_learnt = [n_parts] * n_folds
        self.has_begun = [False] * n_folds
        # Rows that each had seen when its last whole part was over, and where in the present part
        # its last call began.
        self.n_seen, self.begun_from = [0] * n_folds, [0] * n_folds

    def has_learnt(self, fold, seconds):
        """Note that a model has learnt a part of the stream."""
        self.n_seen[fold] = getattr(self.models[fold], "n_samples_seen_", 0)
        self.n_learnt[fold] += 1
        self.fit_seconds += seconds

    def left(self, fold):
        """Return which rows of a part a model has not learnt, after an interrupt in its midst."""
        seen = getattr(self.models[fold], "n_samples_seen_", 0) - self.n_seen[fold]
        return slice(seen if hasattr(self.models[fold], "resume") else 0, None)

    def learn(self, fold, X, y, arguments, classes, *, wholly=True):
        """Have a model learn rows.

        ``wholly``: what an interrupt leaves can be gone on with, by the same call.
        """
        model = self.models[fold]
        resumes = hasattr(model, "resume")
        if getattr(model, "interrupted_", False):
            model.resume(*_rest(self.begun_from[fold], X, y), **_rest_of(arguments, self, fold))
            self.has_begun[fold] = True
            return
        begin = self.left(fold).start if wholly else 0
        if _num_samples(X) <= begin:
            return
        self.begun_from[fold] = begin
        given = _rest_of(arguments, self, fold)
        X, y = _rest(begin, X, y)
        if wholly and not resumes:
            # What an interrupt leaves of it is unknown.
            model = copy.deepcopy(model)
        if not self.has_begun[fold] and classes is not None:
            given = {**given, "classes": classes}
        model.partial_fit(X, y, **given)
        self.models[fold], self.has_begun[fold], self.former = model, True, None

    def release(self):
        """Give up the models of who has left the race."""
        self._n_support, self.models = self.n_support, []

    def twin(self):
        """Return a candidate that has learnt the same, and goes on by itself."""
        twin = copy.copy(self)
        # In the midst of the last training: that of a fold, until the model has begun anew.
        model = self.models[0] if self.has_begun[0] or self.former is None else self.former
        twin.models = [copy.deepcopy(model)]
        twin.n_seen, twin.begun_from = list(self.n_seen), list(self.begun_from)
        twin.n_learnt, twin.has_begun = list(self.n_learnt), list(self.has_begun)
        if not self.preparation.is_fitted:
            twin.preparation = copy.deepcopy(self.preparation)
        return twin

    def fitted(self):
        """Return the estimator that users get: with the transformers, where there are any."""
        if not isinstance(self.estimator, Pipeline):
            return self.models[0]
        pipeline = copy.copy(self.estimator)
        name = self.estimator.steps[-1][0]
        pipeline.steps = [*self.preparation.steps, (name, self.models[0])]
        return pipeline

    @property
    def n_support(self):
        """Support vectors of the first model, nan of one that has none."""
        if not self.models:
            return self._n_support
        n_support = getattr(self.models[0], "n_support_", None)
        return np.nan if n_support is None else float(np.sum(n_support))


def _copied(array):
    return array.copy() if hasattr(array, "copy") else copy.copy(array)


def _rest(begin, *arrays):
    """Rows from ``begin`` on, of arrays that may be None."""
    if not begin:
        return arrays
    return tuple(None if a is None else _safe_indexing(a, slice(begin, None)) for a in arrays)


def _rest_of(arguments, candidate, fold):
    begin = candidate.begun_from[fold]
    return {name: _rest(begin, values)[0] for name, values in arguments.items()}


def candidates_of(estimator, settings):
    """Return the candidates for a list of dicts of parameters.

    Those whose transformers have the same parameters share them.
    """
    unfitted, shared, candidates = clone(estimator), {}, []
    for number, params in enumerate(settings):
        # Values may be estimators, as in a search over the steps of a pipeline.
        mine = copy.deepcopy(unfitted).set_params(**clone(params, safe=False))
        preparation = Preparation()
        if isinstance(mine, Pipeline):
            last = mine.steps[-1][0]
            key = tuple(
                (name, _identity(value))
                for name, value in sorted(params.items())
                if name.partition("__")[0] != last
            )
            preparation = shared.setdefault(key, Preparation(mine.steps[:-1]))
        else:
            preparation = shared.setdefault((), preparation)
        candidates.append(Candidate(number, params, mine, preparation))
    return candidates


def _identity(value):
    """Return what is equal for equal values of a parameter, as far as that can be told."""
    plain = value is None or isinstance(value, (str, Number))
    return (type(value), value) if plain else id(value)
