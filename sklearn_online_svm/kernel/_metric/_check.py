"""Whether a learned metric is better than equal widths, by the errors of SVMs."""

import warnings

import numpy as np

from .._lasvc import LASVC
from .._lasvr import LASVR

# Training samples, half of all if there are fewer.
N_TRAIN = 2000
# A learned metric is used if its errors are lower by so many standard errors of the difference.
# The descent has seen the samples, too, which the margin allows for.
N_STANDARD_ERRORS = 1.5
C = 8.0


def is_better(learned, equal, y, weights, kernel, is_regression, random):
    """Return whether an SVM on the samples ``learned`` has lower errors than one on ``equal``."""
    drawn = random.permutation(len(y))
    train, test = np.split(drawn, [min(N_TRAIN, len(y) // 2)])
    if np.ptp(y[train]) == 0:
        return False
    weights = weights / weights.mean()
    errors = [_errors(Z, y, weights, train, test, kernel, is_regression) for Z in (learned, equal)]
    differences = np.subtract(*errors, dtype=np.float64)
    mean = np.average(differences, weights=weights[test])
    squares = (weights[test] * (differences - mean)) ** 2
    return bool(mean < -N_STANDARD_ERRORS * np.sqrt(squares.sum()) / weights[test].sum())


def _errors(Z, y, weights, train, test, kernel, is_regression):
    model = (LASVR if is_regression else LASVC)(kernel=kernel, gamma=1.0, C=C, random_state=0)
    try:
        # Its warnings are about a model that the user has not made.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(Z[train], y[train], weights[train])
    except KeyboardInterrupt:
        # Without the note that the model can be resumed.
        raise KeyboardInterrupt from None
    predicted = model.predict(Z[test])
    return (predicted - y[test]) ** 2 if is_regression else predicted != y[test]
