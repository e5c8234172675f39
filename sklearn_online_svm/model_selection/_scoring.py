"""Scores of candidates on held-out samples, with standard errors."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, is_classifier
from sklearn.metrics import accuracy_score
from sklearn.utils import get_tags

from .._sklearn_compat import _num_samples, _safe_indexing

# Blocks of samples of the jackknife.
N_BLOCKS = 5
_RESPONSES = ("predict", "decision_function", "predict_proba", "predict_log_proba")


@dataclass(frozen=True)
class Scores:
    """Scores of one candidate, on the same samples as all other candidates."""

    values: dict  # score by metric; the first metric decides
    n_samples: int
    is_constant: bool = False  # whether all samples have the same prediction
    # Standard error of the first metric; nan if it has not been computed.
    standard_error: float = np.nan
    # Whether scorers of scikit-learn have asked for probabilities.
    uses_probabilities: bool = False

    @property
    def value(self):
        """Score by the metric that decides."""
        return next(iter(self.values.values()))


def compute_scores(scorers, model, X, y, given):
    """Score a model; the standard error is that of an accuracy, otherwise nan."""
    predictions, indices = _predictions(model, X), np.arange(_num_samples(X))
    values = {
        name: _score(scorer, predictions, indices, y, given.get(name, {}))
        for name, scorer in scorers.items()
    }
    first, error = next(iter(scorers)), np.nan
    if not given.get(first) and _is_accuracy(scorers[first], predictions):
        error = float(np.sqrt(values[first] * (1.0 - values[first]) / len(indices)))
    known = predictions.known
    is_constant = bool(known) and all((array == array[:1]).all() for array in known.values())
    uses_probabilities = not {"predict_proba", "predict_log_proba"}.isdisjoint(known)
    return Scores(values, len(indices), is_constant, error, uses_probabilities)


def jackknife_error(scorer, model, X, y, given):
    """Return the standard error of a score, by the jackknife over blocks of samples.

    Samples of a class all of which are in one block are never left out: many metrics need all
    classes.
    """
    predictions, indices = _predictions(model, X), np.arange(_num_samples(X))
    blocks = np.array_split(indices, min(N_BLOCKS, len(indices)))
    rests = [np.setdiff1d(indices, block) for block in blocks]
    if is_classifier(model) and np.ndim(y) == 1:
        labels = np.asarray(y)
        rests = [np.flatnonzero(np.isin(indices, rest) | ~np.isin(labels, labels[rest]))
                 for rest in rests]  # fmt: skip
    without = np.array([_score(scorer, predictions, rest, y, given) for rest in rests])
    n = len(blocks)
    return float(np.sqrt((n - 1) / n * np.square(without - without.mean()).sum()))


def no_scores(scorers, n_samples, value):
    """Return the scores of a candidate whose scorers have raised an error."""
    return Scores(dict.fromkeys(scorers, value), n_samples)


def mean_scores(scores):
    """Return the means of the scores on several test sets, of those that are known."""
    known = [s for s in scores if not np.isnan(s.value)] or scores
    values = {name: float(np.mean([s.values[name] for s in known])) for name in scores[0].values}
    n_samples, is_constant = sum(s.n_samples for s in scores), all(s.is_constant for s in scores)
    return Scores(values, n_samples, is_constant)


def _score(scorer, predictions, indices, y, given):
    """Return the score on some samples by a scorer; nan if none of them has a weight."""
    given = {name: _safe_indexing(values, indices) for name, values in given.items()}
    if "sample_weight" in given and not np.any(given["sample_weight"]):
        return np.nan
    targets = _safe_indexing(y, indices)
    if hasattr(scorer, "_score_func") or hasattr(scorer, "_estimator"):
        # Scorers of scikit-learn use samples only as arguments of methods of the model.
        value = scorer(predictions, indices, targets, **given)
    else:
        X = _safe_indexing(predictions.X, indices)
        value = scorer(predictions.estimator, X, targets, **given)
    if not np.isscalar(value) and np.ndim(value):
        raise ValueError(
            f"scoring must return a number, got {value!r} from {scorer!r}; several metrics "
            "are a list or a dict of scorers."
        )
    return float(value)


def _is_accuracy(scorer, predictions):
    if hasattr(scorer, "_score_func"):
        return scorer._score_func is accuracy_score and not scorer._kwargs
    method = type(predictions.estimator).score
    return hasattr(scorer, "_estimator") and method is ClassifierMixin.score


def _predictions(model, X):
    # Errors of scikit-learn name the class.
    return type(type(model).__name__, (_Predictions,), {})(model, X)


class _Predictions:
    """A fitted model whose methods take indices of samples; each sample is predicted once."""

    def __init__(self, estimator, X):
        self.estimator, self.X = estimator, X
        # The predictions of all samples, by the name of the method.
        self.known = {}

    def __getattr__(self, name):
        """Return a method that predicts samples by their indices, if the model has it."""
        if name not in _RESPONSES:
            raise AttributeError(name)
        method = getattr(self.estimator, name)

        def predict(indices):
            if name not in self.known:
                self.known[name] = np.asarray(method(self.X))
            return self.known[name][indices]

        predict.__name__ = name  # read by scikit-learn
        return predict

    def score(self, indices, y, **given):
        """Return the score by the method of the model."""
        method = type(self.estimator).score
        if method in (ClassifierMixin.score, RegressorMixin.score):
            return method(self, indices, y, **given)
        return self.estimator.score(_safe_indexing(self.X, indices), y, **given)

    @property
    def classes_(self):
        """Class labels, for classifiers."""
        return self.estimator.classes_

    def __sklearn_tags__(self):
        return get_tags(self.estimator)
