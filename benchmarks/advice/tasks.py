"""Tasks of `advice`: what runs inside a fresh process."""

from dataclasses import dataclass

import numpy as np
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import AdvicePassiveAggressiveClassifier

from ..bench.job import Job
from .sets import SETS

# Samples used when the test error is looked at; 0: only the advice is known.
ROWS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500]
CS = [0.001, 0.003, 0.01, 0.03, 0.1]
# C is chosen on other orders of the samples than those reported.
N_CHOOSING, N_REPORTED = 30, 100


@dataclass(frozen=True)
class AdviceJob(Job):
    """One set, one kind of advice, one weight of it."""

    work: str = ""
    advice: str = ""
    weight: float = 0.0
    refine: bool = False


def curve(job, C, seed):
    """Test errors after each number of samples, of one order of the samples."""
    work = SETS[job.work]
    X, y, X_test, y_test = work.load(seed)
    # Fitted on the training samples, without their labels.
    scaler = StandardScaler().fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    advice = [piece.transformed_by(scaler) for piece in work.advice[job.advice]]
    model = AdvicePassiveAggressiveClassifier(
        advice, C=C, advice_weight=job.weight, refine=job.refine
    )
    # The model of the rules alone.
    model.partial_fit(X[:0], y[:0], classes=[-1, 1])
    errors = []
    for start, stop in zip([0, *ROWS[:-1]], ROWS):
        if stop > start:
            model.partial_fit(X[start:stop], y[start:stop])
        errors.append(float(np.mean(model.predict(X_test) != y_test)))
    return errors


def advice_curve(job):
    """The mean curve, with the C whose curve is the lowest on other orders of the samples."""
    n_choosing, n_reported = (2, 2) if job.quick else (N_CHOOSING, N_REPORTED)
    means = {C: np.mean([curve(job, C, 1000 + seed) for seed in range(n_choosing)]) for C in CS}
    C = min(means, key=means.get)
    errors = np.array([curve(job, C, seed) for seed in range(n_reported)])
    return {
        "C": C,
        "n_orders": n_reported,
        "rows": ROWS,
        "errors": errors.mean(axis=0).tolist(),
    }


JOB = AdviceJob
TASKS = {"advice_curve": advice_curve}
