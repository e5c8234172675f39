"""Test callbacks: every fit and partial_fit reports its tasks, stops cleanly and is unchanged."""

import os
import pickle
import signal
import subprocess
import sys
import time
import warnings
from difflib import SequenceMatcher

import joblib
import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_online_svm as package
from sklearn_online_svm import (
    LASVC,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    RampSVC,
)
from sklearn_online_svm.active import EntityResolver
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.callback import (
    Checkpoint,
    EarlyStopping,
    OptunaPruning,
    SupportVectorMonitor,
    TimeLimit,
)
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.pipeline import make_online_pipeline
from tests.support import ROOT
from tests.support.cases import in_turn
from tests.support.internals import CallbackSupportMixin, checkpoint_of, engine_of
from tests.support.interrupts import Interrupt
from tests.support.samples import three_classes

sklearn_callback = pytest.importorskip(
    "sklearn.callback", reason="scikit-learn has callbacks since version 1.9"
)

X = np.random.default_rng(0).normal(size=(2600, 4))
Y = np.where(X[:, 0] + X[:, 1] + 0.3 * X[:, 2] ** 2 > 0.3, "yes", "no")
X3, Y3 = three_classes(2600)
KERNEL = {"gamma": 0.3, "random_state": 0}
ONE_EPOCH = {"max_iter": 1, "random_state": 0}
ADVICE = [package.Advice.from_conditions({0: (">=", 1)}, range(4), "yes")]

# name -> an estimator whose fit on the samples has several tasks
MODELS = {
    "LASVC": lambda: LASVC(**KERNEL),
    "LASVC-epoch": lambda: LASVC(gamma=0.3, **ONE_EPOCH),
    "LASVC-epochs": lambda: LASVC(max_iter=3, **KERNEL),
    "LASVC-batch": lambda: LASVC(max_iter=-1, probability=True, **KERNEL),
    "LASVC-g": lambda: LASVC(algorithm="lasvm-g", **KERNEL),
    "LASVC-online": lambda: LASVC(finishing=False, class_weight="online_balanced", **KERNEL),
    "ActiveLASVC": lambda: package.ActiveLASVC(selection="active", max_labels=1500, **KERNEL),
    "VirtualLASVC": lambda: package.VirtualLASVC(max_labels=300, **KERNEL),
    "RampSVC": lambda: RampSVC(**KERNEL),
    "KernelPassiveAggressive": lambda: package.KernelPassiveAggressiveClassifier(
        max_iter=2, max_support_vectors=100, **KERNEL
    ),
    "KernelPerceptron": lambda: package.KernelPerceptronClassifier(max_iter=2, **KERNEL),
    "KernelAROW": lambda: package.KernelAROWClassifier(max_support_vectors=50, **KERNEL),
    "PassiveAggressive": lambda: PassiveAggressiveClassifier(random_state=0, average=True),
    "Perceptron": lambda: package.PerceptronClassifier(random_state=0, early_stopping=True),
    "SecondOrderPerceptron": lambda: package.SecondOrderPerceptronClassifier(random_state=0),
    "ConfidenceWeighted": lambda: package.ConfidenceWeightedClassifier(random_state=0),
    "SCW": lambda: package.SCWClassifier(random_state=0),
    "AROW": lambda: package.AROWClassifier(random_state=0, covariance="full"),
    "CostSensitive": lambda: package.CostSensitivePassiveAggressiveClassifier(
        pos_label="yes", random_state=0
    ),
    "Local": lambda: package.LocalOnlineClassifier(n_prototypes=4, random_state=0),
    "Advice": lambda: package.AdvicePassiveAggressiveClassifier(advice=ADVICE, random_state=0),
    "LabelEfficient": lambda: LabelEfficientClassifier(max_iter=2, random_state=0),
    "LabelEfficient-any": lambda: LabelEfficientClassifier(
        PassiveAggressiveClassifier(average=True), random_state=0
    ),
    "LabelEfficient-kernel": lambda: LabelEfficientClassifier(
        package.KernelPerceptronClassifier(gamma=0.3), random_state=0
    ),
    "OnlineCalibrated": lambda: OnlineCalibratedClassifier(random_state=0),
    "Compressed": lambda: package.CompressedClassifier(LASVC(**KERNEL), tolerance=0.5),
}
STREAMS = [name for name in MODELS if name not in ("RampSVC", "Perceptron", "Compressed")]
# Meta-estimators whose only task is that of their base estimator.
WRAPPERS = ["Compressed"]


class Probe:
    """Count the calls of the hooks; stop at, or raise an error at, the end of a task."""

    def __init__(self, *, stop_at=None, fail_at=None):
        self.stop_at, self.fail_at = stop_at, fail_at
        self.n_setups = self.n_teardowns = 0
        self.begun, self.ended, self.fitted = [], [], []

    def setup(self, estimator, context):
        self.n_setups += 1

    def teardown(self, estimator, context):
        self.n_teardowns += 1

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None):
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
        self.ended.append(context.task_name)
        if self.fail_at is not None and len(self.ended) > self.fail_at:
            raise ArithmeticError("of the callback")
        if fitted_estimator is not None:
            self.fitted.append(fitted_estimator.predict(X))
            assert len(self.fitted[-1]) == X.shape[0]
        return self.stop_at is not None and len(self.ended) > self.stop_at


class Plain(Probe):
    """The same, without copies of the model."""

    def on_fit_task_end(self, estimator, context):
        return super().on_fit_task_end(estimator, context)


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def digest(model):
    """Return a hash of all fitted attributes."""
    state = model.__getstate__()
    state.pop("_skl_callbacks", None)
    return joblib.hash(pickle.loads(pickle.dumps(state)))


def samples(layout):
    return csr_matrix(X) if layout == "csr" else X


# -------------------------------------------------------------------- identical models


@pytest.mark.sampled
@pytest.mark.parametrize("name, layout", in_turn(MODELS, ["dense", "csr"]))
def test_fit_with_callbacks_gives_the_same_model(name, layout):
    rows = samples(layout)
    expected = quietly(MODELS[name]().fit, rows, Y)
    probe = Probe()
    model = quietly(MODELS[name]().set_callbacks(probe).fit, rows, Y)
    assert digest(model) == digest(expected)
    assert probe.n_setups == probe.n_teardowns == 1
    assert sorted(probe.begun) == sorted(probe.ended)
    assert probe.begun[0] == probe.ended[-1] == "fit"
    assert len(probe.ended) > 2 or name in WRAPPERS
    np.testing.assert_array_equal(probe.fitted[-1], model.predict(rows))
    assert not {"_tasks", "_callback_fit_ctx"} & set(vars(model))


@pytest.mark.sampled
@pytest.mark.parametrize("name", STREAMS)
def test_partial_fit_with_callbacks_gives_the_same_model(name):
    expected, model, probe = MODELS[name](), MODELS[name](), Probe()
    model.set_callbacks(probe)
    for chunk in (slice(0, 100), slice(100, 101), slice(101, 2600)):
        for each in (expected, model):
            quietly(each.partial_fit, X[chunk], Y[chunk], classes=["no", "yes"])
    assert digest(model) == digest(expected)
    assert probe.n_setups == probe.n_teardowns == probe.ended.count("partial_fit") == 3
    np.testing.assert_array_equal(probe.fitted[-1], model.predict(X[101:]))


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["precomputed", rbf_kernel])
@pytest.mark.parametrize("make", [LASVC, package.KernelPerceptronClassifier])
def test_precomputed_and_callable_kernels(make, kernel):
    rows = rbf_kernel(X) if kernel == "precomputed" else X
    expected = quietly(make(kernel=kernel, random_state=0).fit, rows, Y)
    probe = Probe()
    model = quietly(make(kernel=kernel, random_state=0).set_callbacks(probe).fit, rows, Y)
    np.testing.assert_array_equal(model.decision_function(rows), expected.decision_function(rows))
    np.testing.assert_array_equal(probe.fitted[-1], model.predict(rows))
    # LASVC adds all samples of a small set at once.
    assert probe.ended.count("samples") >= (1 if make is LASVC else 3)


@pytest.mark.parametrize(
    "model",
    [
        package.LASVR(random_state=0),
        package.OneClassLASVM(nu=0.2, random_state=0),
        package.PassiveAggressiveRegressor(random_state=0),
    ],
    ids=str,
)
def test_models_without_classes(model):
    y = X @ [1.0, 2.0, 0.0, 0.0]
    probe, model = Probe(), clone(model)
    expected = clone(model).fit(X, y).partial_fit(X, y)
    model.set_callbacks(probe).fit(X, y).partial_fit(X, y)
    assert digest(model) == digest(expected)
    assert probe.ended[-1] == "partial_fit"


def test_several_classes_in_threads():
    expected = LASVC(n_jobs=2, **KERNEL).fit(X3, Y3)
    probe = Probe()
    model = LASVC(n_jobs=2, **KERNEL).set_callbacks(probe).fit(X3, Y3)
    np.testing.assert_array_equal(model.decision_function(X3), expected.decision_function(X3))
    assert {"optimization", "steps"} <= set(probe.ended)


def test_entity_resolver():
    def similarity(a, b):
        return SequenceMatcher(None, a, b).ratio()

    records, entities = ["Jane", "Jan", "John", "Jon", "Mary", "Marie"], [0, 0, 1, 1, 2, 2]
    probe = Plain()
    resolver = EntityResolver([similarity]).set_callbacks(probe)
    resolver.fit(records, entities)
    resolver.partial_fit(records, entities)
    assert probe.ended == ["fit-estimator", "fit", "partial-fit-estimator", "partial_fit"]
    assert probe.n_setups == probe.n_teardowns == 2
    assert not hasattr(resolver, "_tasks")


def test_search_reports_rungs_of_streams_too():
    probe = Probe()
    search = ProgressiveSearch(PassiveAggressiveClassifier(), {"C": [0.1, 1.0]}, random_state=0)
    search.set_callbacks(probe).partial_fit(X, Y, classes=["no", "yes"])
    assert probe.ended[-1] == "partial_fit"
    assert "rung" in probe.ended
    np.testing.assert_array_equal(probe.fitted[-1], search.predict(X))


def test_search_does_not_call_callbacks_of_its_candidates():
    """A candidate that is stopped within a rung could not be compared with the others."""
    limited = LASVC(gamma=0.3, random_state=0).set_callbacks(TimeLimit(0))
    searches = [
        ProgressiveSearch(estimator, {"C": [0.1, 1.0]}, random_state=0).fit(X, Y)
        for estimator in (limited, clone(limited).set_callbacks())
    ]
    first, second = (search.decision_function(X) for search in searches)
    np.testing.assert_array_equal(first, second)
    assert hasattr(limited, "_skl_callbacks")


def test_weights_and_samples_of_a_block():
    """A block has its own samples, labels and weights."""
    seen = []

    class Watch(Plain):
        def on_fit_task_end(self, estimator, context, *, X=None, y=None, metadata=None):
            if context.task_name == "samples":
                seen.append((X, y, metadata["sample_weight"]))

    weights = np.arange(1.0, len(Y) + 1)
    LASVC(shuffle=False, gamma=0.3, **ONE_EPOCH).set_callbacks(Watch()).fit(X, Y, weights)
    assert [len(part) for part, *_ in seen] == [1024, 1024, 552]
    for given, parts in zip((X, Y, weights), zip(*seen, strict=True), strict=True):
        np.testing.assert_array_equal(np.concatenate(parts), given)


# -------------------------------------------------------------------- stops


@pytest.mark.sampled
@pytest.mark.parametrize("name", MODELS)
def test_stop_at_each_task_leaves_a_usable_model(name):
    whole = Plain()
    quietly(MODELS[name]().set_callbacks(whole).fit, X, Y)
    for stop_at in sorted({1, len(whole.ended) // 2, len(whole.ended) - 1}):
        if stop_at >= len(whole.ended):
            continue
        probe = Probe(stop_at=stop_at)
        model = quietly(MODELS[name]().set_callbacks(probe).fit, X, Y)
        assert probe.n_teardowns == 1
        assert probe.ended[-1] == "fit"
        np.testing.assert_array_equal(model.predict(X), probe.fitted[-1])
        assert np.mean(model.predict(X) == Y) > 0.5
        if name != "OnlineCalibrated":
            assert len(probe.ended) <= stop_at + 3
        pickle.loads(pickle.dumps(clone(model).set_callbacks()))
        pickle.loads(pickle.dumps(model.set_callbacks()))
        if name in STREAMS:
            quietly(model.partial_fit, X[:50], Y[:50])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["LASVC", "LASVC-epochs", "LASVC-g", "ActiveLASVC", "RampSVC"])
def test_stopped_fit_resumes_to_the_uninterrupted_fit(name):
    expected = quietly(MODELS[name]().fit, X, Y)
    whole = Plain()
    quietly(MODELS[name]().set_callbacks(whole).fit, X, Y)
    n_interrupted = 0
    for stop_at in range(min(8, len(whole.ended))):
        model = quietly(MODELS[name]().set_callbacks(Plain(stop_at=stop_at)).fit, X, Y)
        if model.interrupted_:
            n_interrupted += 1
            model = pickle.loads(pickle.dumps(model.set_callbacks()))
            quietly(model.resume, X, Y)
        np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))
        np.testing.assert_array_equal(model.support_, expected.support_)
    assert n_interrupted


def test_stopped_partial_fit_resumes():
    expected = LASVC(**KERNEL).partial_fit(X, Y, classes=["no", "yes"])
    model = LASVC(**KERNEL).set_callbacks(Probe(stop_at=0))
    model.partial_fit(X, Y, classes=["no", "yes"])
    assert model.n_samples_seen_ == 1024
    assert model.interrupted_
    model.set_callbacks().resume(X, Y)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))
    assert model.n_samples_seen_ == len(X)


def test_resume_reports_and_can_be_stopped_again():
    expected = LASVC(max_iter=1, **KERNEL).fit(X, Y)
    model = LASVC(max_iter=1, **KERNEL).set_callbacks(Probe(stop_at=0)).fit(X, Y)
    probe = Probe(stop_at=0)
    model.set_callbacks(probe).resume(X, Y)
    assert model.interrupted_
    assert probe.ended == ["samples", "epoch", "resume"]
    model.set_callbacks().resume(X, Y)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_stop_within_the_optimization_over_the_support_set(n_jobs):
    """The optimization of each problem, in threads or not, ends at the next look at the clock."""
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(3000, 10)), rng.integers(0, 4, 3000)

    class StopSteps(Plain):
        def on_fit_task_end(self, estimator, context):
            return context.task_name == "steps"

    model = LASVC(C=1000, gamma=0.1, tol=1e-8, random_state=0, n_jobs=n_jobs)
    model.set_callbacks(StopSteps()).fit(rows, labels)
    assert model.interrupted_
    assert model.n_samples_seen_ == 3000
    assert checkpoint_of(model)["at"]["stage"] == "finish"


def test_predictions_after_a_stop_take_about_as_long_as_the_training():
    """Regression test: they took a hundred times as long, to optimize over the support set."""
    rows, labels = make_banana_like(12_000, random_state=0)
    model = LASVC(C=1e4, gamma=1.0, random_state=0).set_callbacks(Plain(stop_at=3))
    model.fit(rows, labels)
    (problem,) = engine_of(model).problems
    before = problem.n_operations
    assert model.score(rows, labels) > 0.7
    assert before < problem.n_operations < 20 * before
    model.set_callbacks().resume(rows, labels)
    n_steps = engine_of(model).problems[0].n_changes
    assert n_steps > 10 * problem.n_changes


def test_time_limit_stops_within_a_fraction_of_the_epoch():
    rows, labels = make_banana_like(100_000, random_state=0)
    limit = TimeLimit(0.2)
    model = LASVC(C=10, random_state=0).set_callbacks(limit)
    start = time.process_time()
    model.fit(rows, labels)
    assert limit.stopped_
    assert model.interrupted_
    assert 1024 <= model.n_samples_seen_ < 90_000
    assert model.score(rows[:1000], labels[:1000]) > 0.7
    assert time.process_time() - start < 60
    unlimited = TimeLimit(1e9)
    LASVC(random_state=0).set_callbacks(unlimited).fit(X, Y)
    assert not unlimited.stopped_


def test_ctrl_c_in_a_callback_interrupts_the_fit():
    class Press(Plain):
        def on_fit_task_end(self, estimator, context):
            signal.raise_signal(signal.SIGINT)

    probe = Press()
    model = LASVC(max_iter=2, **KERNEL).set_callbacks(probe)
    assert Interrupt(0, model.fit, X, Y).raised
    assert model.interrupted_
    assert probe.n_teardowns == 1


# -------------------------------------------------------------------- errors


@pytest.mark.sampled
@pytest.mark.parametrize("name", MODELS)
def test_error_in_a_callback_is_raised_and_leaves_the_model_unchanged(name):
    probe = Probe(fail_at=0)
    model = MODELS[name]().set_callbacks(probe)
    with pytest.raises(ArithmeticError, match="of the callback"):
        quietly(model.fit, X, Y)
    assert probe.n_teardowns == 1
    model.set_callbacks()
    assert not {"_tasks", "_callback_fit_ctx"} & set(vars(model))
    assert set(vars(model)) == set(vars(MODELS[name]()))
    quietly(model.fit, X, Y)
    before = digest(model)
    model.set_callbacks(Probe(fail_at=0))
    with pytest.raises(ArithmeticError):
        quietly(model.fit, X, Y)
    assert digest(model) == before


@pytest.mark.parametrize("name", STREAMS)
def test_error_in_a_callback_of_partial_fit_leaves_a_usable_model(name):
    model = quietly(MODELS[name]().partial_fit, X[:100], Y[:100], classes=["no", "yes"])
    probe = Probe(fail_at=0)
    model.set_callbacks(probe)
    with pytest.raises(ArithmeticError):
        quietly(model.partial_fit, X, Y)
    assert probe.n_teardowns == 1
    model.set_callbacks()
    assert len(model.predict(X)) == len(X)
    quietly(model.partial_fit, X[:100], Y[:100])


def test_error_at_the_beginning_and_in_setup():
    class FailsInSetup(Plain):
        def setup(self, estimator, context):
            super().setup(estimator, context)
            raise ArithmeticError("of setup")

    class FailsAtBegin(Plain):
        def on_fit_task_begin(self, estimator, context):
            raise ArithmeticError("of the beginning")

    for kind in (FailsInSetup, FailsAtBegin):
        for model in (LASVC(), PassiveAggressiveClassifier(), OnlineCalibratedClassifier()):
            callback = kind()
            with pytest.raises(ArithmeticError, match="of"):
                model.set_callbacks(callback).fit(X, Y)
            assert callback.n_teardowns == 1
            assert not hasattr(model, "classes_")
            assert model.set_callbacks().fit(X, Y).score(X, Y) > 0.4


def test_invalid_input_raises_the_usual_error():
    for model in (LASVC(), PassiveAggressiveClassifier(), LabelEfficientClassifier()):
        probe = Plain()
        model.set_callbacks(probe)
        for arguments in ({}, {"classes": ["no", "yes"]}):
            call = model.partial_fit if arguments else model.fit
            for wrong in (object(), None, X[:-1]):
                with pytest.raises((ValueError, TypeError)) as reported:
                    call(wrong, Y, **arguments)
                with pytest.raises(type(reported.value)) as usual:
                    plain = clone(model).set_callbacks()
                    (plain.partial_fit if arguments else plain.fit)(wrong, Y, **arguments)
                assert str(usual.value) == str(reported.value)
        assert probe.n_teardowns == probe.n_setups


# -------------------------------------------------------------------- in other estimators


def test_callbacks_are_kept_by_clone_and_pickle_but_not_by_copies_of_training():
    limit = TimeLimit(100)
    model = LASVC(random_state=0).set_callbacks(limit)
    assert clone(model)._skl_callbacks == [limit]
    model.fit(X, Y)
    loaded = pickle.loads(pickle.dumps(model))
    assert loaded._skl_callbacks[0].seconds == 100
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    loaded.fit(X, Y)
    kept = []

    class Keep(Plain):
        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            kept.append(fitted_estimator)

    LASVC(random_state=0).set_callbacks(Keep(), limit).fit(X, Y)
    assert all(not hasattr(copy, "_skl_callbacks") for copy in kept if copy is not None)


@pytest.mark.parametrize("model", [LASVC(random_state=0), PassiveAggressiveClassifier()])
def test_nested_in_a_grid_search_with_processes(model):
    pytest.importorskip("rich")
    monitor = sklearn_callback.ScoringMonitor(scoring="accuracy")
    stop = EarlyStopping(X[:200], Y[:200], n_iter_no_change=1, tol=1.0)
    inner = clone(model).set_callbacks(monitor, stop, TimeLimit(100))
    search = GridSearchCV(inner, {"C": [0.1, 1.0]}, cv=2, n_jobs=2)
    search.set_callbacks(sklearn_callback.ProgressBar(max_propagation_depth=None))
    search.fit(X, Y)
    assert search.score(X, Y) > 0.5
    logs = monitor.get_logs("all")
    # Two candidates, two folds, and the final fit, with one log of scores.
    assert sum(len(log.data) for log in logs) >= 5
    assert all(0 <= row["accuracy"] <= 1 for log in logs for row in log.data)


def test_time_limit_of_an_inner_estimator_in_processes():
    inner = LASVC(**ONE_EPOCH).set_callbacks(TimeLimit(0))
    search = GridSearchCV(inner, {"C": [0.1, 1.0]}, cv=2, n_jobs=2).fit(X, Y)
    assert search.best_estimator_.n_samples_seen_ == 1024


def test_one_callback_for_fits_in_threads():
    stop = EarlyStopping(X[:200], Y[:200], n_iter_no_change=100)
    inner = LASVC(**ONE_EPOCH).set_callbacks(stop, TimeLimit(100), SupportVectorMonitor())
    search = GridSearchCV(inner, {"C": [0.1, 1.0, 10.0]}, cv=2, n_jobs=3)
    with joblib.parallel_config("threading"):
        search.fit(X, Y)
    expected = GridSearchCV(LASVC(**ONE_EPOCH), {"C": [0.1, 1.0, 10.0]}, cv=2).fit(X, Y)
    scores = "mean_test_score"
    np.testing.assert_array_equal(search.cv_results_[scores], expected.cv_results_[scores])
    assert len(stop.scores_) == 3  # of the last fit
    assert not stop._calls


def test_in_a_pipeline():
    pytest.importorskip("rich")
    pipe = make_pipeline(StandardScaler(), LASVC(random_state=0))
    expected = clone(pipe).fit(X, Y)
    probe = Probe()
    pipe[-1].set_callbacks(probe)
    pipe.set_callbacks(sklearn_callback.ProgressBar()).fit(X, Y)
    np.testing.assert_array_equal(pipe.decision_function(X), expected.decision_function(X))
    assert "epoch" in probe.ended


@pytest.mark.parametrize("name", MODELS)
def test_progress_bar_and_scores_of_every_estimator(name):
    """Also through meta-estimators, which propagate a progress bar to their base estimator."""
    pytest.importorskip("rich")
    monitor = sklearn_callback.ScoringMonitor(scoring="accuracy")
    model = MODELS[name]().set_callbacks(sklearn_callback.ProgressBar(), monitor)
    quietly(model.fit, X, Y)
    assert all(0.4 < row["accuracy"] <= 1 for row in monitor.get_logs().data)


def test_wrappers_propagate_to_their_base_estimator():
    class Propagated(Plain):
        max_propagation_depth = None

    for name in (*WRAPPERS, "OnlineCalibrated"):
        probe = Propagated()
        quietly(MODELS[name]().set_callbacks(probe).fit, X, Y)
        inner = "optimization" if name in WRAPPERS else "partial_fit"
        assert inner in probe.ended
        assert probe.n_setups == 1
    probe = Propagated()
    pipe = make_online_pipeline(StandardScaler(), LASVC(**KERNEL)).set_callbacks(probe)
    pipe.partial_fit(X, Y, classes=["no", "yes"])
    assert {"samples", "partial_fit"} <= set(probe.ended)
    pipe.set_callbacks(Plain(fail_at=0))
    with pytest.raises(ArithmeticError):
        pipe.partial_fit(X[:5], Y[:5])
    pipe.set_callbacks().partial_fit(X[:5], Y[:5])


def test_verbose_output_is_the_same_with_callbacks(capsys):
    LASVC(verbose=2, random_state=0).set_callbacks(Plain()).fit(X, Y)
    printed = capsys.readouterr()
    assert "[LASVC] epoch 1" in printed.out


# -------------------------------------------------------------------- the callbacks


def test_early_stopping():
    held_out = X[:500], Y[:500]
    stop = EarlyStopping(*held_out, n_iter_no_change=2, tol=0.0)
    model = PassiveAggressiveClassifier(max_iter=100, tol=None, random_state=0)
    model.set_callbacks(stop).fit(X[500:], Y[500:])
    assert stop.stopped_
    assert model.n_iter_ == len(stop.scores_) < 100
    assert stop.best_score_ == max(stop.scores_)
    assert max(stop.scores_[-2:]) <= max(stop.scores_[:-2])
    assert stop.scores_[-1] == model.score(*held_out)
    seldom = EarlyStopping(*held_out, n_iter_no_change=100, n_tasks=4)
    model = clone(model).set_callbacks(seldom).set_params(max_iter=12)
    model.fit(X[500:], Y[500:])
    assert len(seldom.scores_) == 3
    assert not seldom.stopped_


def test_early_stopping_takes_a_scorer():
    stop = EarlyStopping(X, Y, scoring="balanced_accuracy", n_iter_no_change=50)
    LASVC(**ONE_EPOCH).set_callbacks(stop).fit(X, Y)
    assert len(stop.scores_) == 3
    plain = EarlyStopping(X, Y, n_iter_no_change=50)
    LASVC(**ONE_EPOCH).set_callbacks(plain).fit(X, Y)
    assert stop.scores_ != plain.scores_


@pytest.mark.parametrize(
    "make",
    [
        lambda **bad: TimeLimit(**{"seconds": -1, **bad}),
        lambda **bad: EarlyStopping(X, Y, n_iter_no_change=0),
        lambda **bad: EarlyStopping(X, Y, tol=-1.0),
        lambda **bad: EarlyStopping(X, Y, n_tasks=0),
        lambda **bad: Checkpoint("x", every=-1),
        lambda **bad: Checkpoint(3),
        lambda **bad: OptunaPruning(None, X, Y),
    ],
)
def test_parameters_of_callbacks_are_checked(make):
    with pytest.raises(ValueError, match="parameter of"):
        make()


def test_optuna_prunes():
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    reported = []

    def objective(trial):
        bad = trial.number >= 2
        callback = OptunaPruning(trial, X[:500], Y[:500])
        model = LASVC(C=1e-6 if bad else 10.0, gamma=0.3, finishing=False, random_state=0)
        model.set_callbacks(callback)
        try:
            score = model.fit(X[500:], Y[500:]).score(X[:500], Y[:500])
        finally:
            reported.append(callback.scores_)
            if trial.should_prune():
                assert not hasattr(model, "classes_")
        return score

    pruner = optuna.pruners.MedianPruner(n_startup_trials=2, n_warmup_steps=0)
    study = optuna.create_study(direction="maximize", pruner=pruner)
    study.optimize(objective, n_trials=3)
    states = [trial.state.name for trial in study.trials]
    assert states == ["COMPLETE", "COMPLETE", "PRUNED"]
    assert [len(scores) for scores in reported] == [3, 3, 1]
    assert list(study.trials[2].intermediate_values.values()) == reported[2]


def test_support_vector_monitor():
    monitor = SupportVectorMonitor()
    model = LASVC(**ONE_EPOCH).set_callbacks(monitor).fit(X, Y)
    data = monitor.data_
    assert data["n_samples"].tolist() == [1024, 2048, 2600, 2600]
    assert data["n_kernel_evaluations"][-1] == model.n_kernel_evaluations_
    assert data["n_support"][-1] >= len(model.support_)
    for values in data.values():
        assert (np.diff(values) >= 0).all() or values is data["n_support"]
    model.partial_fit(X[:10], Y[:10])
    assert monitor.data_["n_samples"].tolist() == [1024, 2048, 2600, 2600, 2610]
    model.fit(X, Y)
    assert len(monitor.data_["time"]) == 4
    frame = pytest.importorskip("pandas").DataFrame(monitor.data_)
    assert list(frame) == ["n_samples", "n_support", "n_kernel_evaluations", "time"]
    budget = package.KernelPassiveAggressiveClassifier(max_support_vectors=30, **KERNEL)
    quietly(budget.set_callbacks(monitor).fit, X, Y)
    assert monitor.data_["n_support"].max() == 30
    with pytest.raises(TypeError, match="got an estimator of type PassiveAggressiveClassifier"):
        PassiveAggressiveClassifier().set_callbacks(monitor).fit(X, Y)


def test_callbacks_on_an_estimator_of_scikit_learn(tmp_path):
    path = tmp_path / "model.joblib"
    stop = EarlyStopping(X[:500], Y[:500], n_iter_no_change=1000)
    model = LogisticRegression().set_callbacks(stop, Checkpoint(path, every=0), TimeLimit(100))
    model.fit(X[500:], Y[500:])
    assert len(stop.scores_) >= 3
    stored = joblib.load(path)
    assert not hasattr(stored, "_skl_callbacks")
    np.testing.assert_array_equal(stored.coef_, model.coef_)


# -------------------------------------------------------------------- checkpoints

KILLED = """
import os, signal, sys
from sklearn_online_svm.callback import Checkpoint
from tests.test_callback import KILLS, MODELS, Plain, X, Y

class Kill(Plain):
    def on_fit_task_end(self, estimator, context):
        super().on_fit_task_end(estimator, context)
        if len(self.ended) == 2:
            os.kill(os.getpid(), signal.SIGKILL)

for name, method in KILLS:
    if not os.fork():
        path = os.path.join(sys.argv[1], f"{name}-{method}")
        model = MODELS[name]().set_callbacks(Checkpoint(path, every=0), Kill())
        if method == "fit":
            model.fit(X, Y)
        else:
            model.partial_fit(X, Y, classes=["no", "yes"])
    _, status = os.wait()
    assert os.WTERMSIG(status) == signal.SIGKILL
"""
KILLS = [
    *((name, "fit") for name in ("LASVC-epoch", "LASVC-batch", "ActiveLASVC", "RampSVC")),
    ("LASVC", "partial_fit"),
]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_training_continues_from_the_file_after_a_kill(tmp_path):
    arguments = [sys.executable, "-c", KILLED, str(tmp_path)]
    process = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    assert len(list(tmp_path.iterdir())) == len(KILLS)  # no unfinished files
    for name, method in KILLS:
        model = joblib.load(tmp_path / f"{name}-{method}")
        assert model.interrupted_
        assert np.mean(model.predict(X) == Y) > 0.6
        quietly(model.resume, X, Y)
        if method == "fit":
            expected = quietly(MODELS[name]().fit, X, Y)
        else:
            expected = MODELS[name]().partial_fit(X, Y, classes=["no", "yes"])
        np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))
        np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)
        assert model.n_samples_seen_ == expected.n_samples_seen_


@pytest.mark.parametrize("name", ["PassiveAggressive", "KernelPerceptron", "LabelEfficient"])
def test_other_models_continue_from_the_file_with_partial_fit(name, tmp_path):
    path = tmp_path / "model.joblib"
    model = MODELS[name]().set_callbacks(Checkpoint(path, every=0), Plain(stop_at=0))
    quietly(model.fit, X, Y)
    stored = joblib.load(path)
    np.testing.assert_array_equal(stored.predict(X), model.predict(X))
    for each in (stored, model.set_callbacks()):
        quietly(each.partial_fit, X[:100], Y[:100])
    assert digest(stored) == digest(model)


def test_final_model_and_rate_of_checkpoints(tmp_path):
    path = tmp_path / "model.joblib"
    model = LASVC(random_state=0).set_callbacks(Checkpoint(path, every=1e9)).fit(X, Y)
    assert not joblib.load(path).interrupted_
    assert digest(joblib.load(path)) == digest(model)
    with pytest.raises(FileNotFoundError):
        LASVC().set_callbacks(Checkpoint(tmp_path / "none" / "model.joblib")).fit(X, Y)


def test_failed_checkpoint_keeps_the_former_file(tmp_path, monkeypatch):
    path = tmp_path / "model.joblib"
    LASVC(random_state=0).set_callbacks(Checkpoint(path)).fit(X, Y)
    before = path.read_bytes()

    def fail(model, file):
        file.write(b"part")
        raise OSError("disk full")

    monkeypatch.setattr(joblib, "dump", fail)
    with pytest.raises(OSError, match="disk full"):
        LASVC(random_state=1).set_callbacks(Checkpoint(path)).fit(X, Y)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_without_callbacks_no_context_is_created(monkeypatch):
    def refuse(self, *arguments, **options):
        raise AssertionError("a context without callbacks")

    monkeypatch.setattr(CallbackSupportMixin, "_init_callback_context", refuse)
    for make in MODELS.values():
        quietly(make().fit, X[:300], Y[:300])
    with pytest.warns(ConvergenceWarning):
        PassiveAggressiveClassifier(max_iter=2, random_state=0).fit(X, Y)
