"""OnlinePipeline trains all steps on a stream."""

import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.decomposition import IncrementalPCA
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    StandardScaler,
)

from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    LabelEfficientClassifier,
    OneClassLASVM,
    PassiveAggressiveClassifier,
)
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.evaluation import progressive_validation
from sklearn_online_svm.export import load_model, save_model
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.pipeline import OnlinePipeline, make_online_pipeline

X, Y = make_banana_like(1500, random_state=0)
X = X * [1, 100] + [5, 0]
NAMES = np.where(Y == 1, "yes", "no")
KERNEL_MODELS = [LASVC(), KernelAROWClassifier(), KernelPassiveAggressiveClassifier()]
of_kernel_models = pytest.mark.parametrize("model", KERNEL_MODELS, ids=lambda m: type(m).__name__)


def chunks(sizes, *arrays):
    """Yield the parts of arrays; the sizes are repeated."""
    sizes, first, k = np.atleast_1d(sizes), 0, 0
    while first < arrays[0].shape[0]:
        part = slice(first, first + int(sizes[k % len(sizes)]))
        yield [array[part] for array in arrays]
        first, k = part.stop, k + 1


def trained(pipeline, size, X=X, y=Y, classes=(-1, 1)):
    for X_chunk, y_chunk in chunks(size, X, y):
        pipeline.partial_fit(X_chunk, y_chunk, classes=classes)
    return pipeline


def scores(model):
    return model.decision_function(X[:200])


# ------------------------------------------------------------------------------------ freezing


@pytest.mark.sampled
@of_kernel_models
@pytest.mark.parametrize("size", [1, 7, 300, 1500])
def test_transformers_of_kernel_models_are_fitted_on_the_first_samples(model, size):
    pipeline = make_online_pipeline(StandardScaler(), model, freeze_after=200)
    trained(pipeline, size, X[:600], Y[:600])
    scaler = StandardScaler().fit(X[:200])
    alone = clone(model).partial_fit(scaler.transform(X[:200]), Y[:200], classes=[-1, 1])
    alone.partial_fit(scaler.transform(X[200:600]), Y[200:600])
    assert pipeline.frozen_
    # KernelAROWClassifier computes with blocks of samples, and rounds accordingly.
    expected = alone.decision_function(scaler.transform(X[:200]))
    assert_allclose(scores(pipeline), expected, rtol=1e-8)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(1, 90), min_size=1, max_size=10))
def test_a_model_can_be_used_at_any_time_and_does_not_depend_on_chunks(sizes):
    make = partial(make_online_pipeline, StandardScaler(), LASVC(), freeze_after=120)
    pipeline, n_samples = make(), 0
    for X_chunk, y_chunk in chunks([*sizes, 20], X[:200], Y[:200]):
        pipeline.partial_fit(X_chunk, y_chunk, classes=[-1, 1])
        n_samples += len(y_chunk)
        assert pipeline.frozen_ == (n_samples >= 120)
        assert pipeline[-1].n_samples_seen_ == n_samples
        assert 2 * pipeline[0].n_samples_seen_ > min(n_samples, 120)
        assert np.isfinite(scores(pipeline)).all()
    # Predictions are optimized over the support set to within tol, from the previous ones.
    expected = scores(trained(make(), 200, X[:200], Y[:200]))
    assert_allclose(scores(pipeline), expected, atol=0.02)


def test_before_freezing_the_model_is_fitted_when_the_samples_have_doubled():
    pipeline, fitted_on = make_online_pipeline(StandardScaler(), LASVC(gamma=1.0)), []
    for X_chunk, y_chunk in chunks(100, X, Y):
        pipeline.partial_fit(X_chunk, y_chunk, classes=[-1, 1])
        fitted_on.append(int(pipeline[0].n_samples_seen_))
    assert fitted_on == [100, 200, 200, *[400] * 4, 800, 800, *[1000] * 6]


def test_transformers_of_linear_models_follow_the_stream():
    pipeline = trained(make_online_pipeline(StandardScaler(), AROWClassifier()), 100)
    scaler, alone = StandardScaler(), AROWClassifier()
    for X_chunk, y_chunk in chunks(100, X, Y):
        scaler.partial_fit(X_chunk)
        alone.partial_fit(scaler.transform(X_chunk), y_chunk, classes=[-1, 1])
    assert not pipeline.frozen_
    assert pipeline[0].n_samples_seen_ == len(X)
    assert_array_equal(scores(pipeline), alone.decision_function(scaler.transform(X[:200])))


@pytest.mark.parametrize(
    "transformers, model, frozen",
    [
        ([StandardScaler()], AROWClassifier(), False),
        ([StandardScaler(), IncrementalPCA()], SGDClassifier(), False),
        ([Nystroem(n_components=20)], AROWClassifier(), True),
        ([make_pipeline(StandardScaler())], AROWClassifier(), True),
        ([StandardScaler()], LASVC(), True),
        ([StandardScaler()], LASVC(kernel="linear"), True),
        ([Normalizer(), FunctionTransformer()], LASVC(gamma=1.0), False),
        (["passthrough", None], LASVC(gamma=1.0), False),
        ([], LASVC(gamma=1.0), False),
        ([StandardScaler()], OnlineCalibratedClassifier(LASVC(gamma=1.0)), True),
        ([StandardScaler()], OnlineCalibratedClassifier(), False),
        ([StandardScaler()], LabelEfficientClassifier(LASVC(gamma=1.0)), True),
        ([make_column_transformer((StandardScaler(), [0]))], AROWClassifier(), False),
        ([make_column_transformer((OneHotEncoder(), [0]))], AROWClassifier(), True),
        (
            [make_column_transformer((StandardScaler(), [0]), remainder=Nystroem())],
            AROWClassifier(),
            True,
        ),
    ],
)
def test_default_of_freeze_after(transformers, model, frozen):
    steps = [(f"step{k}", step) for k, step in enumerate([*transformers, model])]
    pipeline = OnlinePipeline(steps)
    pipeline.partial_fit(np.round(X), Y, classes=[-1, 1])
    assert pipeline.frozen_ == frozen


def test_freezing_can_be_turned_off_and_on():
    pipeline = make_online_pipeline(StandardScaler(), LASVC(), freeze_after=None)
    assert trained(pipeline, 100)[0].n_samples_seen_ == 1500
    pipeline = make_online_pipeline(StandardScaler(), AROWClassifier(), freeze_after=250)
    assert trained(pipeline, 100)[0].n_samples_seen_ == 250


def test_freeze_after_may_change_during_a_stream():
    pipeline = make_online_pipeline(StandardScaler(), AROWClassifier(), freeze_after=1000)
    pipeline.partial_fit(X[:300], Y[:300], classes=[-1, 1])
    pipeline.set_params(freeze_after=200).partial_fit(X[300:400], Y[300:400])
    assert pipeline.frozen_
    assert pipeline[0].n_samples_seen_ == 300
    pipeline.set_params(freeze_after=None).partial_fit(X[400:500], Y[400:500])
    assert not pipeline.frozen_
    assert pipeline[0].n_samples_seen_ == 400


@pytest.mark.parametrize("value", [0, -1, 1.5, "never"])
def test_invalid_freeze_after(value):
    pipeline = make_online_pipeline(StandardScaler(), LASVC(), freeze_after=value)
    with pytest.raises(ValueError, match="freeze_after"):
        pipeline.partial_fit(X, Y, classes=[-1, 1])


def test_transformers_without_partial_fit_must_be_frozen():
    pipeline = make_online_pipeline(
        HashingVectorizer(), TfidfTransformer(), AROWClassifier(), freeze_after=None
    )
    with pytest.raises(ValueError, match=r"freeze_after=None .* got TfidfTransformer\(\)"):
        pipeline.partial_fit(["a", "b"], [0, 1], classes=[0, 1])


def test_verbose_tells_that_transformers_are_frozen(capsys):
    pipeline = make_online_pipeline(StandardScaler(), LASVC(), freeze_after=250, verbose=True)
    trained(pipeline, 100)
    said = "[OnlinePipeline] Transformers are frozen after 250 samples.\n"
    assert capsys.readouterr().out == said


def test_gamma_is_computed_from_the_samples_of_the_transformers(recwarn):
    pipeline = make_online_pipeline(StandardScaler(), LASVC(), freeze_after=200)
    trained(pipeline, 3, X[:300], Y[:300])
    assert not recwarn
    assert pipeline[-1].gamma_ == pytest.approx(0.5)


# ------------------------------------------------------------------------------------ input


def test_sparse_samples_give_the_model_of_dense_samples():
    for model in (LASVC(random_state=0), AROWClassifier()):
        dense, sparse = (
            scores(trained(make_online_pipeline(MaxAbsScaler(), model), 170, data))
            for data in (X, csr_matrix(X))
        )
        assert_allclose(sparse, dense, rtol=1e-6, atol=1e-6)
    pipeline = make_online_pipeline(MaxAbsScaler(), LASVC())
    for X_chunk, y_chunk in chunks(170, X, Y):
        pipeline.partial_fit(csr_array(X_chunk).tocoo(), y_chunk, classes=[-1, 1])
    assert pipeline.frozen_


def test_single_precision_gives_nearly_the_same_model():
    for model in (LASVC(gamma=1.0), AROWClassifier()):
        double, single = (
            scores(trained(make_online_pipeline(StandardScaler(), model), 170, data))
            for data in (X, X.astype(np.float32))
        )
        # The same sequence of decisions in the linear model, another one in LASVC.
        tolerance = 0.2 if isinstance(model, LASVC) else 1e-5
        assert_allclose(single, double, atol=tolerance)


@pytest.mark.parametrize("transformers", [[], [TfidfTransformer()]])
@pytest.mark.parametrize("model", [PassiveAggressiveClassifier(), LASVC()])
def test_texts(transformers, model):
    random = np.random.RandomState(0)
    words = np.array(["good", "fine", "nice", "bad", "poor", "ugly", "day", "night"])
    moods = random.randint(2, size=400)
    texts = [
        " ".join(words[[*(3 * mood + random.randint(3, size=2)), 6 + random.randint(2)]])
        for mood in moods
    ]
    pipeline = make_online_pipeline(HashingVectorizer(n_features=64), *transformers, model)
    pipeline.set_params(freeze_after=100 if transformers else "auto")
    for first in range(0, 400, 30):
        part = slice(first, first + 30)
        pipeline.partial_fit(texts[part], moods[part].tolist(), classes=[0, 1])
    assert pipeline.frozen_ == bool(transformers)
    assert pipeline.score(texts, moods) == 1.0


@pytest.mark.parametrize("way", ["pickle", "pickle, categories", "model file"])
def test_data_frames_kept_by_a_stored_pipeline(way, tmp_path):
    frame, y = next(frames()), Y
    if way == "pickle, categories":  # arrays would not keep this type, by which columns are chosen
        frame = frame.astype({"side": "category"})
    encoder = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include=np.number)),
        (OneHotEncoder(), make_column_selector(dtype_include=frame["side"].dtype.name)),
    )
    pipeline = make_online_pipeline(encoder, LASVC(random_state=0))
    pipeline.partial_fit(frame[:60], y[:60], classes=np.unique(Y))
    if way.startswith("pickle"):
        stored = pickle.loads(pickle.dumps(pipeline))
    else:
        save_model(pipeline, tmp_path / "model.skops")
        stored = load_model(tmp_path / "model.skops")
    assert not stored.frozen_
    for model in (pipeline, stored):
        model.partial_fit(frame[60:], y[60:])
    assert stored[0].transform(frame).shape == (len(frame), 4)
    assert_array_equal(stored.decision_function(frame), pipeline.decision_function(frame))


def frames():
    frame = {"u": X[:, 0], "v": X[:, 1], "side": np.where(X[:, 0] > 5.3, "right", "left")}
    pandas = pytest.importorskip("pandas")
    yield pandas.DataFrame(frame)
    try:
        import polars
    except ImportError:
        return
    yield polars.DataFrame(frame)


@pytest.mark.parametrize("model", [LASVC(gamma=1.0), AROWClassifier()])
def test_data_frames(model):
    columns = make_column_transformer(
        (StandardScaler(), ["u", "v"]), (OneHotEncoder(sparse_output=False), ["side"])
    )
    learned = []
    for frame in frames():
        for output in ("default", type(frame).__module__.partition(".")[0]):
            pipeline = make_online_pipeline(columns, clone(model)).set_output(transform=output)
            trained(pipeline, 170, frame, NAMES, ["no", "yes"])
            assert pipeline.frozen_
            assert list(pipeline.classes_) == ["no", "yes"]
            assert pipeline.feature_names_in_.tolist() == ["u", "v", "side"]
            assert hasattr(pipeline[-1], "feature_names_in_") == (output != "default")
            learned.append(pipeline.decision_function(frame))
    for values in learned:
        assert_array_equal(values, learned[0])


def test_a_column_transformer_follows_the_stream():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"u": X[:, 0], "v": X[:, 1], "text": NAMES, "w": -X[:, 1]})
    columns = make_column_transformer(
        (StandardScaler(), ["u"]),
        (MinMaxScaler(), make_column_selector("v")),
        (HashingVectorizer(n_features=8), "text"),
        remainder="passthrough",
        sparse_threshold=0,
    )
    pipeline = trained(make_online_pipeline(columns, AROWClassifier()), 170, frame)
    assert not pipeline.frozen_
    parts = pipeline[0].named_transformers_
    assert parts["standardscaler"].n_samples_seen_ == 1500
    assert_allclose(parts["standardscaler"].mean_, X[:, 0].mean())
    assert_allclose(parts["minmaxscaler"].data_max_, X[:, 1].max())
    assert pipeline[-1].n_features_in_ == 11


class CrossFitted(TransformerMixin, BaseEstimator):
    """Transformer whose ``fit_transform`` is not ``fit`` and ``transform``, like TargetEncoder."""

    def fit(self, X, y):
        self.mean_ = X[y == 1].mean(axis=0)
        return self

    def transform(self, X):
        return X - self.mean_

    def fit_transform(self, X, y):
        return self.fit(X, y).transform(X) + 0.1


def test_transformers_are_fitted_as_by_fit():
    """With labels, and by ``fit_transform``."""
    pipeline = trained(make_online_pipeline(CrossFitted(), LASVC(gamma=1.0)), 100)
    transformer, alone = CrossFitted(), LASVC(gamma=1.0)
    first = transformer.fit_transform(X[:1000], Y[:1000])
    alone.partial_fit(first, Y[:1000], classes=[-1, 1])
    alone.partial_fit(transformer.transform(X[1000:]), Y[1000:])
    expected = alone.decision_function(transformer.transform(X[:200]))
    assert_array_equal(scores(pipeline), expected)


def test_frozen_estimators_are_not_updated():
    scaler = StandardScaler().fit(X[:100])
    pipeline = trained(make_online_pipeline(FrozenEstimator(scaler), AROWClassifier()), 100)
    assert scaler.n_samples_seen_ == 100
    alone = trained(AROWClassifier(), 100, scaler.transform(X))
    assert_array_equal(scores(pipeline), alone.decision_function(scaler.transform(X[:200])))


def test_weights_are_passed_to_the_final_estimator():
    weights = np.random.RandomState(0).choice([0.5, 2.0], size=1500)
    weights[400:600] = 1.0
    for model in (LASVC(gamma=1.0), AROWClassifier()):
        pipeline = make_online_pipeline(MaxAbsScaler(), model, freeze_after=700)
        for first, (X_chunk, y_chunk, w) in enumerate(chunks(200, X, Y, weights)):
            given = None if first == 2 else w
            pipeline.partial_fit(X_chunk, y_chunk, [-1, 1], sample_weight=given)
        scaler = MaxAbsScaler().fit(X[:700])
        alone = clone(model).partial_fit(scaler.transform(X), Y, [-1, 1], sample_weight=weights)
        assert_array_equal(scores(pipeline), alone.decision_function(scaler.transform(X[:200])))


def test_the_samples_of_the_caller_may_change():
    pipeline, other = (make_online_pipeline(StandardScaler(), LASVC()) for _ in range(2))
    X_chunk, y_chunk = np.empty((300, 2)), np.empty(300, dtype=int)
    for first in range(0, 1500, 300):
        X_chunk[:], y_chunk[:] = X[first : first + 300], Y[first : first + 300]
        pipeline.partial_fit(X_chunk, y_chunk, classes=[-1, 1])
    assert_array_equal(scores(pipeline), scores(trained(other, 300)))


# ------------------------------------------------------------------------------------ classes


def test_classes_before_freezing():
    pipeline = make_online_pipeline(StandardScaler(), LASVC(gamma=1.0))
    pipeline.partial_fit(X[:100], NAMES[:100], classes=["no", "yes", "zzz"])
    for size in (10, 300):  # continues; fits again
        with pytest.raises(ValueError, match="not the same as on last call"):
            pipeline.partial_fit(X[:size], NAMES[:size], classes=["no", "yes"])
        pipeline.partial_fit(X[:size], NAMES[:size])
        assert list(pipeline.classes_) == ["no", "yes", "zzz"]


# ------------------------------------------------------------------------------------ states


PIPELINES = {
    "kernel": lambda: make_online_pipeline(StandardScaler(), LASVC(), freeze_after=500),
    "linear": lambda: make_online_pipeline(
        StandardScaler(), IncrementalPCA(2), AROWClassifier(random_state=0)
    ),
    "scikit-learn": lambda: make_online_pipeline(StandardScaler(), SGDClassifier(random_state=0)),
}


INVALID = {
    "label": lambda X, y: (X, np.where(np.arange(len(y)) == len(y) - 1, 7, y)),
    "nan in the last sample": lambda X, y: (
        np.where(np.arange(len(X))[:, None] == len(X) - 1, np.nan, X),
        y,
    ),
    "features": lambda X, y: (X[:, :1], y),
    "length": lambda X, y: (X, y[:-1]),
    "no samples": lambda X, y: (X[:0], y[:0]),
}


@pytest.mark.sampled
@pytest.mark.parametrize("size", [10, 300])
@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize(
    "invalid, n_before",
    # Any number of features is valid in the first call.
    [(i, n) for i in INVALID for n in (0, 60, 480, 700) if (i, n) != ("features", 0)],
)
def test_errors_leave_the_pipeline_unchanged(invalid, name, size, n_before):
    """At the beginning, before, at and after freezing."""
    pipeline, other = (trained(PIPELINES[name](), 60, X[:n_before], Y[:n_before]) for _ in "ab")
    before = pipeline.steps, dict(vars(pipeline))
    part = slice(n_before, n_before + size)
    with pytest.raises(ValueError):
        pipeline.partial_fit(*INVALID[invalid](X[part], Y[part]), classes=[-1, 1])
    assert pipeline.steps is before[0]
    assert vars(pipeline) == before[1]
    if n_before:
        assert_array_equal(scores(pipeline), scores(other))
    for model in (pipeline, other):
        trained(model, size, X[part], Y[part])
    assert_array_equal(scores(pipeline), scores(other))
    assert pipeline[0].n_samples_seen_ == other[0].n_samples_seen_


def test_estimators_of_the_caller_are_not_changed():
    scaler, model = StandardScaler(), LASVC()
    trained(make_online_pipeline(scaler, model), 100).fit(X, Y)
    assert not hasattr(scaler, "mean_")
    assert not hasattr(model, "classes_")


def test_fit_is_that_of_a_pipeline_and_can_be_continued():
    for model in (LASVC(random_state=0), AROWClassifier(random_state=0)):
        pipeline = make_online_pipeline(StandardScaler(), clone(model))
        pipeline.partial_fit(X[:10], Y[:10], classes=[-1, 1])
        pipeline.fit(X[:700], Y[:700])
        plain = make_pipeline(StandardScaler(), clone(model)).fit(X[:700], Y[:700])
        assert_array_equal(scores(pipeline), scores(plain))
        assert pipeline.frozen_ == isinstance(model, LASVC)
        pipeline.partial_fit(X[700:], Y[700:])
        if not pipeline.frozen_:
            plain[0].partial_fit(X[700:])
        plain[1].partial_fit(plain[0].transform(X[700:]), Y[700:])
        assert_array_equal(scores(pipeline), scores(plain))


def test_fit_continues_from_the_last_solution_with_warm_start():
    def models(**params):
        final = LASVC(max_iter=1, random_state=0, **params)
        return make_online_pipeline(StandardScaler(), final), make_pipeline(
            StandardScaler(), final
        )

    pipeline, plain = models(warm_start=True)
    for model in (pipeline, plain):
        model.fit(X, Y).fit(X, Y)
    assert_array_equal(scores(pipeline), scores(plain))
    assert (scores(pipeline) != scores(models()[0].fit(X, Y))).any()


def test_fit_transform_and_fit_predict():
    transformers = make_online_pipeline(StandardScaler(), MinMaxScaler())
    plain = make_pipeline(StandardScaler(), MinMaxScaler())
    assert_array_equal(transformers.fit_transform(X), plain.fit_transform(X))
    assert_array_equal(transformers.transform(X), plain.transform(X))
    assert not hasattr(transformers, "fit_predict")
    novelty = make_online_pipeline(StandardScaler(), OneClassLASVM(random_state=0))
    plain = make_pipeline(StandardScaler(), OneClassLASVM(random_state=0))
    assert_array_equal(novelty.fit_predict(X), plain.fit_predict(X))
    assert not hasattr(novelty, "fit_transform")
    # An error leaves the former model.
    for model, method in ((transformers, "transform"), (novelty, "decision_function")):
        before = getattr(model, method)(X)
        with pytest.raises(ValueError, match="2D array"):
            getattr(model, "fit_" + method.replace("decision_function", "predict"))(X[0])
        assert_array_equal(getattr(model, method)(X), before)


def test_partial_fit_requires_a_final_estimator_that_has_it():
    pipeline = make_online_pipeline(StandardScaler(), Normalizer())
    assert not hasattr(pipeline, "partial_fit")
    assert hasattr(pipeline, "transform")
    with pytest.raises(AttributeError, match="has no attribute 'partial_fit'"):
        make_online_pipeline(StandardScaler(), "passthrough").partial_fit(X)


def test_steps_are_validated():
    with pytest.raises(TypeError, match="should be transformers"):
        make_online_pipeline(LASVC(), LASVC()).partial_fit(X, Y, classes=[-1, 1])


def test_methods_of_the_final_estimator():
    pipeline = trained(make_online_pipeline(StandardScaler(), LASVC(probability=True)), 100)
    data = pipeline[0].transform(X)
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        expected = getattr(pipeline[-1], method)(data)
        assert_array_equal(getattr(pipeline, method)(X), expected)
    assert pipeline.score(X, Y) == pipeline[-1].score(data, Y)
    assert not hasattr(pipeline, "transform")
    components = make_online_pipeline(StandardScaler(), IncrementalPCA(1), freeze_after=None)
    for (chunk,) in chunks(100, X):
        components.partial_fit(chunk)
    assert components.transform(X).shape == (1500, 1)
    regressor = make_online_pipeline(StandardScaler(), SGDRegressor(random_state=0))
    for X_chunk, y_chunk in chunks(100, X, X[:, 0]):
        regressor.partial_fit(X_chunk, y_chunk)
    assert regressor.score(X, X[:, 0]) > 0.9


# --------------------------------------------------------------------------------- interrupts


class InterruptingKernel:
    """Kernel function that raises KeyboardInterrupt in its n-th call."""

    n_left = -1

    def __call__(self, A, B):
        self.n_left -= 1
        if self.n_left == 0:
            raise KeyboardInterrupt
        return A @ B.T

    def __deepcopy__(self, memo):
        return self  # shared by all clones


def interrupted_pipeline(method, **weights):
    kernel = InterruptingKernel()
    pipeline = make_online_pipeline(
        StandardScaler(), LASVC(kernel=kernel, max_iter=2, random_state=0), freeze_after=100
    )
    pipeline.partial_fit(X[:200], Y[:200], classes=[-1, 1])
    kernel.n_left = 4
    with pytest.raises(KeyboardInterrupt) as raised:
        getattr(pipeline, method)(X[200:], Y[200:], **weights)
    assert raised.value.__notes__ == [
        "OnlinePipeline holds the result of the training so far and can be used as it is; "
        f"resume(X, y) continues the interrupted {method}."
    ]
    assert pipeline.interrupted_
    return pipeline


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_resume_needs_the_samples_of_the_interrupted_call(method):
    pipeline = interrupted_pipeline(method)
    before = scores(pipeline)
    for X_other, y_other in ((X[201:], Y[201:]), (X[200:] + 1, Y[200:]), (X[200:], -Y[200:])):
        with pytest.raises(ValueError, match=f"of the interrupted {method}, and got diff"):
            pipeline.resume(X_other, y_other)
        assert_array_equal(scores(pipeline), before)
    # The layout of an array does not matter.
    pipeline.resume(np.asfortranarray(X[200:]), Y[200:])
    assert not pipeline.interrupted_ and not pipeline[-1].interrupted_
    with pytest.raises(ValueError, match="nothing to resume"):
        pipeline.resume(X[200:], Y[200:])


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("name", ["sample_weight", "lasvc__sample_weight"])
def test_resume_with_other_weights_is_refused_and_keeps_the_interrupt(method, name):
    weights = np.linspace(0.5, 1.5, 1300)
    pipeline = interrupted_pipeline(method, **{name: weights})
    before = scores(pipeline)
    for other in ({}, {"sample_weight": 2 * weights}, {name: weights[::-1]}):
        with pytest.raises(ValueError, match="and got different ones. Pass the same data"):
            pipeline.resume(X[200:], Y[200:], **other)
        assert pipeline.interrupted_
        assert_array_equal(scores(pipeline), before)
    pipeline.resume(X[200:], Y[200:], **{name: weights})
    assert not pipeline.interrupted_
    whole = make_online_pipeline(
        StandardScaler(),
        LASVC(kernel=InterruptingKernel(), max_iter=2, random_state=0),
        freeze_after=100,
    )
    whole.partial_fit(X[:200], Y[:200], classes=[-1, 1])
    getattr(whole, method)(X[200:], Y[200:], **{name: weights})
    assert_array_equal(scores(pipeline), scores(whole))


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_resume_refused_by_the_final_estimator_keeps_the_interrupt(method):
    pipeline, whole = (interrupted_pipeline(method) for _ in "ab")
    whole.resume(X[200:], Y[200:])
    for _ in range(2):
        pipeline.set_params(lasvc__tol=0.5)
        with pytest.raises(ValueError, match="tol"):
            pipeline.resume(X[200:], Y[200:])
        pipeline.set_params(lasvc__tol=1e-3)
        assert pipeline.interrupted_
    assert_array_equal(scores(pipeline.resume(X[200:], Y[200:])), scores(whole))


def test_forgotten_weights_of_a_final_estimator_without_resume(monkeypatch):
    pipeline, train = make_online_pipeline(StandardScaler(), AROWClassifier()), []

    def interrupted(self, X, y, classes, sample_weight):
        train[0](self, X[:30], y[:30], classes, sample_weight[:30])
        raise KeyboardInterrupt

    weights = np.linspace(0.5, 1.5, 100)
    train.append(AROWClassifier.partial_fit)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(AROWClassifier, "partial_fit", interrupted)
        pipeline.partial_fit(X[:100], Y[:100], [-1, 1], weights)
    with pytest.raises(ValueError, match="and got different ones"):
        pipeline.resume(X[:100], Y[:100])
    whole = make_online_pipeline(StandardScaler(), AROWClassifier())
    whole.partial_fit(X[:100], Y[:100], [-1, 1], weights)
    assert_array_equal(scores(pipeline.resume(X[:100], Y[:100], weights)), scores(whole))


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("following", ["fit", "partial_fit"])
def test_another_call_discards_the_interrupted_one(method, following):
    pipeline = interrupted_pipeline(method)
    with pytest.raises(ValueError):
        getattr(pipeline, following)(X, Y + 0.5)
    assert pipeline.interrupted_
    assert not getattr(pipeline, following)(X[:200], Y[:200]).interrupted_


def test_an_interrupt_that_changes_nothing_keeps_the_former_checkpoint(monkeypatch):
    pipeline, other = (make_online_pipeline(StandardScaler(), AROWClassifier()) for _ in "ab")
    for model in (pipeline, other):
        model.partial_fit(X[:100], Y[:100], classes=[-1, 1])
    train = AROWClassifier.partial_fit
    for chunk, n_trained in ((slice(100, 200), 30), (slice(200, 300), 0)):

        def interrupted(self, X, y, n_trained=n_trained):
            if n_trained:
                train(self, X[:n_trained], y[:n_trained])
            raise KeyboardInterrupt

        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(AROWClassifier, "partial_fit", interrupted)
            pipeline.partial_fit(X[chunk], Y[chunk])
        assert pipeline[0].n_samples_seen_ == 200
    pipeline.resume(X[100:200], Y[100:200]).partial_fit(X[200:300], Y[200:300])
    assert_array_equal(scores(pipeline), scores(trained(other, 100, X[100:300], Y[100:300])))


# ------------------------------------------------------------------------------------ callbacks


class Recorder:
    """Callback that records tasks and predictions, and stops at the first task ``stop_at``."""

    def __init__(self, stop_at=None):
        self.stop_at, self.tasks, self.copies, self.n_running = stop_at, [], [], 0

    def setup(self, estimator, context):
        self.n_running += 1

    def teardown(self, estimator, context):
        self.n_running -= 1

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.tasks.append(context.task_name)
        self.copies.append(fitted_estimator)
        return context.task_name == self.stop_at


@pytest.mark.parametrize("name", PIPELINES)
def test_callbacks_of_partial_fit(name):
    callback = pytest.importorskip("sklearn.callback", reason="since scikit-learn 1.9")
    alone, pipeline, recorder = PIPELINES[name](), PIPELINES[name](), Recorder()
    assert isinstance(recorder, callback.FitCallback)
    pipeline.set_callbacks(recorder)
    for X_chunk, y_chunk in chunks(200, X, Y):  # the third chunk has samples before and after
        for model in (alone, pipeline):
            model.partial_fit(X_chunk, y_chunk, classes=[-1, 1])
        # Predictions between chunks affect those of LASVC after them, to within tol.
        assert_allclose(scores(recorder.copies[-1]), scores(alone), atol=0.05)
        assert not hasattr(pipeline, "_callback_fit_ctx") and recorder.n_running == 0
    assert_allclose(scores(pipeline), scores(alone), atol=0.05)
    once = ["partial-fit-estimator", "partial_fit"]
    assert recorder.tasks[:4] == 2 * once
    assert recorder.tasks[4:7] == (once[:1] + once if name == "kernel" else once + once[:1])
    continued = pickle.loads(pickle.dumps(recorder.copies[3]))
    trained(continued, 200, X[400:], Y[400:])
    assert_allclose(scores(continued), scores(alone), atol=0.05)


def test_a_request_to_stop_keeps_what_was_trained():
    pytest.importorskip("sklearn.callback", reason="since scikit-learn 1.9")
    pipeline = PIPELINES["kernel"]().set_callbacks(Recorder("partial-fit-estimator"))
    pipeline.partial_fit(X, Y, classes=[-1, 1])
    assert pipeline.frozen_
    assert pipeline[-1].n_samples_seen_ == 500
    resumed = pickle.loads(pickle.dumps(pipeline)).set_callbacks().resume(X, Y)
    assert resumed[-1].n_samples_seen_ == 1500 and not resumed.interrupted_
    assert pipeline.set_callbacks().partial_fit(X[500:], Y[500:])[-1].n_samples_seen_ == 1500


def test_missing_columns():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X[:100]).add_prefix("x")
    scaler = make_column_transformer((StandardScaler(), list(frame.columns)))
    pipeline = make_online_pipeline(scaler, AROWClassifier())
    pipeline.partial_fit(frame, Y[:100], classes=[-1, 1])
    before = pickle.dumps(pipeline)
    with pytest.raises(ValueError, match=r"X lacks columns that the first chunk had: .*x0"):
        pipeline.partial_fit(frame.drop(columns="x0"), Y[:100])
    assert pickle.dumps(pipeline) == before


# ------------------------------------------------------------------------------------ tools


def test_grid_search():
    pipeline = make_online_pipeline(StandardScaler(), AROWClassifier(random_state=0))
    grid = {"arowclassifier__r": [0.1, 1.0], "standardscaler__with_mean": [True, False]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, Y)
    best = search.best_estimator_
    assert isinstance(best, OnlinePipeline)
    assert best.partial_fit(X, Y)[0].n_samples_seen_ == 3000


@pytest.mark.parametrize("model", [LASVC(), AROWClassifier()])
def test_progressive_search(model):
    name = type(model).__name__.lower()
    parameter = f"{name}__C" if isinstance(model, LASVC) else f"{name}__r"
    pipeline = make_online_pipeline(StandardScaler(), model)
    search = ProgressiveSearch(pipeline, {parameter: [0.1, 1.0, 10.0]}, random_state=0)
    best = clone(search).fit(X, Y).best_estimator_
    assert isinstance(best, OnlinePipeline)
    assert best.frozen_ == isinstance(model, LASVC)
    n_before = best[0].n_samples_seen_
    best.partial_fit(X[:100], Y[:100])
    assert best[0].n_samples_seen_ == n_before + (0 if best.frozen_ else 100)
    for X_chunk, y_chunk in chunks(300, X, Y):
        search.partial_fit(X_chunk, y_chunk, classes=[-1, 1])
    assert search.score(X, Y) > 0.5
    outer = make_online_pipeline(
        StandardScaler(), ProgressiveSearch(model, {parameter.partition("__")[2]: [0.1, 1.0]})
    )
    assert trained(outer, 300).score(X, Y) > 0.5
    assert outer.frozen_ == isinstance(model, LASVC)


@pytest.mark.parametrize("model", [LASVC(gamma=1.0), AROWClassifier()])
def test_within_and_around_other_estimators(model):
    pipeline = make_online_pipeline(StandardScaler(), model, freeze_after=200)
    for estimator in (
        OnlineCalibratedClassifier(pipeline),
        make_online_pipeline(StandardScaler(), OnlineCalibratedClassifier(model)),
    ):
        probabilities = trained(estimator, 100, X[:600], Y[:600]).predict_proba(X)
        assert probabilities.shape == (1500, 2)
        assert estimator.score(X, Y) > 0.75
    for estimator in (
        LabelEfficientClassifier(pipeline, random_state=0),
        make_online_pipeline(StandardScaler(), LabelEfficientClassifier(model, random_state=0)),
    ):
        assert trained(estimator, 100, X[:600], Y[:600]).score(X, Y) > 0.7


def test_progressive_validation_of_a_pipeline():
    pipeline = make_online_pipeline(StandardScaler(), LASVC())
    result = progressive_validation(pipeline, X, Y, chunk_size=50)
    assert result.n_unpredicted == 50
    assert result.accuracy()[-1] > 0.85
    assert result.n_support[-1] == sum(result.estimator[-1].n_support_)


def test_onnx():
    to_onnx = pytest.importorskip("skl2onnx").to_onnx
    onnxruntime = pytest.importorskip("onnxruntime")
    import sklearn_online_svm.onnx  # noqa: F401

    data = X.astype(np.float32)
    for name in ("kernel", "linear"):
        pipeline = trained(PIPELINES[name](), 100, data, NAMES, ["no", "yes"])
        graph = to_onnx(pipeline, data[:1])
        labels = onnxruntime.InferenceSession(graph.SerializeToString()).run(None, {"X": data})[0]
        assert np.mean(labels == pipeline.predict(data)) > 0.999
