"""Leave-one-out decision values in Venn-Abers and conformal predictors of other packages."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import log_loss

from sklearn_online_svm import LASVC
from sklearn_online_svm.datasets import make_waveform
from sklearn_online_svm.evaluation import AdaptiveConformalInference


@pytest.fixture(scope="module")
def fitted():
    X, y = make_waveform(5000, random_state=0)
    names = np.where(y == 1, "yes", "no")
    # At the optimum the quantities below do not depend on the path: over orders of the samples,
    # their standard deviation is at most 1e-4, but up to 0.024 after a single pass.
    model = LASVC(C=10, probability=True, max_iter=-1, tol=1e-6, random_state=0)
    model.fit(X[:1000], names[:1000])
    scores = model.leave_one_out_decision_function(X[:1000], names[:1000])
    return model, X, names, scores


def columns(scores):
    return np.column_stack([-scores, scores])


# The package warns of slices without values, which it handles.
@pytest.mark.filterwarnings("ignore:All-NaN slice encountered:RuntimeWarning")
def test_venn_abers_intervals(fitted):
    with np.errstate():  # the import changes the error state of numpy
        VennAbers = pytest.importorskip("venn_abers").VennAbers
    model, X, y, scores = fitted
    new, y_new = model.decision_function(X[1000:]), y[1000:]

    def intervals_of(values):
        intervals = VennAbers()
        intervals.fit(columns(values), (y[:1000] == "yes").astype(int))
        return intervals.predict_proba(columns(new))

    probabilities, bounds = intervals_of(scores)
    lower, upper = bounds.T
    assert (lower < upper).all()
    assert (lower <= probabilities[:, 1]).all() and (probabilities[:, 1] <= upper).all()
    # The bounds contain the frequency of the class, up to its standard error.
    deviation = 3 * np.sqrt(0.25 / len(new))
    assert lower.mean() - deviation < (y_new == "yes").mean() < upper.mean() + deviation
    loss = log_loss(y_new, probabilities)
    assert loss < 1.05 * log_loss(y_new, model.predict_proba(X[1000:]))
    # Values of the training samples would be too good.
    trained, _ = intervals_of(model.decision_function(X[:1000]))
    assert loss < 0.95 * log_loss(y_new, trained)


def test_conformal_sets(fitted):
    ConformalClassifier = pytest.importorskip("crepes").ConformalClassifier
    model, X, y, scores = fitted
    new, y_new = columns(model.decision_function(X[1000:])), y[1000:]

    def sets_of(values, level):
        conformal = ConformalClassifier()
        conformal.fit(np.where(y[:1000] == "yes", -values, values))
        return conformal.predict_set(-new, confidence=level, smoothing=False).astype(bool)

    def coverage(sets):
        return np.where(y_new == "yes", sets[:, 1], sets[:, 0]).mean()

    for level in (0.8, 0.9, 0.95):
        sets = sets_of(scores, level)
        assert abs(coverage(sets) - level) < 0.03
        # 0.05, 0.15 and 0.10 too low
        assert coverage(sets_of(model.decision_function(X[:1000]), level)) < level - 0.03

        class LeftOut:
            """Returns the leave-one-out values, then those of new samples."""

            classes_ = model.classes_

            def decision_function(self, scores):
                return scores

        ours = AdaptiveConformalInference(confidence_level=level, step_size=0)
        ours.update(LeftOut(), scores, y[:1000])
        assert_array_equal(ours.predict_set(LeftOut(), new[:, 1]), sets)
