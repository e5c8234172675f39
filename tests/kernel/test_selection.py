"""ActiveLASVC: sample selection and early stopping."""

import pickle
import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, ActiveLASVC, VirtualLASVC
from tests.support.internals import (
    STOPPING_WINDOWS,
    SampleSelection,
    begun_selection,
    engine_of,
    support_arrays,
)
from tests.support.limits import set_limits
from tests.support.robust import assert_same_model
from tests.support.samples import ALGORITHMS, three_classes, two_classes

SELECTIONS = ["random", "gradient", "active", "autoactive"]
CHOOSING = SELECTIONS[1:]
PARAMS = dict(C=3.0, gamma=0.1, random_state=0)


# -- selected samples -------------------------------------------------------------------


@pytest.mark.parametrize("selection", CHOOSING[:2])
@pytest.mark.parametrize("samples", [two_classes, three_classes])
def test_pool_of_one_sample_is_random_selection(samples, selection, monkeypatch):
    set_limits(monkeypatch, SAMPLES_OF_EACH_CLASS=0)
    X, y = samples(300)
    params = dict(max_iter=1, **PARAMS)
    chosen = ActiveLASVC(selection=selection, pool_size=1, **params).fit(X, y)
    # ActiveLASVC is one-vs-rest.
    assert_same_model(chosen, LASVC(multi_class="ovr", **params).fit(X, y))
    streams = [ActiveLASVC(**PARAMS, selection=s, pool_size=1) for s in (selection, "random")]
    for model in streams:
        for rows in (slice(0, 90), slice(90, 91), slice(91, 300)):
            model.partial_fit(X[rows], y[rows], classes=np.unique(y))
    assert_same_model(*streams)


def test_random_selection_takes_the_samples_of_a_stream_in_order():
    X, y = two_classes(100)
    params = dict(max_labels=40, stopping="n_support", stopping_window=10_000, **PARAMS)
    model = ActiveLASVC(selection="random", **params)
    model.partial_fit(X, y, classes=np.unique(y))
    first = LASVC(**PARAMS).partial_fit(X[:40], y[:40], classes=np.unique(y))
    assert_same_model(model, first)


@pytest.mark.sampled
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("selection", CHOOSING)
@pytest.mark.parametrize("samples", [two_classes, three_classes])
def test_selection_is_independent_of_layout_and_threads(samples, selection, algorithm):
    X, y = samples(400)
    params = dict(selection=selection, algorithm=algorithm, max_labels=150, **PARAMS)
    model = ActiveLASVC(**params).fit(X, y)
    assert model.n_labels_used_ == 150 and model.n_samples_seen_ == 400
    assert set(model.support_) < set(range(400))
    assert_same_model(model, ActiveLASVC(n_jobs=3, **params).fit(X, y))
    assert_same_model(model, ActiveLASVC(cache_size=1e-3, **params).fit(X, y))
    assert_same_model(model, ActiveLASVC(**params).fit(csr_matrix(X), y))


@pytest.mark.filterwarnings("ignore:No sample of the classes")
def test_pool_size_all_selects_the_closest_sample(monkeypatch):
    """Each selected sample is the closest one for a model of the samples so far."""
    set_limits(monkeypatch, SAMPLES_OF_EACH_CLASS=0)
    X, y = two_classes(60)
    params = dict(PARAMS, selection="active", pool_size="all", finishing=False)
    rest = list(np.random.RandomState(0).permutation(60))
    learnt = []
    stream = LASVC(**PARAMS, finishing=False)
    for t in range(1, 40):
        model = ActiveLASVC(max_labels=t, **params).fit(X, y)
        scores = np.abs(stream.decision_function(X[rest])) if learnt else np.zeros(60)
        row = rest.pop(int(np.argmin(scores)))
        learnt.append(row)
        stream.partial_fit(X[[row]], y[[row]], classes=np.unique(y))
        # ``support_`` of a stream holds positions in it.
        assert_array_equal(np.sort(np.array(learnt)[stream.support_]), np.sort(model.support_))
        np.testing.assert_allclose(
            stream.decision_function(X), model.decision_function(X), atol=1e-9
        )


@pytest.mark.parametrize("selection", SELECTIONS)
def test_active_selection_uses_labels_of_training_samples_only(selection, monkeypatch):
    """Labels of other samples do not matter, except for gradient selection."""
    set_limits(monkeypatch, SAMPLES_OF_EACH_CLASS=0)
    X, y = two_classes(300)
    params = dict(PARAMS, selection=selection, max_labels=60, algorithm="lasvm-full")
    model = ActiveLASVC(**params).fit(X, y)
    # lasvm-full keeps all training samples.
    learnt = support_arrays(model)["row_id"][engine_of(model).problems[0].slots()]
    assert len(learnt) == 60
    others = np.setdiff1d(np.arange(300), learnt)
    wrong = y.copy()
    wrong[others] = y[0]
    again = ActiveLASVC(**params).fit(X, wrong)
    if selection == "gradient":
        assert not np.array_equal(again.support_, model.support_)
    else:
        assert_same_model(again, model)


# -- budgets and stopping ---------------------------------------------------------------


@pytest.mark.parametrize("selection", SELECTIONS)
def test_label_budget_in_fit_and_for_each_chunk(selection):
    X, y = three_classes(300)
    model = ActiveLASVC(selection=selection, max_labels=40, **PARAMS)
    model.fit(X, y)
    assert model.n_labels_used_ == 40
    model.fit(X[:30], y[:30])
    assert model.n_labels_used_ == 30
    model = clone(model)
    for k in range(3):
        model.partial_fit(X[100 * k : 100 * (k + 1)], y[100 * k : 100 * (k + 1)], list(set(y)))
        assert model.n_labels_used_ == 40 * (k + 1)
        assert model.n_samples_seen_ == 100 * (k + 1)
        assert model.support_.max() >= 100 * k


@pytest.mark.parametrize("selection", SELECTIONS)
def test_further_epochs_use_the_samples_of_the_first(selection, monkeypatch):
    X, y = two_classes(300)
    used, orders = SampleSelection.used, []

    def noted(*args):
        orders.append(np.sort(used(*args)))
        return orders[-1]

    monkeypatch.setattr(SampleSelection, "used", noted)
    params = dict(PARAMS, tol=1e-6)
    model = ActiveLASVC(selection=selection, max_labels=80, max_iter=-1, **params).fit(X, y)
    assert model.n_labels_used_ == 80 and orders
    for order in orders:
        assert len(order) == 80
        assert_array_equal(order, orders[0])
    rows = orders[0]
    exact = SVC(C=PARAMS["C"], gamma=PARAMS["gamma"], tol=1e-6).fit(X[rows], y[rows])
    np.testing.assert_allclose(model.decision_function(X), exact.decision_function(X), atol=1e-3)


def test_samples_of_weight_0_use_no_label():
    X, y = two_classes(200)
    weight = (np.arange(200) % 2).astype(float)
    for selection in SELECTIONS:
        params = dict(PARAMS, selection=selection, max_labels=150)
        model = ActiveLASVC(**params).fit(X, y, sample_weight=weight)
        assert model.n_labels_used_ == 100 and (model.support_ % 2 == 1).all()
        model = ActiveLASVC(**params).partial_fit(X, y, np.unique(y), sample_weight=weight)
        assert model.n_labels_used_ == 100 and (model.support_ % 2 == 1).all()


@pytest.mark.parametrize("selection", ["active", "autoactive"])
def test_margin_stopping(selection):
    X, y = two_classes(1500)
    model = ActiveLASVC(selection=selection, stopping="margin", **PARAMS).fit(X, y)
    assert model.stopped_early_ and 20 < model.n_labels_used_ < 1200
    whole = LASVC(**PARAMS).fit(X, y)
    assert abs(model.score(X, y) - whole.score(X, y)) < 0.02


@pytest.mark.parametrize("selection", SELECTIONS)
def test_n_support_stopping(selection):
    """On an easy problem most samples do not become support vectors."""
    X, y = two_classes(3000)
    X = X + 3 * np.outer(y == np.unique(y)[1], np.ones(X.shape[1]))
    model = ActiveLASVC(selection=selection, stopping="n_support", **PARAMS).fit(X, y)
    window = STOPPING_WINDOWS["n_support"]
    assert model.stopped_early_ and window <= model.n_labels_used_ < 3000
    chunk = clone(model).partial_fit(X, y, np.unique(y))
    assert chunk.stopped_early_ and chunk.n_samples_seen_ == 3000
    assert chunk.n_labels_used_ < 3000


def hidden_part(n, seed):
    """A part of the rare class takes the place of one of 25 clusters of the other class."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 5, size=(n, 2))
    rare, hidden = rng.random(n) < 0.05, (cells == [1, 2]).all(axis=1)
    cells[rare & ~hidden, 0] = 6
    kept = ~hidden | (rng.random(n) < 0.25)
    X = 3.0 * cells + 0.3 * rng.normal(size=(n, 2))
    return X[kept], (rare | hidden)[kept], hidden[kept]


@pytest.mark.parametrize("kind", [ActiveLASVC, VirtualLASVC])
@pytest.mark.parametrize("seed", range(3))
def test_stopping_by_errors_reaches_a_part_that_other_criteria_miss(kind, seed, monkeypatch):
    # More would contain a sample of the hidden part.
    set_limits(monkeypatch, SAMPLES_OF_EACH_CLASS=1)
    X, y, hidden = hidden_part(4000, seed)
    params = dict(C=10.0, gamma=0.02, random_state=seed)
    missed = kind(stopping="n_support", **params).fit(X, y)
    model = kind(stopping="errors", **params).fit(X, y)
    assert missed.stopped_early_ and not missed.predict(X[hidden]).any()
    assert model.stopped_early_ and model.predict(X[hidden]).all()
    assert model.n_labels_used_ < 2000


@pytest.mark.parametrize("samples", [two_classes, three_classes])
@pytest.mark.parametrize("selection", CHOOSING)
def test_stopping_by_errors(samples, selection):
    X, y = samples(3000)
    X = X + 4 * np.eye(len(np.unique(y)), X.shape[1])[np.unique(y, return_inverse=True)[1]]
    model = ActiveLASVC(selection=selection, stopping="errors", **PARAMS).fit(X, y)
    assert model.stopped_early_ and STOPPING_WINDOWS["errors"] <= model.n_labels_used_ < 3000
    assert model.score(X, y) > 0.98
    chunk = clone(model).partial_fit(X, y, np.unique(y))
    assert chunk.stopped_early_ and chunk.n_labels_used_ < 3000


@pytest.mark.parametrize("selection", CHOOSING)
def test_without_a_criterion_training_does_not_stop_early(selection):
    X, y = two_classes(200)
    model = ActiveLASVC(selection=selection, stopping=None, max_labels=100, **PARAMS).fit(X, y)
    assert not model.stopped_early_ and model.n_labels_used_ == 100


def test_stopping_by_errors_uses_all_samples_if_labels_are_wrong():
    X, y = two_classes(1000)
    wrong = np.random.default_rng(0).random(1000) < 0.1
    y = np.where(wrong, y[::-1], y)
    model = ActiveLASVC(stopping="errors", **PARAMS).fit(X, y)
    assert not model.stopped_early_ and model.n_labels_used_ == 1000


def test_stopping_by_errors_requires_candidates():
    X, y = two_classes(60)
    with pytest.raises(ValueError, match="'autoactive' or 'gradient', got selection='random'"):
        ActiveLASVC(stopping="errors", selection="random").fit(X, y)


def rare_class(n, seed, share=0.01):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < share * n
    return rng.normal(size=(n, 6)) + 1.5 * y[:, np.newaxis], y


@pytest.mark.sampled
@pytest.mark.parametrize("stopping", ["margin", "n_support", "errors"])
@pytest.mark.parametrize("kind", [ActiveLASVC, VirtualLASVC])
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
@pytest.mark.parametrize("seed", range(5))
def test_early_stopping_does_not_miss_a_rare_class(stopping, kind, algorithm, seed):
    X, y = rare_class(2000, seed)
    model = kind(stopping=stopping, algorithm=algorithm, random_state=seed).fit(X, y)
    assert model.n_support_.min() >= 3
    assert model.n_labels_used_ >= 10 and model.predict(X).any()


@pytest.mark.parametrize("selection", SELECTIONS)
def test_fit_starts_with_samples_of_each_class(selection):
    X, y = three_classes(300)
    params = dict(PARAMS, selection=selection, shuffle=False)
    weight = np.ones(300)
    weight[np.flatnonzero(y == 20)[:2]] = 0.0
    weight[np.flatnonzero(y == 30)[3:]] = 0.0
    # Class 30 has fewer samples: all of them are in front.
    model = ActiveLASVC(max_labels=13, **params).fit(X, y, sample_weight=weight)
    given = np.flatnonzero(weight)
    first = np.concatenate([given[y[given] == label][:5] for label in model.classes_])
    exact = ActiveLASVC(selection="random", **PARAMS).fit(X[first], y[first])
    assert model.n_labels_used_ == len(first) == 13
    assert set(model.support_) <= set(first) and len(model.support_) == len(exact.support_)


@pytest.mark.parametrize("stopping", ["margin", "n_support", "errors"])
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
def test_chunks_of_one_class_do_not_stop_early(stopping, algorithm):
    X, y = two_classes(1200)
    classes, one = np.unique(y), y == y[0]
    model = ActiveLASVC(stopping=stopping, algorithm=algorithm, **PARAMS)
    model.partial_fit(X[one], y[one], classes)
    assert not model.stopped_early_ and model.n_labels_used_ == one.sum()


def test_classes_without_a_selected_sample_are_warned_of():
    X, y = three_classes(300)
    model = ActiveLASVC(max_labels=2, random_state=0)
    expected = r"No sample of the classes \[30\] was selected .*Increase max_labels \(got 2\)"
    with pytest.warns(UserWarning, match=expected):
        model.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(max_labels=3).fit(X, y)


@pytest.mark.parametrize("stopping", ["margin", "n_support", "errors"])
def test_a_shorter_stopping_window_uses_fewer_labels(stopping):
    X, y = two_classes(1500)
    X[y == y[0]] += 1.5
    used = [
        ActiveLASVC(stopping=stopping, stopping_window=window, **PARAMS).fit(X, y).n_labels_used_
        for window in (1, STOPPING_WINDOWS[stopping], None)
    ]
    assert used[0] < used[1] == used[2] < 1500


# -- streams, parameters, kernels -------------------------------------------------------


@pytest.mark.parametrize("stopping", ["margin", "n_support", "errors"])
def test_a_stopping_window_longer_than_the_training_set(stopping):
    """Memory is allocated for the samples there are."""
    X, y = two_classes(300)
    model = ActiveLASVC(stopping=stopping, stopping_window=2**62, **PARAMS).fit(X, y)
    assert model.n_labels_used_ == len(y)


def test_each_chunk_has_its_own_seed():
    """Each chunk has its own generator, seeded with the index of its first sample, too."""
    X, y = two_classes(60)
    model = ActiveLASVC(selection="active", **PARAMS)
    seeds = []
    for rows, salt in [(slice(0, 30), 0), (slice(30, 60), 30)]:
        at = begun_selection(model, np.arange(30), np.ones(30), salt)
        seeds.append(at["choice"]["random"])
        model.partial_fit(X[rows], y[rows], np.unique(y))
    assert seeds[0] != seeds[1]
    again = begun_selection(model, np.arange(30), np.ones(30), 30)
    assert again["choice"]["random"] == seeds[1]


def test_selection_may_change_during_a_stream():
    X, y = two_classes(300)
    model = ActiveLASVC(**PARAMS, selection="random").partial_fit(X[:100], y[:100], np.unique(y))
    model.set_params(selection="active", max_labels=20, pool_size="all")
    model.partial_fit(X[100:200], y[100:200])
    assert model.n_labels_used_ == 120
    model.set_params(selection="random", max_labels=None).partial_fit(X[200:], y[200:])
    assert model.n_labels_used_ == 220 and model.n_samples_seen_ == 300


@pytest.mark.parametrize("selection", ["random", "gradient"])
def test_margin_stopping_requires_active_selection(selection):
    X, y = two_classes(60)
    params = dict(stopping="margin", selection=selection)
    match = f"it needs selection='active' or 'autoactive', got selection='{selection}'"
    with pytest.raises(ValueError, match=match):
        ActiveLASVC(**params).fit(X, y)
    model = ActiveLASVC(**PARAMS).partial_fit(X, y, np.unique(y))
    before = model.decision_function(X)
    with pytest.raises(ValueError, match=match):
        model.set_params(**params).partial_fit(X, y)
    assert model.n_samples_seen_ == 60
    assert_array_equal(model.decision_function(X), before)


def test_precomputed_and_callable_kernels_select_the_same_samples():
    X, y = two_classes(200)
    rbf = partial(rbf_kernel, gamma=0.1)
    # With a small delta_max each choice is made by an optimum, which rounding hardly changes.
    params = dict(PARAMS, selection="active", max_labels=60, delta_max=1e-6, tol=1e-6)
    model = ActiveLASVC(**params).fit(X, y)
    called = ActiveLASVC(**{**params, "kernel": rbf}).fit(X, y)
    given = ActiveLASVC(**{**params, "kernel": "precomputed"}).fit(rbf(X, X), y)
    for other in (called, given):
        assert_array_equal(other.support_, model.support_)
        np.testing.assert_allclose(other.dual_coef_, model.dual_coef_, atol=1e-3)


# -- snapshots --------------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("finishing", [True, False])
def test_snapshot_leaves_model_unchanged(finishing, algorithm):
    X, y = three_classes(400)
    params = dict(PARAMS, algorithm=algorithm, finishing=finishing)
    watched, alone = LASVC(**params), LASVC(**params)
    classes = np.unique(y)
    for first in range(0, 400, 40):
        rows = slice(first, first + 40)
        for model in (watched, alone):
            model.partial_fit(X[rows], y[rows], classes)
        shot = watched.snapshot()
        assert_same_model(shot, pickle.loads(pickle.dumps(alone)).finish())
        shot.partial_fit(X[:100], y[:100]).finish()
    for problem, other in zip(engine_of(watched).problems, engine_of(alone).problems, strict=True):
        for name, value in other.state().items():
            assert_array_equal(problem.state()[name], value, err_msg=name)
    assert_same_model(watched, alone)
    assert watched.n_kernel_evaluations_ == alone.n_kernel_evaluations_
