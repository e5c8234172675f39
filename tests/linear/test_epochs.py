"""Epochs of ``fit``: order of the samples, stopping criterion, early stopping, warm start."""

import io
import re
import warnings
from contextlib import redirect_stdout

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from sklearn_online_svm import (
    AROWClassifier,
    CostSensitivePassiveAggressiveClassifier,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
)
from tests.support.internals import update_state
from tests.support.limits import set_limits
from tests.support.linear_models import (
    FIRST_ORDER,
    assert_same,
    line,
    model_of,
    once,
    regressor,
    samples_of,
    train,
    with_all_classifiers,
    with_both,
    with_dtypes,
    with_layouts,
    with_states,
)
from tests.support.samples import two_classes

MODELS = [
    PassiveAggressiveClassifier(C=0.1),
    PassiveAggressiveClassifier(C=0.1, average=True),
    AROWClassifier(),
    CostSensitivePassiveAggressiveClassifier(),
    PassiveAggressiveRegressor(C=0.1),
]
with_models = pytest.mark.parametrize("model", MODELS, ids=str)
with_kinds = pytest.mark.parametrize("kind", ["classifier", "regressor"])


def samples_for(model, n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    f = X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=n)
    return X, f if is_regressor(model) else (f > 0.4).astype(int)


# -- epochs -----------------------------------------------------------------------------


@pytest.mark.sampled
@with_all_classifiers
@with_both
@with_layouts
@with_dtypes
def test_epochs_equal_chunks_of_any_size(name, problem, layout, dtype):
    X, y = samples_of(problem, layout, dtype, n=90)
    model = once(name, shuffle=False, max_iter=2).fit(X, y)
    for size in (1, 7, 90):
        stream = train(train(model_of(name), X, y, size), X, y, size)
        assert_same(model, stream)
        assert stream.n_iter_ == 1
    assert_same(once(name, shuffle=False).fit(X, y).partial_fit(X, y), model)


@with_states
def test_shuffle_and_random_state(name):
    X, y = samples_of("binary")
    seeded = [once(name, random_state=5).fit(X, y) for _ in range(2)]
    assert_same(*seeded)
    assert_same(once(name, random_state=np.random.RandomState(5)).fit(X, y), seeded[0])
    unshuffled = once(name, shuffle=False).fit(X, y)
    assert_same(once(name, shuffle=False, random_state=7).fit(X, y), unshuffled)
    for other in (once(name, random_state=6).fit(X, y), unshuffled):
        assert (other.coef_ != seeded[0].coef_).any()
    # A given generator continues.
    generator = np.random.RandomState(5)
    first, second = (once(name, random_state=generator).fit(X, y) for _ in range(2))
    assert_same(first, seeded[0])
    assert (second.coef_ != first.coef_).any()


# -- stopping criterion -----------------------------------------------------------------


def expected_epochs(values, tol, n_iter_no_change, max_iter):
    """Return the number of epochs, and whether an improvement followed an epoch without one."""
    best, n_without, resumed = values[0], 0, False
    for n_epochs, value in enumerate(values[1:], 2):
        improved = value <= best - tol
        resumed |= improved and n_without > 0
        n_without = 0 if improved else n_without + 1
        best = min(best, value)
        if n_without == n_iter_no_change:
            return n_epochs, resumed
    return max_iter, resumed


def printed_lines(model, X, y):
    printed = io.StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    return printed.getvalue().splitlines()


@pytest.mark.parametrize("early_stopping", [False, True])
@with_kinds
def test_stopping_criterion(kind, early_stopping):
    """As in scikit-learn: tol is per sample, or in the score of the validation samples."""
    X, y = samples_of("multiclass") if kind == "classifier" else line(noise=2.0)
    C = 1.0 if early_stopping else 0.01
    model = model_of("pa-joint", C=C) if kind == "classifier" else regressor(C=0.1)
    model.set_params(early_stopping=early_stopping, validation_fraction=0.3, max_iter=40)
    resumed = []
    for n_iter_no_change in (1, 3, 5):
        for tol in (1e-2, 1e-3, 1e-4):
            for seed in range(4):
                params = dict(tol=tol, n_iter_no_change=n_iter_no_change, random_state=seed)
                lines = printed_lines(model.set_params(verbose=1, **params), X, y)
                values = [float(re.search(r"(?:loss|score) (\S+),", one)[1]) for one in lines]
                assert len(values) == model.n_iter_
                if early_stopping:
                    values = [-value for value in values]
                # Printed values are rounded.
                smallest = tol - 1e-9 if early_stopping else 200 * tol
                n_epochs, improved_again = expected_epochs(values, smallest, n_iter_no_change, 40)
                assert n_epochs == model.n_iter_
                resumed.append(improved_again and n_epochs < 40)
    assert any(resumed)


def test_training_stops_when_the_loss_is_zero():
    X, y = two_classes(300, noise=0.0)
    X[:, 1:] = 0.0
    y = np.where(X[:, 0] > 0, "yes", "no")
    X[:, 0] += np.where(X[:, 0] > 0, 2.0, -2.0)  # separable with a margin
    model = model_of("pa").fit(X, y)
    assert model.n_iter_ <= 10
    assert model.score(X, y) == 1.0
    assert model_of("pa", tol=1e-9, n_iter_no_change=9).fit(X, y).n_iter_ > model.n_iter_
    # With tol=0 an unchanged loss counts as an improvement.
    with pytest.warns(ConvergenceWarning):
        endless = model_of("pa", tol=0.0, n_iter_no_change=2, max_iter=30).fit(X, y)
    assert endless.n_iter_ == 30


@with_kinds
def test_reaching_max_iter_gives_a_warning(kind):
    X, y = samples_of("binary")
    model = model_of("pa", max_iter=2) if kind == "classifier" else regressor(max_iter=2)
    y = y if kind == "classifier" else line()[1]
    with pytest.warns(ConvergenceWarning, match="after max_iter=2 epochs. Increase max_iter") as w:
        model.fit(X, y)
    assert w[0].filename == __file__
    assert model.n_iter_ == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(tol=None).fit(X, y)
        assert model.n_iter_ == 2
        model.set_params(tol=1e-3, max_iter=1).fit(X, y)  # a single epoch is intended
        model.partial_fit(X, y)


@with_kinds
def test_verbose_prints_a_line_for_each_epoch(kind):
    X, y = samples_of("binary") if kind == "classifier" else line()
    model = once("pa") if kind == "classifier" else regressor(tol=None)
    for verbose, early_stopping in [(0, False), (1, False), (True, True)]:
        model.set_params(verbose=verbose, max_iter=3, early_stopping=early_stopping)
        lines = printed_lines(model, X, y)
        assert len(lines) == (3 if verbose else 0)
        value = "validation score" if early_stopping else "loss"
        for i, text in enumerate(lines, 1):
            match = rf"-- Epoch {i}: [\d,]+ updates, {value} -?[\d.e+-]+, [\d.]+ s"
            assert re.fullmatch(match, text), text


# -- max_iter="auto" --------------------------------------------------------------------


def texts(n=3000, n_classes=2, scale=6.0):
    """Sparse samples of many rare features, a few of which belong to a class."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n)
    of_class = 1000 * (1 + y[:, None]) + rng.integers(1000, size=(n, 4))
    words = np.hstack([of_class, rng.integers(1000, size=(n, 30))])
    values = np.full(words.size, scale * 34**-0.5)
    X = csr_matrix((values, words.ravel(), np.arange(0, 34 * n + 1, 34)))
    X.sum_duplicates()
    return X, y


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("shuffle", [False, True])
def test_auto_ends_where_more_epochs_only_fit_the_training_samples(n_classes, shuffle):
    X, y = texts(6000, n_classes)
    X, X_test, y, y_test = X[:3000], X[3000:], y[:3000], y[3000:]
    model = AROWClassifier(shuffle=shuffle, random_state=0).fit(X, y)
    whole = clone(model).set_params(max_iter=1000).fit(X, y)
    # The samples left out are visited once.
    assert model.t_ == 1 + model.n_iter_ * 2700 + 300
    assert model.n_iter_ <= 4 < whole.n_iter_
    assert model.score(X_test, y_test) > whole.score(X_test, y_test) - 0.01
    if not shuffle:
        stream = AROWClassifier()
        for rows in [slice(2700)] * model.n_iter_ + [slice(2700, None)]:
            train(stream, X[rows], y[rows])
        assert_same(model, stream)


@pytest.mark.parametrize("case", ["few features", "predictions become better"])
def test_auto_goes_on_where_epochs_are_of_use(case):
    few = case == "few features"
    X, y = samples_for(MODELS[0], 3000) if few else texts(scale=1.0)
    model = AROWClassifier(shuffle=False).fit(X, y)
    assert model.n_iter_ > 4
    # Those left out of the first epochs take part in the others, and are visited once before.
    assert model.t_ == 1 + model.n_iter_ * 3000 - (1 if few else 3) * 300
    # Also if the loss ends training before.
    shortest = clone(model).set_params(n_iter_no_change=1, tol=10.0).fit(X, y)
    assert (shortest.n_iter_, shortest.t_) == (2, 1 + 2 * 2700 + 300)


@pytest.mark.parametrize(
    ("n", "params"), [(999, {}), (2000, {"early_stopping": True}), (2000, {"tol": None})], ids=str
)
def test_auto_without_samples_left_out(n, params, monkeypatch):
    """With few samples, a validation score or a fixed number of epochs it is the upper limit."""
    set_limits(monkeypatch, MAX_EPOCHS=30)
    X, y = texts(n)
    model = AROWClassifier(random_state=0, **params).fit(X, y)
    assert model.n_iter_ > 2
    assert_same(model, clone(model).set_params(max_iter=30).fit(X, y))


def test_auto_at_the_upper_limit_gives_a_warning(monkeypatch):
    set_limits(monkeypatch, MAX_EPOCHS=3)
    X, y = samples_for(MODELS[0], 3000)
    with pytest.warns(ConvergenceWarning, match="still improving after max_iter=3 epochs"):
        AROWClassifier(tol=1e-9).fit(X, y)


# -- early stopping ---------------------------------------------------------------------


@with_models
def test_samples_left_for_training_keep_their_order_without_shuffling(model):
    X, y = samples_for(model)
    stopping = dict(early_stopping=True, validation_fraction=0.2, random_state=3)
    model = clone(model).set_params(max_iter=1, tol=None, shuffle=False, **stopping)
    kind = ShuffleSplit if is_regressor(model) else StratifiedShuffleSplit
    splitter = kind(test_size=0.2, random_state=np.random.RandomState(3))
    kept = np.sort(next(splitter.split(X, y))[0])
    assert not np.array_equal(kept, np.arange(len(kept)))
    trained = train(clone(model).set_params(early_stopping=False), X[kept], y[kept])
    assert_same(model.fit(X, y), trained)
    assert model.t_ == 1 + len(kept)


@with_models
def test_early_stopping_ignores_samples_of_weight_0(model):
    X, y = samples_for(model)
    weight = np.random.default_rng(1).choice([0.0, 1.0, 2.0], size=len(y))
    used = weight > 0
    model = clone(model).set_params(early_stopping=True, max_iter=20, random_state=0)
    one = clone(model).fit(X, y, sample_weight=weight)
    other = clone(model).fit(X[used], y[used], sample_weight=weight[used])
    assert_array_equal(one.coef_, other.coef_)
    assert (one.n_iter_, one.t_) == (other.n_iter_, other.t_)


def test_early_stopping_ignores_classes_of_weight_0():
    X, y = samples_for(MODELS[0])
    y[:100] = 2
    params = dict(early_stopping=True, max_iter=8, tol=None, random_state=0)
    by_class = PassiveAggressiveClassifier(class_weight={2: 0.0}, **params).fit(X, y)
    by_sample = PassiveAggressiveClassifier(**params)
    by_sample.fit(X, y, sample_weight=(y != 2).astype(float))
    assert_array_equal(by_class.coef_, by_sample.coef_)
    split = StratifiedShuffleSplit(test_size=0.1, random_state=np.random.RandomState(0))
    train, _ = next(split.split(X[100:], y[100:]))
    assert by_class.t_ == 1 + 8 * len(train)


def test_early_stopping_needs_enough_samples_of_positive_weight():
    X, y = samples_for(MODELS[0])
    weight = np.zeros(len(y))
    weight[[np.argmin(y), np.argmax(y)]] = 1.0
    model = PassiveAggressiveClassifier(early_stopping=True)
    with pytest.raises(ValueError, match="least populated|test_size|members"):
        model.fit(X, y, sample_weight=weight)
    assert not hasattr(model, "coef_")


@with_models
def test_partial_fit_refuses_early_stopping(model):
    X, y = samples_for(model)
    match = "early_stopping should be False with partial_fit"
    early = clone(model).set_params(early_stopping=True)
    with pytest.raises(ValueError, match=match):
        train(early, X, y)
    assert not hasattr(early, "coef_")
    with pytest.raises(ValueError, match=match):
        SGDClassifier(early_stopping=True).partial_fit(X, np.sign(X[:, 0]), [-1, 1])
    trained = train(clone(model), X, y)
    before = trained.coef_.copy()
    trained.set_params(early_stopping=True)
    for samples in (X, X.tolist()):
        with pytest.raises(ValueError, match=match):
            trained.partial_fit(samples, y)
    assert_array_equal(trained.coef_, before)
    if not is_regressor(model):
        with pytest.raises(ValueError, match="early_stopping should be False"):
            LabelEfficientClassifier(early).partial_fit(X, y, classes=[0, 1])


# -- warm start, initial weights ----------------------------------------------------------


@with_states
@with_both
@with_layouts
def test_warm_start_continues_from_the_weights(name, problem, layout):
    X, y = samples_of(problem, layout)
    model = once(name, shuffle=False, warm_start=True).fit(X, y)
    model.set_params(max_iter=2).fit(X, y)
    assert model.n_iter_ == 2
    whole = once(name, shuffle=False, max_iter=3).fit(X, y)
    # Samples are counted again from 0, and so is the average.
    assert (model.t_, whole.t_) == (401.0, 601.0)
    assert model.n_updates_ < whole.n_updates_
    for key, array in update_state(model).arrays.items():
        if not key.endswith("_sums"):
            assert_array_equal(array, update_state(whole).arrays[key])
    assert model.partial_fit(X[:10], y[:10]).t_ == 411
    # Without warm_start, fit resets the model.
    model.set_params(warm_start=False, max_iter=1).fit(X, y)
    assert_same(model, once(name, shuffle=False).fit(X, y))


def test_the_average_starts_again_with_a_warm_start():
    X, y = samples_for(MODELS[0])
    options = dict(max_iter=1, tol=None, shuffle=False)
    model = PassiveAggressiveClassifier(C=0.1, average=True, warm_start=True, **options)
    newest = PassiveAggressiveClassifier(C=0.1).partial_fit(X, y, classes=[0, 1])
    model.fit(X, y).fit(X, y)
    states = []
    for i in range(len(y)):
        newest.partial_fit(X[i : i + 1], y[i : i + 1])
        states.append(newest.coef_.copy())
    assert_allclose(model.coef_, np.mean(states, axis=0), rtol=1e-9, atol=1e-12)


def test_class_counts_continue_with_a_warm_start():
    X, y = samples_for(MODELS[0])
    options = dict(max_iter=1, tol=None, shuffle=False)
    model = CostSensitivePassiveAggressiveClassifier(average=False, warm_start=True, **options)
    stream = CostSensitivePassiveAggressiveClassifier(average=False)
    model.fit(X, y).fit(X[:50], y[:50])
    stream.partial_fit(X, y, classes=[0, 1]).partial_fit(X[:50], y[:50])
    assert_array_equal(model.coef_, stream.coef_)


def test_warm_start_with_another_C_dtype_and_layout():
    X, y = samples_of("binary")
    model = once("pa", shuffle=False, warm_start=True).fit(X, y)
    started = once("pa", shuffle=False, C=0.01).fit(
        X, y, coef_init=model.coef_, intercept_init=model.intercept_
    )
    model.set_params(C=0.01).fit(csr_matrix(X), y)
    assert_allclose(model.coef_, started.coef_, rtol=1e-12)
    model.fit(X.astype(np.float32), y)
    assert model.coef_.dtype == np.float32


@with_states
def test_warm_start_without_the_former_intercept(name):
    X, y = samples_of("binary")
    model = once(name, warm_start=True).fit(X, y)
    former = model.coef_.copy()
    model.set_params(fit_intercept=False)
    if getattr(model, "covariance", None) == "full":
        with pytest.raises(ValueError, match="warm_start=True needs weights of the same shape"):
            model.fit(X, y)
        return
    model.fit(X, y)
    assert_array_equal(model.intercept_, 0.0)
    assert_array_equal(model.decision_function(np.zeros((1, 4))), 0.0)
    assert model.t_ == 201 and (model.coef_ != former).any()


@with_layouts
@pytest.mark.parametrize("name", FIRST_ORDER)
@with_both
def test_initial_weights(name, problem, layout):
    X, y = samples_of(problem, layout)
    before = train(model_of(name), X[:100], y[:100])
    model = once(name, shuffle=False)
    if name.startswith("cost") and problem == "binary":
        before.set_params(costs={"yes": 2.0})
        model.set_params(costs={"yes": 2.0})
    elif name == "cost":
        return  # the class counts are not in the weights
    model.fit(X[100:], y[100:], coef_init=before.coef_, intercept_init=before.intercept_)
    continued = before.partial_fit(X[100:], y[100:])
    assert_array_equal(model.coef_, continued.coef_)
    assert_array_equal(model.intercept_, continued.intercept_)
    assert model.t_ == 101


def test_shapes_of_initial_weights():
    X, y = samples_of("binary")
    w, b = np.array([1.0, -2.0, 0.5, 0.0]), 0.25
    start = once("pa").fit(X, y, coef_init=w[None], intercept_init=[b])
    for coef, intercept in ((w, b), (w.tolist(), np.array(b)), (w[None].astype("f"), [b])):
        assert_same(once("pa").fit(X, y, coef_init=coef, intercept_init=intercept), start)
    assert_array_equal(w, [1.0, -2.0, 0.5, 0.0])
    target = line()[1]
    model = regressor(max_iter=1, tol=None).fit(X, target, coef_init=w, intercept_init=b)
    other = regressor(max_iter=1, tol=None).fit(X, target, coef_init=w[None], intercept_init=[b])
    assert_same(model, other)
    # They take precedence over the weights of a warm start.
    warm = once("pa", warm_start=True).fit(X, y)
    warm.fit(X, y, coef_init=w, intercept_init=b)
    assert_array_equal(warm.coef_, start.coef_)
