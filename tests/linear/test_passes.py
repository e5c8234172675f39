"""Passes of the linear learners: how many, in which order, from where."""

import io
import re
import warnings
from contextlib import redirect_stdout

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import ConvergenceWarning

from tests.support.linear_models import (
    FIRST_ORDER,
    assert_same,
    learn,
    line,
    model_of,
    once,
    regressor,
    rows_of,
    with_both,
    with_classifiers,
    with_layouts,
    with_states,
)
from tests.support.samples import LAYOUTS, two_classes

# -- passes -----------------------------------------------------------------------------


@with_classifiers
@with_both
@with_layouts
def test_passes_are_chunks_given_again(name, problem, layout):
    X, y = rows_of(problem, layout)
    model = once(name, shuffle=False, max_iter=3).fit(X, y)
    stream = learn(model_of(name), X, y).partial_fit(X, y).partial_fit(X, y)
    assert_same(model, stream)


@with_states
def test_shuffle_and_random_state(name):
    X, y = rows_of("binary")
    seeded = [once(name, random_state=5).fit(X, y) for _ in range(2)]
    assert_same(*seeded)
    assert_same(once(name, random_state=np.random.RandomState(5)).fit(X, y), seeded[0])
    unshuffled = once(name, shuffle=False).fit(X, y)
    assert_same(once(name, shuffle=False, random_state=7).fit(X, y), unshuffled)
    for other in (once(name, random_state=6).fit(X, y), unshuffled):
        assert (other.coef_ != seeded[0].coef_).any()
    # A generator given goes on.
    generator = np.random.RandomState(5)
    first, second = (once(name, random_state=generator).fit(X, y) for _ in range(2))
    assert_same(first, seeded[0])
    assert (second.coef_ != first.coef_).any()


def test_every_pass_has_its_own_order():
    X, y = rows_of("binary")
    twice = once("pa", max_iter=2).fit(X, y)
    again = once("pa").fit(X, y)
    again.set_params(warm_start=True).fit(X, y)  # the same order twice
    assert (twice.coef_ != again.coef_).any()


@pytest.mark.parametrize("n_iter_no_change", [1, 3])
@pytest.mark.parametrize("early_stopping", [False, True])
def test_no_gain_ends_the_passes(n_iter_no_change, early_stopping):
    """The first pass gains whatever it reaches, and nothing gains so much as this tol."""
    X, y = rows_of("binary")
    params = dict(n_iter_no_change=n_iter_no_change, early_stopping=early_stopping)
    for model in (model_of("pa", tol=1e9, **params), regressor(tol=1e9, **params)):
        targets = line()[1] if is_regressor(model) else y
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.fit(X, targets)
        assert model.n_iter_ == 1 + n_iter_no_change


def number_of_passes(values, tol, n_iter_no_change, max_iter):
    """When to stop: so many passes in a row without a gain; and whether a gain came between."""
    best, without, resumed = values[0], 0, False
    for n_passes, value in enumerate(values[1:], 2):
        gained = value <= best - tol
        resumed |= gained and without > 0
        without = 0 if gained else without + 1
        best = min(best, value)
        if without == n_iter_no_change:
            return n_passes, resumed
    return max_iter, resumed


def printed_by(model, X, y):
    """Losses or scores of the passes, as it prints them."""
    printed = io.StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.set_params(verbose=1).fit(X, y)
    values = [float(s) for s in re.findall(r"(?:loss|score) (\S+),", printed.getvalue())]
    assert len(values) == model.n_iter_
    return values


@pytest.mark.parametrize("early_stopping", [False, True])
@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_when_the_passes_end(kind, early_stopping):
    """As in scikit-learn: a gain is tol for each row, or of the score of the rows held out."""
    X, y = rows_of("multiclass") if kind == "classifier" else line(noise=2.0)
    C = 1.0 if early_stopping else 0.01
    model = model_of("pa-joint", C=C) if kind == "classifier" else regressor(C=0.1)
    model.set_params(early_stopping=early_stopping, validation_fraction=0.3, max_iter=40)
    resumed = []
    for n_iter_no_change in (1, 3, 5):
        for tol in (1e-2, 1e-3, 1e-4):
            for seed in range(4):
                params = dict(tol=tol, n_iter_no_change=n_iter_no_change, random_state=seed)
                values = printed_by(model.set_params(**params), X, y)
                if early_stopping:
                    values = [-value for value in values]
                # What is printed is rounded.
                smallest = tol - 1e-9 if early_stopping else 200 * tol
                n_passes, gained_again = number_of_passes(values, smallest, n_iter_no_change, 40)
                assert n_passes == model.n_iter_
                resumed.append(gained_again and n_passes < 40)
    assert any(resumed)


@pytest.mark.parametrize("problem", ["binary", "multiclass", "regression"])
def test_losses_are_those_of_the_rows_before_they_are_learnt(problem):
    X, y = line(100) if problem == "regression" else rows_of(problem, n=100)
    model = regressor(C=0.1) if problem == "regression" else model_of("pa", C=0.1)
    model.set_params(shuffle=False, max_iter=3, tol=None)
    values = printed_by(model, X, y)
    model = clone(model)
    if problem == "regression":
        model.partial_fit(X[:1], y[:1], [0.0])
    else:
        model.partial_fit(X[:1], y[:1], np.unique(y), [0.0])
    for value in values:
        loss = 0.0
        for i in range(100):
            part = slice(i, i + 1)
            if problem == "regression":
                loss += max(0.0, abs(y[i] - model.predict(X[part])[0]) - 0.1)
            else:
                scores = np.atleast_1d(model.decision_function(X[part])[0])
                signs = np.where(model.classes_[-len(scores) :] == y[i], 1, -1)
                loss += np.maximum(0.0, 1 - signs * scores).sum()
            model.partial_fit(X[part], y[part])
        assert_allclose(value, loss, rtol=1e-5)


def test_passes_without_a_loss_are_the_last():
    X, y = two_classes(300, noise=0.0)
    X[:, 1:] = 0.0  # one feature that tells all
    y = np.where(X[:, 0] > 0, "yes", "no")
    X[:, 0] += np.where(X[:, 0] > 0, 2.0, -2.0)
    model = model_of("pa").fit(X, y)
    # Separated with a margin: no row teaches any more.
    assert model.n_iter_ <= 10
    assert model.score(X, y) == 1.0
    assert model_of("pa", tol=1e-9, n_iter_no_change=9).fit(X, y).n_iter_ > model.n_iter_
    # Gains of 0 are gains where tol is 0.
    with pytest.warns(ConvergenceWarning):
        patient = model_of("pa", tol=0.0, n_iter_no_change=2, max_iter=30).fit(X, y)
    assert patient.n_iter_ == 30


@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_a_limit_of_passes_is_reported(kind):
    X, y = rows_of("binary")
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
        model.set_params(tol=1e-3, max_iter=1).fit(X, y)  # one pass: meant so
        model.partial_fit(X, y)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["binary", "multiclass", "regression"])
def test_early_stopping_holds_rows_out(kind, layout):
    X, y = line(layout=layout) if kind == "regression" else rows_of(kind, layout)
    make = regressor if kind == "regression" else lambda **params: model_of("pa", **params)
    params = dict(early_stopping=True, validation_fraction=0.25, max_iter=30, tol=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = make(**params).fit(X, y)
    assert 1 < model.n_iter_ < 30
    # A quarter of the rows is never learnt.
    assert model.t_ == 1 + 150 * model.n_iter_
    assert_same(make(**params).fit(X, y), model)
    assert make(**params, shuffle=False).fit(X, y).t_ % 150 == 1


def test_early_stopping_with_weights():
    """Rows of weight 0 are not held out."""
    X, y = rows_of("binary")
    rng = np.random.default_rng(0)
    few = np.zeros(200)
    few[np.r_[np.flatnonzero(y == "yes")[:10], np.flatnonzero(y == "no")[:10]]] = 1.0
    for weight in (few, rng.uniform(0, 2, 200)):
        for seed in range(3):
            params = dict(early_stopping=True, max_iter=5, tol=None, random_state=seed)
            assert model_of("pa", **params).fit(X, y, sample_weight=weight).n_iter_ == 5
            regressor(**params).fit(X, line()[1], sample_weight=weight)


def test_verbose_prints_a_line_for_each_pass():
    X, y = rows_of("binary")
    for model, name in ((once("pa"), "PassiveAggressiveClassifier"), (regressor(tol=None), None)):
        name = name or "PassiveAggressiveRegressor"
        for verbose, early_stopping in [(0, False), (1, False), (True, True)]:
            model.set_params(verbose=verbose, max_iter=3, early_stopping=early_stopping)
            printed = io.StringIO()
            with redirect_stdout(printed):
                model.fit(X, y if is_classifier(model) else line()[1])
                model.set_params(early_stopping=False)
                model.partial_fit(X, y if is_classifier(model) else line()[1])
            lines = printed.getvalue().splitlines()
            assert len(lines) == (3 if verbose else 0)
            for i, text in enumerate(lines, 1):
                what = "validation score" if early_stopping else "loss"
                match = rf"-- Epoch {i}: [\d,]+ updates, {what} -?[\d.e+-]+, [\d.]+ s"
                assert re.fullmatch(match, text), text


# -- starting from somewhere ------------------------------------------------------------


@with_states
@with_both
@with_layouts
def test_warm_start_goes_on_with_more_passes(name, problem, layout):
    X, y = rows_of(problem, layout)
    model = once(name, shuffle=False, warm_start=True).fit(X, y)
    model.set_params(max_iter=2).fit(X, y)
    assert model.n_iter_ == 2
    whole = once(name, shuffle=False, max_iter=3).fit(X, y)
    # Rows are counted anew, and so is the mean; the weights that learn have gone on.
    assert (model.t_, whole.t_) == (401.0, 601.0)
    assert model.n_updates_ < whole.n_updates_
    for key, array in model._state.arrays.items():
        if not key.endswith("_sums"):
            assert_array_equal(array, whole._state.arrays[key])
    # Without it, fit forgets.
    model.set_params(warm_start=False, max_iter=1).fit(X, y)
    assert_same(model, once(name, shuffle=False).fit(X, y))


def test_warm_start_with_another_c_dtype_and_layout():
    X, y = rows_of("binary")
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
    X, y = rows_of("binary")
    model = once(name, warm_start=True).fit(X, y)
    former = model.coef_.copy()
    model.set_params(fit_intercept=False)
    if hasattr(model, "covariance") and model.covariance == "full":
        with pytest.raises(ValueError, match="warm_start=True needs weights of the same shape"):
            model.fit(X, y)
        return
    model.fit(X, y)
    assert_array_equal(model.intercept_, 0.0)
    assert_array_equal(model.decision_function(np.zeros((1, 4))), 0.0)
    assert model.t_ == 201 and (model.coef_ != former).any()


@with_states
def test_warm_start_of_a_sparsified_model(name):
    X, y = rows_of("binary")
    model, other = (once(name, warm_start=True).fit(X, y) for _ in range(2))
    model.sparsify().fit(X, y)
    assert_same(model, other.fit(X, y))
    assert type(model.coef_) is np.ndarray


@with_layouts
@pytest.mark.parametrize("name", FIRST_ORDER)
@with_both
def test_initial_weights(name, problem, layout):
    X, y = rows_of(problem, layout)
    before = learn(model_of(name), X[:100], y[:100])
    model = once(name, shuffle=False)
    if name.startswith("cost"):  # whose counts are not in the weights
        before.set_params(rho=2.0, pos_label="yes")
        model.set_params(rho=2.0, pos_label="yes")
    model.fit(X[100:], y[100:], coef_init=before.coef_, intercept_init=before.intercept_)
    going_on = before.partial_fit(X[100:], y[100:])
    assert_array_equal(model.coef_, going_on.coef_)
    assert_array_equal(model.intercept_, going_on.intercept_)
    assert model.t_ == 101


def test_forms_of_initial_weights():
    X, y = rows_of("binary")
    w, b = np.array([1.0, -2.0, 0.5, 0.0]), 0.25
    start = once("pa").fit(X, y, coef_init=w[None], intercept_init=[b])
    for coef, intercept in ((w, b), (w.tolist(), np.array(b)), (w[None].astype("f"), [b])):
        assert_same(once("pa").fit(X, y, coef_init=coef, intercept_init=intercept), start)
    # Given weights stay as they are.
    assert_array_equal(w, [1.0, -2.0, 0.5, 0.0])
    target = line()[1]
    model = regressor(max_iter=1, tol=None).fit(X, target, coef_init=w, intercept_init=b)
    other = regressor(max_iter=1, tol=None).fit(X, target, coef_init=w[None], intercept_init=[b])
    assert_same(model, other)
    # They are in place of those of a warm start.
    warm = once("pa", warm_start=True).fit(X, y)
    warm.fit(X, y, coef_init=w, intercept_init=b)
    assert_array_equal(warm.coef_, start.coef_)
