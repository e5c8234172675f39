"""Candidates of a search: parameters, results, and the model of the last training."""

import copy
from dataclasses import dataclass
from time import perf_counter, thread_time

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from .._sklearn_compat import _num_samples
from .._transactions import PostponedInterrupts
from ..pipeline import final_estimator
from ._scoring import Scores
from ._transformers import last_step

# Estimates of cost in nanoseconds: a call of fit, partial_fit or predict; a visit of a sample by a
# linear model, and each of its values.
CALL_NS, VISIT_NS, VALUE_NS = 7e5, 100.0, 0.5
# The map for the probabilities of a pair of classes, and a vector that is left out for it.
MAP_NS, LEFT_OUT_NS = 1.5e6, 1e4
# Exponent of superlinear costs in the number of samples before it is measured, and its bounds.
FIRST_GROWTH, LEAST_GROWTH, MOST_GROWTH = 1.8, 1.2, 2.0


@dataclass(frozen=True)
class Entry:
    """Result of a candidate in a rung."""

    # Number of the rung, and of its training samples.
    rung: int
    n_samples: int
    scores: Scores | None  # with folds, the means so far; None if the candidate has failed
    standard_error: float  # standard error of the score that decides; nan if it is not known
    n_support: float
    # So far.
    fit_seconds: float
    score_seconds: float


class Candidate:
    """One choice of parameters.

    ``estimator``: unfitted, with these parameters. ``step``: the last transformer in front of the
    model, or None.

    ``transformers``: names and fitted transformers in front of ``model``.
    ``fitted_rung``: rung or fold that ``model`` has been fitted to, "all" samples, or None.
    ``scores``: :class:`Scores` of each rung, or of each fold alone, by its number.
    ``n_support``: number of support vectors after the last training; nan if there are none. It is
        not read from the model again, which would optimize that over its support set.
    ``error``: error that the candidate has failed with, or None.
    ``score_error``: error of its last scores, until those of all candidates have been computed.
    """

    def __init__(self, number, params, estimator, step):
        self.number, self.params, self.estimator, self.step = number, params, estimator, step
        self.model, self.transformers, self.fitted_rung = None, [], None
        self.scores, self.entries = {}, []
        self.error = self.score_error = None
        # Seconds of all training, of that of the present model, and of scores.
        self.fit_seconds = self.model_seconds = self.score_seconds = 0.0
        # Estimated nanoseconds of all training and scores.
        self.cost = 0.0
        self._linear = self._superlinear = self._scoring = self._mapping = 0.0
        self._n_samples, self._growth = 0, FIRST_GROWTH
        self.n_support = np.nan

    def unfitted(self):
        """Return an unfitted model."""
        # An unfitted estimator is copied ten times as fast as it is cloned.
        return copy.deepcopy(final_estimator(self.estimator))

    def fit(self, X, y, arguments, transformers, rung):
        """Fit a new model, unless that of this rung has been fitted before an interrupt."""
        if self.model is not None and rung == self.fitted_rung:
            return
        model = self.unfitted()
        start, processed = perf_counter(), thread_time()
        model.fit(X, y, **arguments)
        with PostponedInterrupts():
            self.note_trained(perf_counter() - start, anew=True)
            self.model, self.transformers, self.fitted_rung = model, transformers, rung
            self._note_cost(X, 1e9 * (thread_time() - processed))

    def note_trained(self, seconds, *, anew=False):
        """Count the time of training."""
        self.fit_seconds += seconds
        self.model_seconds = seconds if anew else self.model_seconds + seconds

    def _note_cost(self, X, measured):
        n, before = _num_samples(X), (self._n_samples, self._superlinear)
        self._linear, self._superlinear = training_cost(self.model, X, measured)
        self._n_samples, self.n_support = n, n_support_of(self.model)
        if 0 < before[0] < n and min(before[1], self._superlinear) > 0:
            growth = np.log(self._superlinear / before[1]) / np.log(n / before[0])
            self._growth = float(np.clip(growth, LEAST_GROWTH, MOST_GROWTH))
        self.cost += CALL_NS + self._linear + self._superlinear

    def note_scored(self, X, scores, seconds):
        """Count the cost of predictions for X, of metrics, and of a map for probabilities."""
        self.score_seconds += seconds
        values = _n_values(X) / max(1, _num_samples(X))
        by_sample = VISIT_NS + VALUE_NS * values
        n_support = getattr(self.model, "n_support_", None)
        self._mapping = (1 + len(scores.values)) * CALL_NS
        if n_support is not None:
            n_vectors, n_classes = float(np.sum(n_support)), len(n_support)
            by_sample += n_vectors * (0.5 + 0.01 * values + 0.1 * n_classes)
            if scores.uses_probabilities:
                n_pairs = max(1.0, n_classes * (n_classes - 1) / 2)
                self._mapping += MAP_NS * n_pairs + LEFT_OUT_NS * n_vectors
        self._scoring = by_sample * _num_samples(X)
        self.cost += self._mapping + self._scoring

    def predicted_cost(self, n_samples, n_scored=0.0):
        """Return the predicted cost of a fit with so many samples, in nanoseconds.

        ``n_scored``: samples that are scored, as a multiple of those that were last scored.
        """
        ratio = n_samples / max(1, self._n_samples)
        cost = CALL_NS + self._linear * ratio + self._superlinear * ratio**self._growth
        return cost + (self._mapping + self._scoring * ratio * n_scored if n_scored else 0.0)

    @property
    def training_cost(self):
        """Estimated nanoseconds of training the last model."""
        return self._linear + self._superlinear

    def release(self):
        """Release the model."""
        self.model, self.transformers = None, []

    def fitted(self):
        """Return the fitted estimator, with its transformers if it is a pipeline."""
        if not isinstance(self.estimator, Pipeline):
            return self.model
        pipeline = copy.copy(self.estimator)
        pipeline.steps = [*self.transformers, (self.estimator.steps[-1][0], self.model)]
        return pipeline

    def record(self, rung, n_samples, scores, standard_error=np.nan):
        """Add the result of a rung."""
        times = self.fit_seconds, self.score_seconds
        error = standard_error if np.isfinite(standard_error) else np.nan
        self.entries.append(Entry(rung, n_samples, scores, error, self.n_support, *times))


def n_support_of(model):
    """Return the number of support vectors; nan if the model has none."""
    n_support = getattr(model, "n_support_", None)
    return np.nan if n_support is None else float(np.sum(n_support))


def training_cost(model, X, measured):
    """Return the cost of training in nanoseconds: the part linear in the samples, and the rest.

    The same on every machine for the models of this package and the linear models of scikit-learn
    that count their updates; ``measured`` for others.
    """
    n_values = _n_values(X) / max(1, _num_samples(X))
    if hasattr(model, "_estimated_cost"):
        return model._estimated_cost(n_values)
    if hasattr(model, "t_") and hasattr(model, "coef_"):
        n_rows = 1 if np.ndim(model.coef_) < 2 else len(model.coef_)
        return max(0.0, model.t_ - 1) * n_rows * (VISIT_NS + VALUE_NS * n_values), 0.0
    return 0.0, measured


def _n_values(X):
    """Return the number of values of X that are stored."""
    return X.nnz if issparse(X) else np.size(X)


def candidates_of(estimator, settings, kind=Candidate, *, shared=None, first=0):
    """Return the candidates of class ``kind`` for a list of dicts of parameters.

    ``shared``: steps of other candidates, see :func:`last_step`. ``first``: the first number.
    """
    unfitted, shared, candidates = clone(estimator), {} if shared is None else shared, []
    # A candidate that a callback stops within a rung could not be compared with the others.
    vars(final_estimator(unfitted)).pop("_skl_callbacks", None)
    for number, params in enumerate(settings, start=first):
        # Values may be estimators, as in a search over the steps of a pipeline.
        configured = copy.deepcopy(unfitted).set_params(**clone(params, safe=False))
        step = last_step(configured, params, shared)
        candidates.append(kind(number, params, configured, step))
    return candidates
