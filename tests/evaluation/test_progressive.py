"""Prequential evaluation compared with a naive implementation."""

import pickle
import sys
import warnings
from time import perf_counter

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_matrix, csc_array, csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC
from sklearn_online_svm.evaluation import (
    ProgressiveClassificationResult,
    geometric_mean_score,
    misclassification_cost,
    progressive_validation,
    sensitivity_specificity_score,
)
from tests.support import samples
from tests.support.samples import three_classes


def two_classes(n=200):
    """Return two classes with the labels -1 and 1."""
    X, y = samples.two_classes(n)
    return X, np.where(y == "yes", 1, -1)


MODELS = {
    "sgd": SGDClassifier(random_state=0),
    "lasvc": LASVC(gamma=0.5, random_state=0),
    "bayes": BernoulliNB(),
}
PROBLEMS = {"binary": two_classes, "multiclass": three_classes}
with_models = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
with_problems = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)

COUNTS = ["n_samples", "n_scored", "mistakes", "n_queries", "true_counts", "predicted_counts"]


def assert_same_counts(result, other):
    """Compare everything but the times."""
    for name in [*COUNTS, "correct_counts", "confusion_matrix", "n_unpredicted", "n_support"]:
        assert_array_equal(getattr(result, name), getattr(other, name), err_msg=name)
    assert_array_equal(result.predictions, other.predictions)


def chunks_of(X, y, size):
    for start in range(0, len(y), size):
        yield X[start : start + size], y[start : start + size]


def naive_evaluation(model, X, y, size):
    """Return the predictions of all chunks but the first, and the end of each chunk."""
    predictions, ends = [], []
    for X_chunk, y_chunk in chunks_of(X, y, size):
        if ends:
            predictions.extend(model.predict(X_chunk))
        model.partial_fit(X_chunk, y_chunk, classes=np.unique(y))
        ends.append((ends[-1] if ends else 0) + len(y_chunk))
    return np.array(predictions), ends


def or_nan(metric, *args, **params):
    """Return a metric, nan if it warns that it is undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UndefinedMetricWarning)
        try:
            return metric(*args, **params)
        except UndefinedMetricWarning:
            return np.nan


def naive_curve(metric, y_true, y_pred, ends, **params):
    """Return the metric of all samples up to each end, nan for no samples."""
    return [
        or_nan(metric, y_true[:end], y_pred[:end], **params) if end else np.nan for end in ends
    ]


@pytest.mark.sampled
@with_models
@with_problems
@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_counts_equal_those_of_a_naive_evaluation(model, problem, size):
    X, y = problem(200)
    y_pred, ends = naive_evaluation(clone(model), X, y, size)
    result = progressive_validation(model, X, y, chunk_size=size, return_predictions=True)
    assert_array_equal(result.n_samples, ends)
    assert_array_equal(result.n_scored, np.array(ends) - ends[0])
    assert_array_equal(result.n_queries, ends)
    assert result.n_unpredicted == ends[0]
    assert_array_equal(result.predictions, y_pred)
    wrong = np.cumsum(np.r_[0, y_pred != y[ends[0] :]])
    assert_array_equal(result.mistakes, wrong[result.n_scored])
    assert_array_equal(result.classes, np.unique(y))
    if len(y_pred):
        assert_array_equal(
            result.confusion_matrix, confusion_matrix(y[ends[0] :], y_pred, labels=np.unique(y))
        )


@with_problems
def test_metrics_are_those_of_all_samples_so_far(problem):
    X, y = problem(300)
    order = np.r_[np.arange(40), 40 + np.argsort(y[40:], kind="stable")]  # one class first
    X, y = X[order], y[order]
    model = MODELS["sgd"]
    y_pred, ends = naive_evaluation(clone(model), X, y, 20)
    result = progressive_validation(model, X, y, chunk_size=20)
    scored = y[20:], y_pred, result.n_scored
    labels = np.unique(y)

    assert_allclose(result.accuracy(), naive_curve(accuracy_score, *scored))
    assert_allclose(
        result.geometric_mean(), naive_curve(geometric_mean_score, *scored, labels=labels)
    )
    assert_allclose(
        result.geometric_mean(labels=labels[:2]),
        naive_curve(geometric_mean_score, *scored, labels=labels[:2]),
    )
    for label in labels:
        assert_allclose(
            result.f1(pos_label=label),
            np.ravel(
                naive_curve(
                    f1_score, *scored, labels=[label], average="macro", zero_division="warn"
                )
            ),
        )
    if len(labels) > 2:
        macro = dict(labels=labels, average="macro", zero_division=np.nan)
        assert_allclose(result.f1(), naive_curve(f1_score, *scored, **macro))
        return
    assert_allclose(result.f1(), result.f1(pos_label=labels[1]))
    for pos in labels:
        about = {"pos_label": pos}
        assert_allclose(
            result.sensitivity_specificity(sensitivity_weight=0.8, **about),
            naive_curve(sensitivity_specificity_score, *scored, sensitivity_weight=0.8, **about),
        )
    given = dict(zip(labels, (50, 2)))
    for params in ({}, {"costs": given}, {"normalize": True}):
        defined = naive_curve(misclassification_cost, *scored, **params)
        defined[0] = result.cost(**params)[0]  # no samples: 0 with given costs, else nan
        assert_allclose(result.cost(**params), defined)


@pytest.mark.sampled
@with_problems
@pytest.mark.parametrize(
    "size, window",
    [
        pytest.param(1, 31, marks=pytest.mark.slow),
        *((7, 1), (7, 80), (30, 1), (30, 30), (30, 31), (7, 10**20)),
    ],
)
def test_rolling_metrics_are_those_of_the_latest_chunks(problem, window, size):
    X, y = problem(200)
    y[100:] = y[:100][::-1]
    labels = np.unique(y)
    y_pred, ends = naive_evaluation(clone(MODELS["sgd"]), X, y, size)
    whole = progressive_validation(MODELS["sgd"], X, y, chunk_size=size)
    result = whole.rolling(window)
    starts = [max(e for e in [0, *ends] if e <= max(0, end - window)) for end in ends]
    for k, (start, end) in enumerate(zip(starts, ends, strict=True)):
        assert start == 0 or window <= end - start < window + size
        true = y[max(start, size) : end]
        pred = y_pred[max(start - size, 0) : end - size]
        assert result.n_scored[k] == len(true)
        assert result.mistakes[k] == (true != pred).sum()
        if not len(true):
            assert np.isnan(result.accuracy()[k])
            continue
        assert_allclose(result.accuracy()[k], accuracy_score(true, pred))
        assert_allclose(
            result.geometric_mean()[k], or_nan(geometric_mean_score, true, pred, labels=labels)
        )
        if len(labels) == 2:
            assert_allclose(result.f1()[k], or_nan(f1_score, true, pred, zero_division="warn"))
            assert_allclose(result.cost()[k], or_nan(misclassification_cost, true, pred))
    for name in ("n_samples", "n_queries", "seconds", "confusion_matrix", "n_unpredicted"):
        assert_array_equal(getattr(result, name), getattr(whole, name))
    if window > 200:
        assert_same_counts(result, whole)


def test_rolling_window_of_unequal_chunks():
    X, y = two_classes(100)
    labels = np.where(np.arange(100) % 3, y, np.nan)
    ends = [10, 10, 50, 55, 100]
    chunks = [(X[a:b], labels[a:b]) for a, b in zip([0, *ends], ends)]
    result = progressive_validation(SelfPredicting(), chunks, classes=[-1, 1]).rolling(45)
    # A sample without a label is not scored, but belongs to the window.
    known = [np.isfinite(labels[a:b]).sum() for a, b in [(0, 10), (0, 10), (0, 50), (10, 55)]]
    assert result.n_scored.tolist() == [*known, np.isfinite(labels[55:]).sum()]


def test_rolling_result():
    result = progressive_validation(MODELS["lasvc"], *two_classes(200), chunk_size=20)
    rolling = result.rolling(50)
    assert repr(rolling).endswith(f"{rolling.mistakes[-1]} mistakes in the latest 60 predictions>")
    assert rolling.window == 50 and result.window is None
    assert_array_equal(rolling.to_frame()["accuracy"], rolling.accuracy())
    assert_array_equal(rolling.to_frame()["n_samples"], result.n_samples)
    with pytest.raises(ValueError, match="needs a cumulative result, got one with window=50"):
        rolling.rolling(20)


@pytest.mark.parametrize("window", [0, -5, 2.5, None, "10"])
def test_invalid_windows(window):
    result = progressive_validation(MODELS["bayes"], *two_classes(50))
    with pytest.raises(ValueError, match=r"'window' parameter .* must be an int in the range"):
        result.rolling(window)


def test_undefined_metrics_do_not_warn():
    X, y = two_classes(60)
    order = np.argsort(y, kind="stable")
    result = progressive_validation(MODELS["bayes"], X[order], y[order], chunk_size=10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert result.cost(costs={1: 1, -1: 3})[0] == 0
        assert np.isnan(result.cost(costs={1: 1, -1: 3}, normalize=True)[0])
        for curve in (
            result.geometric_mean(),
            result.sensitivity_specificity(),
            result.cost(),
            result.accuracy(),
        ):
            assert np.isnan(curve[0])
        assert np.isnan(result.geometric_mean()[1])
        assert np.isfinite(result.geometric_mean()[-1])


@with_models
@with_problems
def test_iterator_of_chunks(model, problem):
    X, y = problem(200)
    whole = progressive_validation(model, X, y, chunk_size=30, return_predictions=True)
    for chunks in (chunks_of(X, y, 30), list(chunks_of(X, y, 30))):
        result = progressive_validation(
            model, chunks, classes=np.unique(y)[::-1], return_predictions=True
        )
        assert_same_counts(result, whole)
    unequal = [(X[:50], y[:50]), (X[50:51], y[50:51]), (X[51:], y[51:])]
    assert_array_equal(progressive_validation(model, unequal).n_samples, [50, 51, 200])


def test_iterator_is_consumed_chunk_by_chunk():
    X, y = two_classes(100)
    events = []

    class Recorder(SGDClassifier):
        def partial_fit(self, X, y, classes=None):
            events.append("train")
            return super().partial_fit(X, y, classes=classes)

    def stream():
        for chunk in chunks_of(X, y, 50):
            events.append("read")
            yield chunk

    progressive_validation(Recorder(), stream())
    assert events == ["read", "train"] * 2


@pytest.mark.parametrize("layout", [csr_matrix, csc_array, coo_matrix, np.ndarray.tolist])
def test_layouts(layout):
    X, y = two_classes(200)
    model = MODELS["lasvc"]
    dense = progressive_validation(model, X, y, return_predictions=True)
    other = progressive_validation(model, layout(X), y.tolist(), return_predictions=True)
    assert_same_counts(other, dense)


@pytest.mark.parametrize("dtype", [None, "string", "category", object])
def test_pandas(dtype):
    X, y = two_classes(200)
    names = np.array(["no", "yes"])[(y == y.max()).astype(int)]
    plain = progressive_validation(MODELS["lasvc"], X, names, return_predictions=True)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]).set_index(X[:, 0])
    series = pd.Series(names, index=frame.index, dtype=dtype)
    result = progressive_validation(MODELS["lasvc"], frame, series, return_predictions=True)
    assert_same_counts(result, plain)
    assert result.estimator.feature_names_in_.tolist() == list(frame.columns)


@pytest.mark.parametrize("as_labels", [np.asarray, list, lambda y: y.astype(object)])
def test_string_labels(as_labels):
    X, y = three_classes(200)
    names = np.array(["a", "bb", "ccc"])[np.searchsorted(np.unique(y), y)]
    numbers = progressive_validation(MODELS["sgd"], X, y, return_predictions=True)
    result = progressive_validation(MODELS["sgd"], X, as_labels(names), return_predictions=True)
    assert result.classes.tolist() == ["a", "bb", "ccc"]
    assert_array_equal(result.confusion_matrix, numbers.confusion_matrix)
    assert_array_equal(
        result.predictions, result.classes[np.searchsorted(np.unique(y), numbers.predictions)]
    )
    assert_array_equal(result.f1(pos_label="bb"), numbers.f1(pos_label=np.unique(y)[1]))


def test_string_labels_need_pos_label():
    X, y = two_classes(200)
    names = np.where(y == 1, "fraud", "legit")
    numbers = progressive_validation(MODELS["sgd"], X, y)
    result = progressive_validation(MODELS["sgd"], X, names)
    unnamed = r"pos_label=1 is not a valid label: .* classes \['fraud', 'legit'\]"
    for metric in ("f1", "sensitivity_specificity"):
        with pytest.raises(ValueError, match=unnamed):
            getattr(result, metric)()
        # "fraud" is the first of the sorted classes.
        assert_allclose(getattr(result, metric)(pos_label="fraud"), getattr(numbers, metric)())
    assert_array_equal(result.geometric_mean(), numbers.geometric_mean())
    assert_array_equal(result.cost(), numbers.cost())
    by_name = result.cost(costs={"fraud": 10, "legit": 1})
    assert_array_equal(by_name, numbers.cost(costs={1: 10, -1: 1}))
    with pytest.raises(ValueError, match=unnamed):
        result.to_frame()
    metrics = ["accuracy", "f1", "geometric_mean", "sensitivity_specificity", "cost"]
    named = result.to_frame(pos_label="fraud")[metrics]
    pd.testing.assert_frame_equal(named, numbers.to_frame()[metrics])
    other = numbers.to_frame(pos_label=-1)
    assert_array_equal(other["f1"], numbers.f1(pos_label=-1))


def test_classes_that_never_occur():
    X, y = two_classes(100)
    result = progressive_validation(MODELS["bayes"], X, y, classes=[-1, 1, 7])
    assert result.classes.tolist() == [-1, 1, 7]
    assert np.isnan(result.geometric_mean()).all()
    assert_array_equal(
        result.geometric_mean(labels=[-1, 1]),
        progressive_validation(MODELS["bayes"], X, y).geometric_mean(),
    )


@with_models
def test_the_estimator_is_cloned(model):
    X, y = two_classes(100)
    fitted = clone(model).fit(X, -y)
    before = pickle.dumps(fitted)
    result = progressive_validation(fitted, X, y, chunk_size=20)
    assert pickle.dumps(fitted) == before
    assert result.estimator is not fitted
    unfitted = clone(model)
    other = progressive_validation(unfitted, X, y, chunk_size=20, in_place=True)
    assert other.estimator is unfitted
    assert_same_counts(result, other)


@with_models
def test_a_fitted_estimator_continues(model):
    X, y = two_classes(300)
    first = progressive_validation(model, X[:200], y[:200], chunk_size=50)
    second = progressive_validation(
        first.estimator, X[200:], y[200:], chunk_size=50, in_place=True, return_predictions=True
    )
    assert second.estimator is first.estimator
    assert second.n_unpredicted == 0
    assert_array_equal(second.n_samples, [50, 100])
    assert_array_equal(second.n_scored, [50, 100])
    assert_array_equal(second.n_queries, [50, 100])
    whole = progressive_validation(model, X, y, chunk_size=50, return_predictions=True)
    assert_array_equal(second.predictions, whole.predictions[150:])
    assert_array_equal(whole.confusion_matrix, first.confusion_matrix + second.confusion_matrix)


def test_classes_of_a_fitted_estimator_are_used():
    X, y = three_classes(200)
    model = clone(MODELS["sgd"]).fit(X, y)
    mask = y != y[0]  # one class does not occur again
    result = progressive_validation(model, X[mask], y[mask], in_place=True)
    assert_array_equal(result.classes, np.unique(y))


def test_any_object_with_two_methods_is_evaluated():
    class Constant:
        def partial_fit(self, X, y, classes=None):
            pass

        def predict(self, X):
            return np.full(len(X), 1)

    result = progressive_validation(Constant(), *two_classes(100), chunk_size=50, in_place=True)
    assert_array_equal(result.n_scored, [50, 100])


def test_not_fitted_after_training_is_an_error():
    class NeverFitted(SGDClassifier):
        def predict(self, X):
            raise NotFittedError("not fitted")

    with pytest.raises(NotFittedError, match="not fitted"):
        progressive_validation(NeverFitted(), *two_classes(200))


class SelfPredicting(ClassifierMixin, BaseEstimator):
    """Perceptron that predicts each sample, then queries every second label if it is known."""

    def partial_fit(self, X, y, classes=None):
        if not hasattr(self, "classes_"):
            self.classes_ = np.asarray(classes)
            self.coef_ = np.zeros(X.shape[1])
            self.n_queries_ = 0
            self.online_predictions_ = self.classes_[:0]
        for x, label in zip(np.asarray(X), y):
            i = len(self.online_predictions_)
            self.online_predictions_ = np.append(self.online_predictions_, self.predict([x]))
            is_missing = label is None or label != label
            if i % 2 == 0 and not is_missing:
                self.n_queries_ += 1
                self.coef_ += x if label == self.classes_[1] else -x
        return self

    def predict(self, X):
        return self.classes_[(np.asarray(X) @ self.coef_ > 0).astype(int)]


@pytest.mark.parametrize("size", [1, 7, 100])
def test_online_predictions_do_not_depend_on_chunks(size):
    X, y = two_classes(100)
    model = SelfPredicting().partial_fit(X, y, classes=np.unique(y))
    result = progressive_validation(
        SelfPredicting(), X, y, chunk_size=size, return_predictions=True
    )
    assert result.n_unpredicted == 0
    assert_array_equal(result.predictions, model.online_predictions_)
    assert_array_equal(result.n_scored, result.n_samples)
    assert_array_equal(result.n_queries, (result.n_samples + 1) // 2)
    assert_array_equal(result.predict_seconds, 0)
    assert_array_equal(result.confusion_matrix, confusion_matrix(y, model.online_predictions_))


@pytest.mark.parametrize("missing", [np.nan, None])
def test_samples_without_a_label_are_not_scored(missing):
    X, y = two_classes(100)
    known = np.arange(100) % 3 > 0
    labels = y.astype(float if missing is not None else object)
    labels[~known] = missing
    result = progressive_validation(
        SelfPredicting(), X, labels, chunk_size=10, return_predictions=True, classes=np.unique(y)
    )
    assert_array_equal(result.n_scored, np.cumsum(known)[9::10])
    assert_array_equal(result.n_queries, np.cumsum(known & (np.arange(100) % 2 == 0))[9::10])
    assert len(result.predictions) == 100
    assert_array_equal(
        result.confusion_matrix, confusion_matrix(y[known], result.predictions[known])
    )
    without = progressive_validation(SelfPredicting(), X, labels, chunk_size=10)
    assert_array_equal(without.confusion_matrix, result.confusion_matrix)
    labels[:20] = missing  # chunks without any label
    result = progressive_validation(SelfPredicting(), X, labels, chunk_size=10)
    assert_array_equal(result.n_scored[:2], [0, 0])
    assert np.isnan(result.accuracy()[1])


def test_online_predictions_continue():
    X, y = two_classes(100)
    model = progressive_validation(SelfPredicting(), X[:60], y[:60]).estimator
    result = progressive_validation(
        model, X[60:], y[60:], chunk_size=10, in_place=True, return_predictions=True
    )
    whole = progressive_validation(SelfPredicting(), X, y, return_predictions=True)
    assert_array_equal(result.predictions, whole.predictions[60:])
    assert_array_equal(result.n_queries, [5, 10, 15, 20])


def test_missing_labels_need_an_estimator_that_supports_them():
    X, y = two_classes(100)
    labels = y.astype(float)
    labels[50] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        progressive_validation(MODELS["sgd"], X, labels)


def test_seconds_are_cumulative():
    start = perf_counter()
    result = progressive_validation(MODELS["sgd"], *two_classes(100), chunk_size=20)
    assert 0 < result.seconds[-1] <= perf_counter() - start
    assert result.predict_seconds[0] == 0
    assert (np.diff(result.fit_seconds) > 0).all()
    assert (np.diff(result.predict_seconds) > 0).all()
    assert_array_equal(result.seconds, result.fit_seconds + result.predict_seconds)


def test_support_vectors():
    X, y = three_classes(100)
    result = progressive_validation(MODELS["lasvc"], X, y, chunk_size=20)
    assert result.n_support[-1] == len(result.estimator.support_)
    assert progressive_validation(MODELS["sgd"], X, y).n_support is None

    class Wrapper(SelfPredicting):
        def partial_fit(self, X, y, classes=None):
            self.estimator_ = result.estimator
            return super().partial_fit(X, y, classes)

    wrapped = progressive_validation(Wrapper(), *two_classes(50))
    assert wrapped.n_support.tolist() == [len(result.estimator.support_)]


def test_many_chunks():
    X, y = two_classes(400)
    result = progressive_validation(MODELS["bayes"], X, y, chunk_size=1)
    assert result.predictions is None
    assert result.true_counts.shape == (400, 2)
    assert isinstance(result, ProgressiveClassificationResult)
    assert "BernoulliNB: 400 samples in 400 chunks" in repr(result)
    copy = pickle.loads(pickle.dumps(result))
    assert_same_counts(copy, result)


def test_to_frame():
    result = progressive_validation(MODELS["lasvc"], *two_classes(200), chunk_size=50)
    frame = result.to_frame()
    assert list(frame["n_samples"]) == [50, 100, 150, 200]
    assert_array_equal(frame["cost"], result.cost())
    assert_array_equal(frame["n_support"], result.n_support)
    three = progressive_validation(MODELS["sgd"], *three_classes(200)).to_frame()
    assert set(frame.columns) - set(three.columns) == {
        "sensitivity_specificity",
        "cost",
        "n_support",
    }


def test_to_frame_without_pandas(monkeypatch):
    result = progressive_validation(MODELS["sgd"], *two_classes(50))
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_frame needs pandas: `pip install pandas`"):
        result.to_frame()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda r: r.f1(pos_label=5), r"pos_label=5 is not a valid label: .* classes \[-1, 1\]"),
        (
            lambda r: r.sensitivity_specificity(pos_label="a"),
            r"pos_label='a' is not a valid label",
        ),
        (
            lambda r: r.sensitivity_specificity(sensitivity_weight=1.5),
            r"'sensitivity_weight' parameter .* Got 1\.5",
        ),
        (lambda r: r.cost(costs=10), r"'costs' parameter .* Got 10"),
        (lambda r: r.cost(costs={1: 1}), r"costs must .* classes \[-1, 1\], .* got {1: 1}"),
        (lambda r: r.geometric_mean(labels=[]), r"labels must name at least one"),
        (
            lambda r: r.geometric_mean(labels=[1, 5]),
            r"labels contains labels that are not among .*: \[5\]",
        ),
    ],
)
def test_errors_of_metrics(call, message):
    result = progressive_validation(MODELS["sgd"], *two_classes(50))
    with pytest.raises(ValueError, match=message):
        call(result)


@pytest.mark.parametrize("metric", ["sensitivity_specificity", "cost"])
def test_binary_metrics_need_two_classes(metric):
    result = progressive_validation(MODELS["sgd"], *three_classes(50))
    with pytest.raises(ValueError, match=rf"{metric} needs two classes, got \[.*\]"):
        getattr(result, metric)()


X2, Y2 = two_classes(60)


@pytest.mark.parametrize(
    "estimator, message",
    [
        (
            make_pipeline(StandardScaler(), SGDClassifier()),
            r"'partial_fit' and 'predict'. Got Pip",
        ),
        (None, r"'estimator' parameter .* Got None"),
    ],
)
def test_unsuitable_estimators(estimator, message):
    with pytest.raises(ValueError, match=message):
        progressive_validation(estimator, X2, Y2)


@pytest.mark.parametrize(
    "X, y, params, message",
    [
        (X2, Y2, {"chunk_size": 0}, r"'chunk_size' parameter .* Got 0"),
        (X2, Y2, {"in_place": "yes"}, r"'in_place' parameter .* Got 'yes'"),
        (X2, Y2[:-1], {}, r"inconsistent numbers of samples: \[60, 59\]"),
        ([(X2, Y2[:-1])], None, {}, r"inconsistent numbers of samples: \[60, 59\]"),
        (X2, None, {}, r"y must be given .* got y=None and X of type ndarray"),
        (csr_matrix(X2), None, {}, r"y must be given .* X of type csr_matrix"),
        (5, None, {}, r"y must be given .* X of type int"),
        (iter([(X2, Y2)]), Y2, {}, r"y must be None .* X of type list_iterator"),
        ([X2, Y2], None, {}, r"pairs \(X_chunk, y_chunk\), got ndarray as its item number 0"),
        ([(X2, Y2), (X2,)], None, {}, r"got tuple as its item number 1"),
        ([], None, {}, r"X must contain at least one sample"),
        (X2[:0], Y2[:0], {}, r"X must contain at least one sample"),
        (X2, X2[:, 0], {}, r"Unknown label type: continuous"),
        (X2, np.full(60, np.nan), {}, r"classes must be given .* only the labels \[\]"),
        ([(X2, np.ones(60))], None, {}, r"classes must be given .* only the labels \[1.0\]"),
        (
            X2,
            Y2,
            {"classes": [1, 2]},
            r"y contains labels .* among the classes \[1, 2\]: \[-1\]",
        ),
        (X2, Y2, {"classes": ["a", "b"]}, r"among the classes \['a', 'b'\]: \[-1, 1\]"),
        ([(X2, Y2), (X2, Y2 + 3)], None, {}, r"among the classes \[-1, 1\]: \[2, 4\]"),
    ],
)
def test_errors(X, y, params, message):
    with pytest.raises(ValueError, match=message):
        progressive_validation(SGDClassifier(), X, y, **params)


def test_estimator_classes_are_refused():
    with pytest.raises(TypeError, match="an object .not a class."):
        progressive_validation(SGDClassifier, X2, Y2)
