"""Scores of candidates on held-out samples, with standard errors."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import get_tags

from .._sklearn_compat import _num_samples, _safe_indexing

__all__ = ["Scores", "compute_scores", "score_differences"]

# Blocks of samples of the jackknife.
N_BLOCKS = 10
_RESPONSES = ("predict", "decision_function", "predict_proba", "predict_log_proba")


@dataclass(frozen=True)
class Scores:
    """Scores of one candidate, on the same samples as all other candidates.

    Attributes
    ----------
    values : dict
        Score by metric, the mean over the folds; the first metric decides.
    replicates : ndarray of shape (n_folds, n_blocks)
        The first metric without each of the blocks of samples.
    n_samples : int
    """

    values: dict
    replicates: np.ndarray
    n_samples: int

    @property
    def value(self):
        """Score by the metric that decides."""
        return next(iter(self.values.values()))

    @property
    def standard_error(self):
        """Standard error of the score, by the block jackknife."""
        return float(np.sqrt(_jackknife(self.replicates[None])[0]))


def score_differences(scores, other):
    """Return the scores of some candidates minus that of another, on the same samples.

    The standard errors are those of the differences: samples that are hard for both do not count.

    Parameters
    ----------
    scores : list of Scores
    other : Scores

    Returns
    -------
    difference, standard_error : ndarray of shape (n_candidates,)
    """
    difference = np.array([of.value for of in scores]) - other.value
    replicates = np.array([of.replicates for of in scores]) - other.replicates
    return difference, np.sqrt(_jackknife(replicates))


def _jackknife(replicates):
    """Return variances of means over folds, by the block jackknife in each fold.

    For a metric that is a mean over samples, such as accuracy, this is the variance between blocks
    divided by their number.
    """
    n_folds, n_blocks = replicates.shape[1:]
    spread = np.square(replicates - replicates.mean(axis=2, keepdims=True)).sum(axis=2)
    return (n_blocks - 1) / n_blocks * spread.sum(axis=1) / n_folds**2


def compute_scores(scorers, folds):
    """Score a candidate.

    Parameters
    ----------
    scorers : dict of callables
        By name; the first one decides.
    folds : list of tuples
        For each model of the candidate (model, X, y, arguments of each scorer).

    Returns
    -------
    scores : Scores
    """
    values, replicates, n_samples = [], [], 0
    for model, X, y, given in folds:
        predictions = _Predictions(model, X)
        indices = np.arange(_num_samples(X))
        found = [
            _scores_of(scorer, predictions, indices, y, given.get(name, {}), first=k == 0)
            for k, (name, scorer) in enumerate(scorers.items())
        ]
        values.append([value for value, _ in found])
        replicates.append(found[0][1])
        n_samples += len(indices)
    means = np.mean(values, axis=0).tolist()
    return Scores(dict(zip(scorers, means)), np.array(replicates), n_samples)


def _scores_of(scorer, predictions, indices, y, given, *, first):
    """Return the score by a scorer; of the first one also without each of the blocks."""
    blocks = np.array_split(indices, min(N_BLOCKS, len(indices)))
    if not given and _is_accuracy(scorer, predictions):
        hits = predictions.predict(indices) == np.asarray(y)
        counts = np.array([np.sum(hits[block]) for block in blocks])
        left = len(indices) - np.array([len(block) for block in blocks])
        return float(np.mean(hits)), _padded((counts.sum() - counts) / np.maximum(left, 1))
    score = _score(scorer, predictions, indices, y, given)
    if not first:
        return score, None
    without = [
        _score(scorer, predictions, np.setdiff1d(indices, block), y, given) for block in blocks
    ]
    return score, _padded(without)


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


def _padded(replicates):
    """Repeat the last value where there are fewer samples than blocks."""
    return np.pad(replicates, (0, N_BLOCKS - len(replicates)), mode="edge")


def _is_accuracy(scorer, predictions):
    if hasattr(scorer, "_score_func"):
        return scorer._score_func is accuracy_score and not scorer._kwargs
    method = type(predictions.estimator).score
    return hasattr(scorer, "_estimator") and method is ClassifierMixin.score


class _Predictions:
    """A fitted model whose methods take indices of samples; each sample is predicted once."""

    def __init__(self, estimator, X):
        self.estimator, self.X = estimator, X
        self._known = {}

    def __getattr__(self, name):
        """Return a method that predicts samples by their indices, if the model has it."""
        if name not in _RESPONSES:
            raise AttributeError(name)
        method = getattr(self.estimator, name)

        def predict(indices):
            if name not in self._known:
                self._known[name] = np.asarray(method(self.X))
            return self._known[name][indices]

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
