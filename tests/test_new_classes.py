"""New classes in mid-stream: ``partial_fit`` with more classes than before."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import (
    LASVC,
    ActiveLASVC,
    AdvicePassiveAggressiveClassifier,
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    LabelEfficientClassifier,
    LocalOnlineClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
    VirtualLASVC,
)
from sklearn_online_svm.active import AllQuery, RandomQuery
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.pipeline import OnlinePipeline
from tests.support.internals import Race, update_state

LINEAR = {
    "pa": PassiveAggressiveClassifier(C=0.1),
    "pa, average": PassiveAggressiveClassifier(C=0.1, average=True),
    "pa, joint": PassiveAggressiveClassifier(C=0.1, multi_class="crammer_singer"),
    "perceptron": PerceptronClassifier(),
    "second order": SecondOrderPerceptronClassifier(),
    "cw": ConfidenceWeightedClassifier(),
    "scw": SCWClassifier(),
    "arow": AROWClassifier(),
    "arow, full": AROWClassifier(covariance="full"),
    "local": LocalOnlineClassifier(n_prototypes=4),
    "local, scw": LocalOnlineClassifier(n_prototypes=4, variant="scw"),
    "cost sensitive": CostSensitivePassiveAggressiveClassifier(),
}
# Online solutions, whose functions change by steps alone.
LASVM = dict(C=3.0, gamma=2.0, finishing=False)
KERNEL = {
    "lasvc": LASVC(**LASVM),
    "lasvc, rest": LASVC(multi_class="ovr", **LASVM),
    "lasvc, threads": LASVC(n_jobs=2, **LASVM),
    "lasvc, linear": LASVC(C=3.0, kernel="linear", finishing=False),
    "lasvc, window": LASVC(window_size=60, **LASVM),
    "lasvc, rest, window": LASVC(multi_class="ovr", window_size=60, **LASVM),
    "lasvc, balanced": LASVC(class_weight="online_balanced", **LASVM),
    "lasvm-g": LASVC(algorithm="lasvm-g", **LASVM),
    "lasvm-g, rest": LASVC(multi_class="ovr", algorithm="lasvm-g", **LASVM),
    "lasvm-nc, window": LASVC(algorithm="lasvm-nc", window_size=60, **LASVM),
    "lasvm-i": LASVC(algorithm="lasvm-i", **LASVM),
    "lasvm-full": LASVC(algorithm="lasvm-full", **LASVM),
    "active": ActiveLASVC(random_state=0, **LASVM),
    "virtual": VirtualLASVC(random_state=0, **LASVM),
    "kernel arow": KernelAROWClassifier(gamma=2.0, max_support_vectors=40),
    "kernel arow, forgetting": KernelAROWClassifier(gamma=2.0, forgetting_factor=0.99),
    "kernel pa": KernelPassiveAggressiveClassifier(gamma=2.0),
    "kernel pa, mean": KernelPassiveAggressiveClassifier(gamma=2.0, average="mean"),
    "kernel pa, joint": KernelPassiveAggressiveClassifier(gamma=2.0, multi_class="crammer_singer"),
    "kernel pa, margin": KernelPassiveAggressiveClassifier(
        gamma=2.0, max_support_vectors=30, budget_policy="margin"
    ),
    "kernel perceptron": KernelPerceptronClassifier(gamma=2.0, margin=0.1),
    "kernel perceptron, votes": KernelPerceptronClassifier(gamma=2.0, average="vote"),
    "kernel perceptron, joint votes": KernelPerceptronClassifier(
        gamma=2.0, average="vote", multi_class="crammer_singer"
    ),
    "kernel perceptron, projection": KernelPerceptronClassifier(
        gamma=2.0, max_support_vectors=30, budget_policy="projection"
    ),
    "kernel perceptron, merging": KernelPerceptronClassifier(
        gamma=2.0, max_support_vectors=30, budget_policy="merging"
    ),
}
MODELS = LINEAR | KERNEL
LABELS = np.array(["a", "b", "c", "d", "e"])
# The known classes; the new ones come before, between and behind them.
KNOWN = {"two": [1, 3], "three": [0, 2, 3]}

with_models = pytest.mark.parametrize("name", MODELS)
with_known = pytest.mark.parametrize("known", KNOWN)
with_layouts = pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix])


def stream(n=500):
    X, y = make_blobs(n, n_features=4, centers=5, cluster_std=1.5, random_state=0)
    return X / 5.0, y


def trained(name, known, layout=np.asarray):
    """Return a model of the known classes, and the stream of all classes that follows."""
    X, y = stream()
    early = np.flatnonzero(np.isin(y[:250], KNOWN[known]))
    model = clone(MODELS[name])
    model.partial_fit(layout(X[early]), LABELS[y[early]], classes=LABELS[KNOWN[known]])
    return model, layout(X[250:]), LABELS[y[250:]]


@pytest.mark.sampled
@with_models
@with_known
@with_layouts
def test_functions_of_former_classes_do_not_change(name, known, layout):
    model, X, y = trained(name, known, layout)
    # A sample of weight 0 makes no step, but averages count it.
    i = np.flatnonzero(y == LABELS[KNOWN[known][0]])[:1]
    unextended = pickle.loads(pickle.dumps(model))
    unextended.partial_fit(X[i], y[i], sample_weight=[0.0])
    before, predicted = unextended.decision_function(X), unextended.predict(X)
    model.partial_fit(X[i], y[i], classes=LABELS, sample_weight=[0.0])
    assert_array_equal(model.classes_, LABELS)
    after = model.decision_function(X)
    places = KNOWN[known]
    new = np.setdiff1d(np.arange(5), places)
    kind = getattr(model, "multi_class", "ovr")
    if kind == "ovo":
        check_pairs_of_former_classes(model, unextended, X, y, places)
        return
    joint = kind == "crammer_singer"
    if name in LINEAR:
        start = 0.0 if joint or not model.fit_intercept else -1.0
        assert_array_equal(after[:, new], start)
    elif joint:
        assert_array_equal(after[:, new], 0.0)
    else:
        # No sample is predicted as a new class, except where all functions are low.
        old = np.isin(y, LABELS[places])
        assert after[old][:, new].max() < 0.1
        assert np.isin(model.predict(X[old]), LABELS[new]).mean() < 0.03
    if known == "two":
        highest = after[:, places].max(axis=1)
        if name != "kernel perceptron, joint votes":  # these are shares of both classes
            assert_allclose(after[:, places[1]], -after[:, places[0]], rtol=1e-12)
            ratio = after[:, places[1]] / before
            assert_allclose(ratio, ratio[0], rtol=1e-9)
            assert np.isclose(ratio[0], 1.0) or np.isclose(ratio[0], 0.5)
    else:
        assert_allclose(after[:, places], before, rtol=1e-12)
        highest = before.max(axis=1)
    winning = highest > after[:, new].max(axis=1)
    assert_array_equal(model.predict(X)[winning], predicted[winning])


def check_pairs_of_former_classes(model, unextended, X, y, places):
    before = unextended.set_params(decision_function_shape="ovo").decision_function(X)
    after = model.set_params(decision_function_shape="ovo").decision_function(X)
    first, second = np.triu_indices(len(LABELS), 1)
    of_first, of_second = np.isin(first, places), np.isin(second, places)
    former = after[:, of_first & of_second]
    if before.ndim == 1:  # positive for the second class
        before = -before[:, np.newaxis]
    assert_allclose(former, before, rtol=1e-12)
    # Values of pairs of a former and a new class, positive for the new one.
    mixed = of_first != of_second
    new = np.where(of_first, -1.0, 1.0)[mixed] * after[:, mixed]
    assert_array_equal(after[:, ~of_first & ~of_second], 0.0)
    old = np.isin(y, LABELS[places])
    assert new[old].max() < 0.1
    predicted = model.predict(X)
    assert np.isin(predicted[old], LABELS[places]).mean() > 0.97
    # Each former class then has more votes than any new one.
    winning = (new < 0.0).all(axis=1)
    assert_array_equal(predicted[winning], unextended.predict(X)[winning])


@pytest.mark.sampled
@with_models
@with_known
@pytest.mark.parametrize("size", [1, 7])
def test_chunks_and_pickling_do_not_matter(name, known, size):
    whole, X, y = trained(name, known)
    X, y = X[:120], y[:120]
    if name in ("active", "virtual"):
        pytest.skip("samples are selected within a chunk")
    chunked = pickle.loads(pickle.dumps(whole))
    whole.partial_fit(X, y, classes=LABELS)
    for i in range(0, len(y), size):
        chunked.partial_fit(X[i : i + size], y[i : i + size], classes=LABELS)
        if i == 7:
            chunked = pickle.loads(pickle.dumps(chunked))
    tolerance = 0.0 if name in LINEAR else 1e-12  # of gradients, with blocks of other sizes
    assert_allclose(
        chunked.decision_function(X), whole.decision_function(X), rtol=0.0, atol=tolerance
    )


@pytest.mark.sampled
@pytest.mark.parametrize("name", KERNEL)
@with_known
def test_sparse_samples_give_the_same_model(name, known):
    dense, X, y = trained(name, known)
    sparse_model, S, _ = trained(name, known, sparse.csr_matrix)
    for model, samples in ((dense, X), (sparse_model, S)):
        model.partial_fit(samples[:120], y[:120], classes=LABELS)
    assert_allclose(sparse_model.decision_function(S), dense.decision_function(X), atol=1e-12)


@pytest.mark.sampled
@with_models
def test_classes_are_added_twice(name):
    model, X, y = trained(name, "two")
    once = pickle.loads(pickle.dumps(model))
    for classes in ([1, 3, 4], range(5)):
        rows = np.flatnonzero(np.isin(y[:120], LABELS[[*classes]]))
        model.partial_fit(X[rows], y[rows], classes=LABELS[[*classes]])
        model = pickle.loads(pickle.dumps(model))
        once.partial_fit(X[rows], y[rows], classes=LABELS)
    assert_array_equal(model.classes_, LABELS)
    for learner in (model, once):
        learner.partial_fit(X, y)
    assert model.score(X, y) > once.score(X, y) - 0.06


@pytest.mark.sampled
@with_models
@with_known
def test_errors_leave_the_model_unchanged(name, known):
    model, X, y = trained(name, known)
    before, classes = model.decision_function(X), model.classes_
    wrong = X.copy()
    wrong[3, 1] = np.nan
    for samples, labels, message in (
        (wrong, y, "contains NaN"),
        (X, np.where(np.arange(len(y)) == 5, "z", y), "not among the classes"),
        (X[:, :2], y, "X has 2 features"),
    ):
        with pytest.raises(ValueError, match=message):
            model.partial_fit(samples, labels, classes=LABELS)
        assert_array_equal(model.classes_, classes)
        assert_array_equal(model.decision_function(X), before)
    with pytest.raises(ValueError, match="with the known and the new classes to partial_fit"):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(X, y, classes=LABELS[[1, 4]])
    assert_array_equal(model.decision_function(X), before)


@pytest.mark.sampled
@with_models
@with_known
def test_late_classes_are_learned(name, known):
    model, X, y = trained(name, known)
    informed = clone(MODELS[name])
    X_early, y_early = stream()
    early = np.flatnonzero(np.isin(y_early[:250], KNOWN[known]))
    informed.partial_fit(X_early[early], LABELS[y_early[early]], classes=LABELS)
    for learner in (model, informed):
        learner.partial_fit(X, y, classes=LABELS)
    if name == "kernel arow":  # its dictionary is full, unless it has kept room for the classes
        assert informed.score(X, y) > 0.98
        return
    assert model.score(X, y) > informed.score(X, y) - 0.06


@pytest.mark.parametrize(
    "name", [name for name in MODELS if hasattr(MODELS[name], "class_weight")]
)
@with_known
def test_class_weights_of_classes_that_come_later(name, known):
    """Weights given in advance have no effect until the class is added, and apply then."""
    first, later = {"d": 0.5}, {"e": 0.0, "no class at all": 7.0}
    models = []
    for weights in (first | later, first):
        models.append(clone(MODELS[name]).set_params(class_weight=weights))
        X, y = stream()
        early = np.flatnonzero(np.isin(y[:250], KNOWN[known]))
        models[-1].partial_fit(X[early], LABELS[y[early]], classes=LABELS[KNOWN[known]])
    given, changed = models
    assert_array_equal(given.decision_function(X), changed.decision_function(X))
    changed.set_params(class_weight=first | later)
    for model in models:
        model.partial_fit(X[250:], LABELS[y[250:]], classes=LABELS)
    assert_array_equal(given.decision_function(X), changed.decision_function(X))
    unweighted = clone(MODELS[name]).set_params(class_weight=first)
    unweighted.partial_fit(X[early], LABELS[y[early]], classes=LABELS[KNOWN[known]])
    unweighted.partial_fit(X[250:], LABELS[y[250:]], classes=LABELS)
    assert (unweighted.decision_function(X) != given.decision_function(X)).any()


@with_known
def test_sparsified_models_and_class_weights(known):
    model, X, y = trained("pa", known)
    other, *_ = trained("pa", known)
    model.sparsify()
    for learner in (model, other):
        learner.set_params(class_weight={LABELS[4]: 3.0})
        learner.partial_fit(X, y, classes=LABELS)
    assert_array_equal(model.decision_function(X), other.decision_function(X))


@pytest.mark.parametrize(
    "model",
    [PassiveAggressiveClassifier(C=0.1), KernelPassiveAggressiveClassifier(gamma=2.0)],
    ids=["linear", "kernel"],
)
def test_interrupt_before_the_first_sample_adds_no_classes(model, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    X, y = stream()
    two = y < 2
    model = clone(model).partial_fit(X[two], y[two], classes=[0, 1])
    before = dict(vars(model))
    monkeypatch.setattr(type(update_state(model)), "train_chunk", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y, classes=range(5))
    assert vars(model) == before


def test_advice_needs_all_classes_in_the_first_call():
    X, y = stream()
    two = y < 2
    model = AdvicePassiveAggressiveClassifier().partial_fit(X[two], y[two], classes=[0, 1])
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="classes cannot be added to AdvicePassiveAggressive"):
        model.partial_fit(X, y, classes=range(5))
    assert_array_equal(model.decision_function(X), before)


# ---------------------------------------------------------------------------- wrappers


def at_random(estimator):
    return LabelEfficientClassifier(estimator, RandomQuery(0.5, random_state=0))


@pytest.mark.parametrize("known", [*KNOWN])
@pytest.mark.parametrize(
    "estimator",
    [PassiveAggressiveClassifier(C=0.1), KernelPassiveAggressiveClassifier(gamma=2.0)],
    ids=["linear", "kernel"],
)
def test_label_efficient_model_is_that_of_its_queried_labels(estimator, known):
    X, y = stream()
    early, later = np.flatnonzero(np.isin(y[:250], KNOWN[known])), np.arange(250, 500)
    model = at_random(estimator)
    model.partial_fit(X[early], LABELS[y[early]], classes=LABELS[KNOWN[known]])
    first = model.queried_
    predictions = model.online_predictions_
    model = pickle.loads(pickle.dumps(model))
    model.partial_fit(X[later], LABELS[y[later]], classes=LABELS)
    rows = np.concatenate([early, later])[model.queried_]
    assert_array_equal(model.queried_[: len(early)], first)
    assert_array_equal(model.online_predictions_[: len(early)], predictions)
    assert_array_equal(model.queried_labels_, LABELS[y[rows]])
    # The same labels without queries.
    plain = clone(estimator)
    plain.partial_fit(X[early[first]], LABELS[y[early[first]]], classes=LABELS[KNOWN[known]])
    rest = rows[first.sum() :]
    plain.partial_fit(X[rest], LABELS[y[rest]], classes=LABELS)
    assert_allclose(model.decision_function(X), plain.decision_function(X), rtol=0, atol=1e-12)
    assert_array_equal(model.estimator_.classes_, LABELS)


def refusing(X, y, make):
    """Return a wrapper of an estimator that accepts no further classes."""
    two = y < 2
    return make(SGDClassifier(random_state=0)).partial_fit(X[two], y[two], classes=[0, 1])


WRAPPERS = {
    "labels": LabelEfficientClassifier,
    "calibrated": OnlineCalibratedClassifier,
    "search": lambda estimator: ProgressiveSearch(
        estimator, {"alpha": [1e-4, 1e-3]}, min_resources=50, random_state=0
    ),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_estimators_of_other_packages_accept_no_further_classes(name):
    X, y = stream()
    model = refusing(X, y, WRAPPERS[name])
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="cannot be added to SGDClassifier"):
        model.partial_fit(X, y, classes=range(5))
    assert_array_equal(model.decision_function(X), before)
    assert len(model.classes_) == 2
    two = y < 2
    model.partial_fit(X[two], y[two])


@pytest.mark.parametrize("known", [*KNOWN])
@pytest.mark.parametrize(
    "estimator",
    [
        AROWClassifier(),
        PassiveAggressiveClassifier(C=0.1, multi_class="crammer_singer"),
        LASVC(C=3.0, gamma=2.0),
    ],
    ids=["arow", "joint", "lasvc"],
)
def test_calibrated_model(estimator, known):
    X, y = stream(900)
    early, later = np.flatnonzero(np.isin(y[:400], KNOWN[known])), slice(400, 600)
    model = OnlineCalibratedClassifier(estimator)
    informed = OnlineCalibratedClassifier(estimator)
    model.partial_fit(X[early], LABELS[y[early]], classes=LABELS[KNOWN[known]])
    informed.partial_fit(X[early], LABELS[y[early]], classes=LABELS)
    wrong = X[later].copy()
    wrong[3] = np.nan
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(wrong, LABELS[y[later]], classes=LABELS)
    assert_array_equal(model.predict_proba(X), before)
    model = pickle.loads(pickle.dumps(model))
    for learner in (model, informed):
        # Right after the addition, classes without samples are improbable.
        learner.partial_fit(X[early[:1]], LABELS[y[early[:1]]], classes=LABELS)
        proba = learner.predict_proba(X[early])
        assert_allclose(proba.sum(axis=1), 1.0)
        new = np.setdiff1d(np.arange(5), KNOWN[known])
        assert proba[:, new].mean() < 0.05
        learner.partial_fit(X[later], LABELS[y[later]])
    assert_array_equal(model.classes_, LABELS)
    held = slice(600, None)
    losses = [
        log_loss(LABELS[y[held]], learner.predict_proba(X[held]), labels=LABELS)
        for learner in (model, informed)
    ]
    assert losses[0] < losses[1] + 0.1


def test_probabilities_of_lasvc():
    X, y = stream(600)
    early = np.flatnonzero(y[:300] < 2)
    model = LASVC(C=3.0, gamma=2.0, probability=True)
    model.partial_fit(X[early], LABELS[y[early]], classes=LABELS[:2])
    model.predict_proba(X)
    model.partial_fit(X[early[:5]], LABELS[y[early[:5]]], classes=LABELS)
    assert model.predict_proba(X[early])[:, 2:].mean() < 0.05
    model.partial_fit(X[300:], LABELS[y[300:]])
    model = pickle.loads(pickle.dumps(model))
    proba = model.predict_proba(X[300:])
    assert log_loss(LABELS[y[300:]], proba, labels=LABELS) < 0.3


@pytest.mark.parametrize("known", [*KNOWN])
@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
def test_search(known, scoring):
    X, y = stream(1200)
    early = np.flatnonzero(np.isin(y[:500], KNOWN[known]))
    estimator = LASVC(gamma=2.0, probability=scoring is not None)
    search = ProgressiveSearch(
        estimator, {"C": [0.01, 1.0, 10.0]}, min_resources=100, scoring=scoring, random_state=0
    )  # fmt: skip
    search.partial_fit(X[early], LABELS[y[early]], classes=LABELS[KNOWN[known]])
    before = search.decision_function(X)
    for labels, samples, message in (
        (np.full(100, "z"), X[500:600], "not among the classes"),
        (LABELS[y[500:600]], X[500:600, :2], "features"),
    ):
        with pytest.raises(ValueError, match=message):
            search.partial_fit(samples, labels, classes=LABELS)
        assert_array_equal(search.classes_, LABELS[KNOWN[known]])
        assert_array_equal(search.decision_function(X), before)
    with pytest.raises(ValueError, match="with the known and the new classes to partial_fit"):
        search.partial_fit(X[500:600], LABELS[y[500:600]])
    search = pickle.loads(pickle.dumps(search))
    for begin in range(500, 1200, 70):
        rows = slice(begin, begin + 70)
        search.partial_fit(X[rows], LABELS[y[rows]], classes=LABELS)
    assert_array_equal(search.classes_, LABELS)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.score(X[500:], LABELS[y[500:]]) > (0.9 if scoring is None else -0.5)


def test_search_whose_race_is_over():
    X, y = stream(800)
    early = np.flatnonzero(y[:400] < 2)
    search = ProgressiveSearch(PassiveAggressiveClassifier(), {"C": [0.01, 0.1]}, random_state=0)
    search.fit(X[early], LABELS[y[early]])
    before = search.decision_function(X)
    with pytest.raises(ValueError, match="not among the classes"):
        search.partial_fit(X[400:], np.full(400, "z"), classes=LABELS)
    assert_array_equal(search.decision_function(X), before)
    search.partial_fit(X[early], LABELS[y[early]])
    search.partial_fit(X[400:], LABELS[y[400:]], classes=LABELS)
    assert_array_equal(search.classes_, LABELS)


def test_search_completes_an_interrupted_rung_before_classes_are_added(monkeypatch):
    X, y = stream(900)
    early, later = np.flatnonzero(y[:400] < 2), slice(400, 900)
    searches = []
    for is_interrupted in (False, True):
        search = ProgressiveSearch(
            LASVC(gamma=2.0), {"C": [0.01, 1.0, 10.0]}, min_resources=100, random_state=0
        )
        if is_interrupted:
            with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
                patch.setattr(Race, "train", raise_interrupt)
                search.partial_fit(X[early], LABELS[y[early]], classes=LABELS[:2])
        else:
            search.partial_fit(X[early], LABELS[y[early]], classes=LABELS[:2])
        search.partial_fit(X[later], LABELS[y[later]], classes=LABELS)
        searches.append(search)
    plain, interrupted = searches
    assert_array_equal(interrupted.decision_function(X), plain.decision_function(X))
    assert interrupted.best_params_ == plain.best_params_


def raise_interrupt(*_):
    raise KeyboardInterrupt


def test_oracle_returns_a_new_class():
    X, y = stream()
    model = LabelEfficientClassifier(query_strategy=AllQuery())
    asked = []

    def oracle(i):
        asked.append(i)
        return LABELS[y[i]]

    with pytest.raises(ValueError, match="with `classes` that contain the label"):
        model.partial_fit(X, classes=LABELS[:2], oracle=oracle)
    first = len(asked)
    model.partial_fit(X, classes=LABELS, oracle=oracle)
    assert asked[first - 1] == asked[first]  # that of the new class is asked for again
    assert_array_equal(np.delete(asked, first), np.arange(500))
    assert_array_equal(model.queried_labels_, LABELS[y])


@pytest.mark.parametrize("known", [*KNOWN])
@pytest.mark.parametrize("n_before", [100, 250])  # in the warm-up, and after it
def test_pipeline(known, n_before):
    X, y = stream()
    early = np.flatnonzero(np.isin(y[:n_before], KNOWN[known]))
    pipeline = OnlinePipeline(
        [("scaler", StandardScaler()), ("model", LASVC(C=3.0))], freeze_after=90
    )
    wrapped = OnlineCalibratedClassifier(pipeline)
    for learner in (pipeline, wrapped):
        learner.partial_fit(X[early], LABELS[y[early]], classes=LABELS[KNOWN[known]])
        before = learner.decision_function(X)
        with pytest.raises(ValueError, match="not among the classes"):
            learner.partial_fit(X[:100], np.full(100, "z"), classes=LABELS)
        assert_array_equal(learner.decision_function(X), before)
        learner.partial_fit(X[n_before:], LABELS[y[n_before:]], classes=LABELS)
        assert_array_equal(learner.classes_, LABELS)
        assert learner.score(X, LABELS[y]) > 0.85
