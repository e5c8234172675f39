"""Scores of models on rows they have not learnt, and how far chance may have moved them."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples

__all__ = ["Judge", "Marks", "differences"]

# Blocks of rows that are left out in turn.
N_BLOCKS = 10


@dataclass(frozen=True)
class Marks:
    """Scores of one candidate on the same rows as all others.

    Attributes
    ----------
    scores : dict
        Score by metric; the mean over the folds.
    replicates : ndarray of shape (n_folds, n_blocks)
        The first metric without each of the blocks of rows.
    n_rows : int
    """

    scores: dict
    replicates: np.ndarray
    n_rows: int

    @property
    def score(self):
        """Score by which candidates are compared."""
        return self.of(None)

    def of(self, metric):
        """Score by a metric; None: the first one."""
        return next(iter(self.scores.values())) if metric is None else self.scores[metric]

    @property
    def variance(self):
        """Square of the standard error of the score."""
        return float(_jackknife(self.replicates[None])[0])


def differences(marks, other):
    """Scores of some candidates less that of another on the same rows.

    What both find hard on these rows does not count in the standard error.

    Parameters
    ----------
    marks : list of Marks
    other : Marks

    Returns
    -------
    difference, variance : ndarray of shape (n_candidates,)
    """
    difference = np.array([of.score for of in marks]) - other.score
    replicates = np.array([of.replicates for of in marks]) - other.replicates
    return difference, _jackknife(replicates)


def _jackknife(replicates):
    """Variance of means over folds, by the block jackknife of each.

    Of a metric that is a mean over rows, as accuracy, this is the variance between blocks.
    """
    n_folds, n_blocks = replicates.shape[1:]
    spread = np.square(replicates - replicates.mean(axis=2, keepdims=True)).sum(axis=2)
    return (n_blocks - 1) / n_blocks * spread.sum(axis=1) / n_folds**2


def _answers(name):
    """Return the method of that name, for models that have it."""

    def answers(self, rows):
        return self.answer(name)[rows]

    answers.__name__ = name
    return available_if(lambda self: hasattr(self.estimator, name))(answers)


class Responses:
    """A fitted model as scorers see it: rows are numbers, and each is predicted once."""

    def __init__(self, estimator, X, known=None):
        self.estimator, self.X = estimator, X
        self.known = {} if known is None else known

    def answer(self, name):
        """Return what a method says of all rows."""
        if name not in self.known:
            self.known[name] = np.asarray(getattr(self.estimator, name)(self.X))
        return self.known[name]

    predict = _answers("predict")
    decision_function = _answers("decision_function")
    predict_proba = _answers("predict_proba")
    predict_log_proba = _answers("predict_log_proba")

    def score(self, rows, y, **given):
        """Score as the model does it."""
        method = type(self.estimator).score
        if method in (ClassifierMixin.score, RegressorMixin.score):
            return method(self, rows, y, **given)
        return self.estimator.score(_safe_indexing(self.X, rows), y, **given)

    @property
    def classes_(self):
        """Labels, where there are any."""
        return self.estimator.classes_

    def __sklearn_tags__(self):
        return get_tags(self.estimator)


class Judge:
    """Gives marks to models.

    Parameters
    ----------
    scorers : dict of callables
        By name; the first one decides.
    """

    def __init__(self, scorers):
        self.scorers = scorers

    def marks(self, folds):
        """Return the marks of a candidate.

        Parameters
        ----------
        folds : list of tuples
            For each of its models (model, X, y, arguments of the scorers, known answers or None).
        """
        scores, replicates, n_rows = [], [], 0
        for model, X, y, given, known in folds:
            responses = Responses(model, X, known)
            rows = np.arange(_num_samples(X))
            answers = [
                self.fold(scorer, responses, rows, y, given.get(name, {}), first=k == 0)
                for k, (name, scorer) in enumerate(self.scorers.items())
            ]
            scores.append([score for score, _ in answers])
            replicates.append(answers[0][1])
            n_rows += len(rows)
        means = np.mean(scores, axis=0).tolist()
        return Marks(dict(zip(self.scorers, means)), np.array(replicates), n_rows)

    def fold(self, scorer, responses, rows, y, given, *, first):
        """Score by a scorer; of the first one also without each of the blocks."""
        blocks = np.array_split(rows, min(N_BLOCKS, len(rows)))
        if not given and _is_accuracy(scorer, responses):
            hits = responses.predict(rows) == np.asarray(y)
            counts = np.array([np.sum(hits[block]) for block in blocks])
            left = len(rows) - np.array([len(block) for block in blocks])
            without = (counts.sum() - counts) / np.maximum(left, 1)
            return float(np.mean(hits)), _padded(without)
        score = self.score(scorer, responses, rows, y, given)
        if not first:
            return score, None
        return score, _padded(
            [
                self.score(scorer, responses, np.setdiff1d(rows, block), y, given)
                for block in blocks
            ]
        )

    def score(self, scorer, responses, rows, y, given):
        """Score on some rows by a scorer; nan where none of them has a weight."""
        given = {name: _safe_indexing(values, rows) for name, values in given.items()}
        if "sample_weight" in given and not np.any(given["sample_weight"]):
            return np.nan
        some = _safe_indexing(y, rows)
        if _asks_the_model(scorer):
            value = scorer(responses, rows, some, **given)
        else:
            value = scorer(responses.estimator, _safe_indexing(responses.X, rows), some, **given)
        if not np.isscalar(value) and np.ndim(value):
            raise ValueError(
                f"scoring must return a number, got {value!r} from {scorer!r}; several metrics "
                "are a list or a dict of scorers."
            )
        return float(value)


def _padded(replicates):
    """As many as there are blocks, where there are fewer rows than that."""
    return np.pad(replicates, (0, N_BLOCKS - len(replicates)), mode="edge")


def _asks_the_model(scorer):
    """Whether a scorer sees rows through the model alone; a function may look at them itself."""
    return hasattr(scorer, "_score_func") or hasattr(scorer, "_estimator")


def _is_accuracy(scorer, responses):
    if hasattr(scorer, "_score_func"):
        return scorer._score_func is accuracy_score and not scorer._kwargs
    method = type(responses.estimator).score
    return hasattr(scorer, "_estimator") and method is ClassifierMixin.score
