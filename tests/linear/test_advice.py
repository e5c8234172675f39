"""Models with advice: equality with the twin, and the problems solved by each step."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from sklearn_online_svm import (
    Advice,
    AdvicePassiveAggressiveClassifier,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
)
from sklearn_online_svm.active import AllQuery, MarginQuery
from tests.reference.advice import AdviceTwin
from tests.support.internals import update_state
from tests.support.linear_kinds import assert_close, clouds, quickly, trained
from tests.support.linear_models import assert_same
from tests.support.samples import LAYOUTS

pytestmark = pytest.mark.filterwarnings("ignore:Rules with different labels contradict")

# A box, a half-space, and a polyhedron.
RULES = [
    Advice.from_conditions({0: (">=", 0.5), 2: (-1, 2)}, range(4), 1),
    Advice.from_conditions({1: ("<=", -1)}, range(4), 0),
    Advice([[1.0, 1.0, 0, 0], [0, 0, -1.0, 0.5]], [-0.5, 0.3], 0),
]
OF_THREE = [*RULES, Advice.from_conditions({3: (1, 4)}, range(4), 2)]
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)
with_classes = pytest.mark.parametrize("n_classes", [2, 3])
with_refine = pytest.mark.parametrize("refine", [False, True, 3])


def rules_for(n_classes):
    return RULES if n_classes == 2 else OF_THREE


def model_of(n_classes=2, **params):
    return AdvicePassiveAggressiveClassifier(
        rules_for(n_classes), **{"C": 0.3, "advice_weight": 0.1, **params}
    )


def twin_of(model, n_classes, n_features=4):
    rules = [(rule.D.toarray(), rule.d, rule.label) for rule in model.advice]
    names = {"C": model.C, "weight": model.advice_weight, "refine": int(model.refine)}
    names |= {"zero_start": model.initial_weights == "zero"}
    return AdviceTwin(rules, n_features, n_classes, **names, fit_intercept=model.fit_intercept)


# -------------------------------------------------------------------------------- the twin


@pytest.mark.sampled
@with_refine
@with_classes
@with_layouts
@pytest.mark.parametrize(
    "weight, initial_weights, fit_intercept",
    [
        *((0.0, "advice", True), (0.01, "zero", False), (0.1, "advice", True)),
        *((1.0, "advice", False), (30.0, "zero", True)),
    ],
)
@pytest.mark.filterwarnings("ignore:advice.* has no effect with fit_intercept=False")
def test_equals_the_twin(n_classes, layout, refine, fit_intercept, weight, initial_weights):
    X, y = clouds(60, n_classes=n_classes, seed=1)
    factors = np.random.default_rng(0).choice([0.0, 0.3, 1.0, 4.0], 60)
    model = model_of(
        n_classes,
        refine=refine,
        fit_intercept=fit_intercept,
        advice_weight=weight,
        initial_weights=initial_weights,
    )
    twin = twin_of(model, n_classes)
    for i in range(60):
        if i:
            scores = model.decision_function(X[i : i + 1]).ravel()
            assert_allclose(scores, twin.learn_row(X[i], y[i], factors[i]), rtol=0, atol=1e-9)
        else:
            twin.learn_row(X[i], y[i], factors[i])
        row = LAYOUTS[layout](X[i : i + 1])
        model.partial_fit(row, y[i : i + 1], range(n_classes), sample_weight=factors[i : i + 1])
        assert_allclose(model.coef_, twin.coef, rtol=0, atol=1e-9)
        assert_allclose(model.intercept_, twin.intercept, rtol=0, atol=1e-9)
    assert model.n_updates_ > 20


@quickly
@given(
    st.integers(0, 2**32 - 1),
    st.just(0.0) | st.floats(0.01, 10),
    st.floats(1e-3, 10),
    st.integers(1, 4),
    st.integers(0, 4),
)
@example(56679149, 8.25, 1.0, 1, 0)
def test_equals_the_twin_with_random_rules(seed, weight, C, n_rules, refine):
    rng = np.random.default_rng(seed)
    X, y = clouds(25, 3, seed=seed)
    rules = []
    for label in rng.integers(2, size=n_rules):
        D = rng.normal(size=(rng.integers(1, 4), 3))
        d = D @ rng.normal(size=3) + rng.exponential(size=len(D))  # not empty
        rules.append(Advice(D, d, label))
    model = AdvicePassiveAggressiveClassifier(rules, C=C, advice_weight=weight, refine=refine)
    model.partial_fit(X, y, [0, 1])
    twin = twin_of(model, 2, 3)
    for x, label in zip(X, y, strict=True):
        twin.learn_row(x, label)
    assert_allclose(model.coef_, twin.coef, rtol=1e-6, atol=1e-6)
    assert_allclose(model.intercept_, twin.intercept, rtol=1e-6, atol=1e-6)


# -------------------------------------------------------------------------------- the problems


def with_constant(X):
    return np.column_stack([X, np.ones(len(X))])


def _printed_step(w, y, x, points, lam, mu):
    """The update as the paper prints it, where beta has |x|^2 in place of x x'."""
    nu = 1 / (1 + len(points) * mu)
    advice = np.mean(points, axis=0)
    loss = max(0.0, 1 - nu * y * w @ x - (1 - nu) * y * advice @ x)
    alpha = loss / (1 / lam + nu * x @ x)
    step = lam * np.heaviside(alpha, 0.0) / 2
    common = (w + step * y * x + mu * sum(points)) / (1 / nu + step * x @ x)
    return w + alpha * y * x + mu * sum(r - common for r in points)


@pytest.mark.parametrize("weight", [0.05, 2.0])
def test_a_step_solves_its_problem(weight):
    X, y = clouds(20, seed=2)
    X1, signs = with_constant(X), np.where(y == 1, 1.0, -1.0)
    model = model_of(C=0.7, advice_weight=weight)
    points = [
        -z * twin_of(model, 2).D[i].T @ u
        for i, (z, u) in enumerate(zip([1, -1, -1], twin_of(model, 2).u[0], strict=True))
    ]
    w = np.mean(points, axis=0)
    for i in range(20):
        model.partial_fit(X[i : i + 1], y[i : i + 1], [0, 1])
        found = np.append(model.coef_[0], model.intercept_)

        def objective(v, w=w, i=i):
            loss = max(0.0, 1 - signs[i] * X1[i] @ v)
            pulled = sum(((v - r) ** 2).sum() for r in points)
            return 0.5 * ((v - w) ** 2).sum() + 0.7 * loss**2 + 0.5 * weight * pulled

        solution = minimize(objective, w, method="BFGS", options={"gtol": 1e-9})
        assert objective(found) <= solution.fun + 1e-12
        assert_allclose(found, solution.x, atol=1e-6)
        printed = _printed_step(w, signs[i], X1[i], points, lam=1.4, mu=weight)
        if signs[i] * X1[i] @ found < 1.0:
            assert objective(printed) > objective(found) + 1e-6
        else:
            assert_allclose(found, printed, atol=1e-9)
        w = found
    assert model.n_updates_ > 5


def test_initial_weights_solve_the_problem_without_samples():
    for n_rules, weight in [(1, 0.5), (3, 0.01), (3, 1.0), (3, 50.0)]:
        model = model_of(advice_weight=weight).set_params(advice=RULES[:n_rules])
        twin = twin_of(model, 2)
        signs = [1, -1, -1][:n_rules]
        # Without samples, the weights are the mean advice.
        model.partial_fit(np.zeros((0, 4)), [], [0, 1])
        mean = np.append(model.coef_[0], model.intercept_)
        nu = 1 / (1 + n_rules * weight)
        ends = np.cumsum([5] + [len(d) for d in twin.d])

        def objective(v, twin=twin, ends=ends, signs=signs, weight=weight):
            w, total = v[:5], 0.5 * v[:5] @ v[:5]
            for i, z in enumerate(signs):
                u = v[ends[i] : ends[i + 1]]
                eta, lack = twin.D[i].T @ u + z * w, max(0.0, 1 + twin.d[i] @ u)
                total += 0.5 * weight * (eta @ eta + lack**2)
            return total

        bounds = [(None, None)] * 5 + [(0, None)] * (ends[-1] - 5)
        options = {"maxiter": 10**5, "maxfun": 10**6, "ftol": 1e-16, "gtol": 1e-12}
        solution = minimize(
            objective, np.zeros(ends[-1]), method="L-BFGS-B", bounds=bounds, options=options
        )
        assert_allclose((1 - nu) * mean, solution.x[:5], atol=2e-5 * max(1, np.abs(mean).max()))


@pytest.mark.sampled
@pytest.mark.parametrize("weight", [0.001, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_alternations_converge_to_the_joint_minimum(weight, seed):
    """The paper's update of weights and advice vectors; its solver is given the whole problem."""
    X, y = clouds(20, seed=seed)
    model, excess = model_of(advice_weight=weight, C=2.0, refine=2), []
    twin = twin_of(model, 2)
    model.partial_fit(X[:0], y[:0], [0, 1])
    for i in range(20):
        x, sign = np.append(X[i], 1.0), 1.0 if y[i] == 1 else -1.0
        known = solution(model, twin)
        wanted = twin.joint_minimum(0, x, sign, *known)
        least = twin.objective(0, x, sign, *known, *wanted)
        row = []
        for refine in (1, 2, 5, 20, 200):
            # The number of alternations may change in a stream, which keeps the vectors.
            other = pickle.loads(pickle.dumps(model)).set_params(refine=refine)
            found = solution(other.partial_fit(X[i : i + 1], y[i : i + 1]), twin)
            row.append(twin.objective(0, x, sign, *known, *found) / least - 1)
        assert_allclose(found[0], wanted[0], rtol=1e-6, atol=1e-6)
        assert_allclose(np.concatenate(found[1]), np.concatenate(wanted[1]), rtol=1e-5, atol=1e-5)
        excess.append(row)
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    excess = np.array(excess)
    assert (np.diff(excess) < 1e-12).all()
    assert (np.abs(excess[:, -1]) < 1e-11).all()
    # One alternation is enough with light advice, five with heavy advice.
    most = excess.max(axis=0)
    assert most[0] > 1e-10 and most[1] < 0.5 * most[0]
    assert most[0] < 1e-7 or weight > 0.001
    assert most[2] < 1e-5 or weight > 1.0


def solution(model, twin):
    """Return weights and advice vectors of a binary model."""
    w = np.append(model.coef_[0], model.intercept_)
    vectors = update_state(model).arrays["advice_vectors"].copy()
    return w, np.split(vectors, np.cumsum([len(d) for d in twin.d])[:-1])


def test_one_alternation_is_the_default():
    X, y = clouds(100, n_classes=3)
    assert_same(*(trained(model_of(3, refine=n), X, y) for n in (True, 1)))
    assert_same(*(trained(model_of(3, refine=n), X, y) for n in (False, 0)))
    counts = [trained(model_of(3, refine=n), X, y) for n in (1, 5)]
    assert counts[0].t_ == counts[1].t_ == 101


def test_refining_with_bounds_of_different_scales():
    """Bounds of a hundred units make the steps of coordinate descent small."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(120, 30, 50), rng.normal(30, 6, 50)])
    y = (X[:, 0] + rng.normal(0, 20, 50) > 120).astype(int)
    rules = [
        Advice.from_conditions({0: (126, 500), 1: (">=", 30)}, range(2), 1),
        Advice.from_conditions({0: (40, 100), 1: ("<=", 25)}, range(2), 0),
    ]
    model = AdvicePassiveAggressiveClassifier(rules, advice_weight=0.1, refine=True)
    model.partial_fit(X, y, [0, 1])
    twin = twin_of(model, 2, 2)
    for x, label in zip(X, y, strict=True):
        twin.learn_row(x, label)
    assert_allclose(model.coef_, twin.coef, rtol=1e-6, atol=1e-9)


# -------------------------------------------------------------------------------- special cases


@with_layouts
@with_classes
@pytest.mark.parametrize("advice", [None, [], ()])
def test_without_advice_the_model_is_PA2(layout, n_classes, advice):
    X, y = clouds(150, n_classes=n_classes)
    X = LAYOUTS[layout](X)
    params = dict(C=0.3, random_state=0, max_iter=7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = AdvicePassiveAggressiveClassifier(advice, **params).fit(X, y)
        other = PassiveAggressiveClassifier(
            loss="squared_hinge", intercept_scaling=1.0, **params
        ).fit(X, y)
    assert_same(ours, other)
    assert_array_equal(ours.advice_violation_, [])


@with_classes
def test_advice_of_large_weight(n_classes):
    X, y = clouds(50, n_classes=n_classes)
    model = trained(model_of(n_classes, advice_weight=1e12), X, y)
    twin = twin_of(model, n_classes)
    assert_allclose(model.coef_, twin.coef, atol=1e-6)
    # A factor so small that nothing of the weights remains is also handled.
    for weight in (1e40, 1e300):
        for dtype in (np.float32, np.float64):
            model = trained(model_of(n_classes, advice_weight=weight), X.astype(dtype), y)
            assert np.isfinite(model.coef_).all() and model.n_updates_ > 0


def test_advice_alone_classifies_its_regions():
    rng = np.random.default_rng(0)
    names = ["a", "b", "c"]
    rules = [
        Advice.from_conditions({"a": (">=", 1), "b": (">=", 0.5)}, names, "yes"),
        Advice.from_conditions({"a": ("<=", -0.5)}, names, "no"),
    ]
    samples = rng.normal(size=(2000, 3)) * 3
    for weight in (0.01, 1.0, 100.0):
        model = AdvicePassiveAggressiveClassifier(rules, advice_weight=weight)
        model.partial_fit(samples[:0], [], ["no", "yes"])
        for rule in rules:
            inside = rule.contains(samples)
            assert inside.sum() > 200
            right = model.predict(samples[inside]) == rule.label
            assert right.all() if weight == 100.0 else right.mean() > 0.8
    # With a larger weight the rules agree better, and the margins are closer to 1.
    assert (model.advice_violation_ < 0.02).all()


@pytest.mark.sampled
@with_refine
@with_classes
@with_layouts
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("initial_weights", ["advice", "zero"])
def test_a_chunk_without_samples_gives_the_initial_model(
    n_classes, layout, dtype, refine, initial_weights
):
    X, y = clouds(60, n_classes=n_classes, dtype=dtype)
    X, classes = LAYOUTS[layout](X), range(n_classes)
    first = model_of(n_classes, refine=refine, initial_weights=initial_weights)
    skipped = model_of(n_classes, refine=refine, initial_weights=initial_weights)
    whole = trained(first, X, y)
    first.partial_fit(X[:0], y[:0], classes)
    skipped.partial_fit(X[:1], y[:1], classes, sample_weight=[0.0])
    assert first.t_ == 1 and first.n_updates_ == 0 and first.n_iter_ == 1
    assert first.coef_.dtype == dtype
    for name, array in update_state(skipped).arrays.items():
        assert_array_equal(update_state(first).arrays[name], array)
    assert (first.coef_ == 0).all() == (initial_weights == "zero")
    assert_array_equal(first.decision_function(X), skipped.decision_function(X))
    assert_array_equal(first.advice_violation_, skipped.advice_violation_)
    first = pickle.loads(pickle.dumps(first)).partial_fit(X[:30], y[:30])
    first.partial_fit(X[:0], y[:0], sample_weight=np.zeros(0)).partial_fit(X[30:], y[30:])
    assert_same(whole, first)


def test_a_chunk_without_samples_keeps_names_and_is_refused_elsewhere():
    pandas = pytest.importorskip("pandas")
    X, y = clouds(30)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    rules = [Advice(RULES[1].D, RULES[1].d, "no", feature_names="abcd")]
    model = AdvicePassiveAggressiveClassifier(rules)
    model.partial_fit(frame[:0], pandas.Series([], dtype=object), classes=["no", "yes"])
    assert_array_equal(model.feature_names_in_, list("abcd"))
    assert model.predict(frame[:1]) in ("no", "yes")
    with pytest.raises(ValueError, match="classes must be passed"):
        model_of().partial_fit(X[:0], [])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model_of().partial_fit(X[:0], [1], [0, 1])
    with pytest.raises(ValueError, match="0 sample"):
        model_of().fit(X[:0], [])
    with pytest.raises(ValueError, match="0 sample"):
        PassiveAggressiveClassifier().partial_fit(X[:0], [], [0, 1])


# -------------------------------------------------------------------------------- promises


@pytest.mark.sampled
@with_refine
@with_classes
@with_layouts
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_chunks_pickles_and_epochs_give_the_same_model(n_classes, layout, dtype, refine):
    X, y = clouds(150, n_classes=n_classes, dtype=dtype)
    X = LAYOUTS[layout](X)
    model = model_of(n_classes, refine=refine, advice_weight=0.3)
    whole = trained(model, X, y)
    assert whole.coef_.dtype == dtype
    passed = model_of(n_classes, refine=refine, advice_weight=0.3, shuffle=False)
    passed.set_params(max_iter=1, tol=None).fit(X, y)
    halves = trained(model, X[:70], y[:70], range(n_classes))
    halves = pickle.loads(pickle.dumps(halves)).partial_fit(X[70:], y[70:])
    assert_same(
        whole, trained(model, X, y, chunk=1), trained(model, X, y, chunk=7), passed, halves
    )
    # The scale has been multiplied into the weights before it became too small.
    assert 0 < update_state(whole).arrays["scale"][0] <= 1
    if dtype == np.float32:
        assert update_state(whole).arrays["scale"][0] > (1 / 1.9) ** 150


@with_refine
@with_classes
def test_queried_labels(n_classes, refine):
    """The loop with label queries makes the same steps."""
    X, y = clouds(120, n_classes=n_classes)
    model = model_of(n_classes, refine=refine)
    bought = LabelEfficientClassifier(model, AllQuery(), shuffle=False).fit(X, y)
    assert_close(bought.estimator_, trained(model, X, y))
    rule = MarginQuery(delta=0.1, random_state=0)
    some = LabelEfficientClassifier(model, rule, shuffle=False).fit(X, y)
    assert 5 < some.n_queries_ < 115
    # Samples without a queried label do not change the model.
    asked = some.queried_ if hasattr(some, "queried_") else None
    if asked is not None:
        assert_close(some.estimator_, trained(model, X[asked], y[asked], range(n_classes)))


@with_classes
def test_setting_and_sparsifying_weights(n_classes):
    X, y = clouds(100, n_classes=n_classes)
    model = trained(model_of(n_classes), X, y)
    other = pickle.loads(pickle.dumps(model)).sparsify()
    assert_allclose(other.decision_function(X), model.decision_function(X), rtol=1e-12)
    assert_allclose(other.advice_violation_, model.advice_violation_, rtol=1e-9)
    loaded = pickle.loads(pickle.dumps(other))
    assert_allclose(loaded.decision_function(X), model.decision_function(X), rtol=1e-12)
    assert_same(loaded.densify(), other.densify())
    model.partial_fit(X, y)
    assert_close(loaded.partial_fit(X, y), model)
    coef = np.arange(4.0 * len(model.coef_)).reshape(-1, 4)
    model.coef_ = coef
    assert_allclose(model.coef_, coef, atol=1e-12)
    model.intercept_ = np.ones(len(coef))
    assert_allclose(model.intercept_, 1.0, atol=1e-12)
    assert_allclose(model.coef_, coef, atol=1e-12)


@with_refine
def test_warm_start_with_new_advice(refine):
    X, y = clouds(100)
    once = dict(max_iter=1, tol=None, shuffle=False, warm_start=True)
    for first, second in [(RULES, RULES[:1]), (None, RULES), (RULES, None)]:
        model = model_of(refine=refine, **once).set_params(advice=first).fit(X, y)
        other = model_of(refine=refine, **once).set_params(advice=second)
        other.fit(X, y, coef_init=model.coef_, intercept_init=model.intercept_)
        assert_close(model.set_params(advice=second).fit(X, y), other)


@with_refine
def test_changing_advice_in_a_stream(refine):
    """The weights do not change until the next sample."""
    X, y = clouds(100)
    for first, second in [(RULES[:1], RULES), (None, RULES), (RULES, None), (RULES, RULES[:2])]:
        model = model_of(refine=refine).set_params(advice=first)
        model = trained(model, X[:50], y[:50])
        other = pickle.loads(pickle.dumps(model))
        coef, intercept = model.coef_.copy(), model.intercept_.copy()
        model.set_params(advice=second)
        model.partial_fit(X[:0], y[:0])
        assert_allclose(model.coef_, coef, atol=1e-12)
        once = dict(max_iter=1, tol=None, shuffle=False)
        wanted = model_of(refine=refine, **once).set_params(advice=second)
        wanted.fit(X[50:], y[50:], coef_init=coef, intercept_init=intercept)
        model.partial_fit(X[50:], y[50:])
        assert_allclose(model.coef_, wanted.coef_, rtol=1e-9, atol=1e-9)
        assert np.abs(model.coef_ - other.partial_fit(X[50:], y[50:]).coef_).max() > 1e-3
    # Appending to the list changes the advice.
    rules = [RULES[0]]
    model = trained(model_of(refine=refine).set_params(advice=rules), X[:50], y[:50])
    model.advice.append(RULES[1])
    model.partial_fit(X[50:], y[50:])
    assert len(model.advice_violation_) == 2


def test_updates_by_sparse_samples_change_only_their_nonzeros():
    """The cost of a sample does not depend on the number of features."""
    n_features = 200_000
    rules = [Advice.from_conditions({3: (">=", 1)}, range(n_features), 1)]
    rng = np.random.default_rng(0)
    X = csr_matrix(
        (rng.normal(size=400), (np.repeat(range(200), 2), rng.integers(9, size=400))),
        shape=(200, n_features),
    )
    y = rng.integers(2, size=200)
    model = AdvicePassiveAggressiveClassifier(rules, advice_weight=0.01).partial_fit(X, y, [0, 1])
    z = update_state(model).arrays["coef"]
    assert np.count_nonzero(z) <= 9 and np.count_nonzero(model.coef_) <= 9
    assert_allclose(update_state(model).arrays["scale"], (1 / 1.01) ** 200)


# ------------------------------------------------------------------ messages and reports


def test_contradictory_rules_give_a_warning():
    rules = [
        Advice.from_conditions({"a": (">=", 1)}, ["a", "b"], 1),
        Advice.from_conditions({"b": (0, 3)}, ["a", "b"], 0, name="the other"),
        Advice.from_conditions({"a": ("<=", 1), "b": ("<=", 0)}, ["a", "b"], 0),
    ]
    X, y = clouds(30, 2)
    for learn in ("fit", "partial_fit"):
        model = AdvicePassiveAggressiveClassifier(rules)
        more = {"classes": [0, 1]} if learn == "partial_fit" else {}
        with pytest.warns(UserWarning, match="contradict") as caught:
            getattr(model, learn)(X, y, **more)
        (message,) = {str(w.message) for w in caught if "contradict" in str(w.message)}
        assert "advice[0], 'a >= 1 => 1', and advice[1], 'the other => 0'." in message
        assert "b <= 0" not in message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AdvicePassiveAggressiveClassifier(rules[::2]).partial_fit(X, y, [0, 1])


def test_rule_without_effect_gives_a_warning():
    X, y = clouds(30)
    model = model_of(fit_intercept=False).set_params(
        advice=[Advice.from_conditions({0: ("<=", 1)}, range(4), 1, name="near")]
    )
    with pytest.warns(UserWarning, match="'near => 1', has no effect with fit_intercept=False"):
        trained(model, X, y)


@pytest.mark.parametrize(
    "advice, message",
    [
        ([Advice([[1.0]], [1.0], 1)], r"advice\[0\], 'x0 <= 1 => 1', is about 1 features"),
        ([RULES[0], Advice(RULES[0].D, RULES[0].d, 7)], r"advice\[1\].* not one of the classes"),
        ([Advice(RULES[1].D, RULES[1].d, 1, feature_names="abdc")], "is about the features"),
    ],
)
def test_advice_must_match_the_model(advice, message):
    pandas = pytest.importorskip("pandas")
    X, y = clouds(30)
    frame = pandas.DataFrame(X, columns=[f"x{i}" for i in range(4)])
    with pytest.raises(ValueError, match=message):
        AdvicePassiveAggressiveClassifier(advice).fit(frame, y)


def least_violation(rule, z, w, b):
    """Minimize the violation over u >= 0 by another solver."""

    def objective(u):
        eta = rule.D.T @ u + z * w
        return eta @ eta + max(0.0, 1 + rule.d @ u - z * b) ** 2

    k = len(rule.d)
    options = {"ftol": 1e-16, "gtol": 1e-12, "maxiter": 10**5, "maxfun": 10**6}
    result = minimize(
        objective, np.ones(k), method="L-BFGS-B", bounds=[(0, None)] * k, options=options
    )
    return result.fun


def test_violations_are_minimal():
    X, y = clouds(60)
    model = trained(model_of(C=5.0), X, y)
    found = model.advice_violation_
    for rule, violation, z in zip(RULES, found, [1, -1, -1], strict=True):
        wanted = least_violation(rule, z, model.coef_[0], model.intercept_[0])
        assert_allclose(violation**2, wanted, rtol=1e-5)
    X, y = clouds(60, n_classes=3)
    model = trained(model_of(3, C=5.0), X, y)
    for rule, violation in zip(OF_THREE, model.advice_violation_, strict=True):
        wanted = sum(
            least_violation(rule, 1 if rule.label == c else -1, model.coef_[c], b)
            for c, b in enumerate(model.intercept_)
        )
        assert_allclose(violation**2, wanted, rtol=1e-5)


def test_explanations():
    names = ["glucose", "bmi", "age"]
    rules = [
        Advice.from_conditions({"glucose": (">=", 2)}, names, "ill"),
        Advice.from_conditions({"bmi": ("<=", -1)}, names, "healthy", name="thin"),
    ]
    X = np.array([[3.0, 0, 0], [2.5, 0, -9], [0, 0, 0], [0, -2, 0]])
    model = AdvicePassiveAggressiveClassifier(rules)
    model.partial_fit(X, ["ill", "ill", "healthy", "healthy"], ["healthy", "ill"])
    model.coef_, model.intercept_ = [[0.5, 0.0, -0.25]], [0.0]
    first, second = model.explain_advice(X)
    # The rule does not mention age, so its weight has to be 0: any age is in the region.
    assert_allclose(first.violation, 0.25)
    assert first.coef_change == {"age": 0.25} and first.intercept_change == 0
    assert str(first) == (
        "glucose >= 2 => 'ill': contradicted by 0.25; change needed: age +0.25. "
        "0 of 2 samples in the region get another label."
    )
    assert second.n_samples == 1
    # This is the smallest change after which the model follows the rule.
    for i, report in enumerate([first, second]):
        coef = model.coef_ + [[report.coef_change.get(name, 0.0) for name in names]]
        other = pickle.loads(pickle.dumps(model))
        other.coef_, other.intercept_ = coef, model.intercept_ + report.intercept_change
        assert other.advice_violation_[i] < 1e-9
        size = np.append(other.coef_ - model.coef_, report.intercept_change)
        assert_allclose(np.linalg.norm(size), report.violation)
        half = (model.coef_ + other.coef_) / 2
        other.coef_, other.intercept_ = half, model.intercept_ + report.intercept_change / 2
        assert_allclose(other.advice_violation_[i], report.violation / 2)
    model.coef_ = [[0.5, 0.0, 0.0]]
    first, _ = model.explain_advice()
    assert first.violation == 0.0 and str(first) == "glucose >= 2 => 'ill': followed."
    model.coef_ = [[-0.5, 0.0, 0.0]]
    first, _ = model.explain_advice(X)
    assert first.coef_change["glucose"] > 0.4 and first.n_contradicted == 2
    # The reports refer to the parameters of the last training call.
    model.set_params(advice=None)
    assert len(model.explain_advice()) == 2


def test_explanations_with_several_classes():
    X, y = clouds(60, n_classes=3)
    model = trained(model_of(3), X, y)
    model.coef_, model.intercept_ = np.zeros((3, 4)), [-2.0, -2.0, 5.0]
    reports = model.explain_advice()
    assert [report.against for report in reports[:1]] == [2]
    assert "most by the decision function of class 2" in str(reports[0])
    # The condition x0 >= 0.5 reduces 3^2 + 6^2 by a fifth.
    assert_allclose(reports[0].violation, np.sqrt(0.8 * (3.0**2 + 6.0**2)))


def test_invalid_chunk_keeps_refined_vectors():
    """Also if the advice is changed for the invalid chunk, and then changed back."""
    X, y = clouds(100)
    model = trained(model_of(refine=True), X[:60], y[:60])
    wanted = pickle.loads(pickle.dumps(model)).partial_fit(X[60:], y[60:])
    bad = np.vstack([X] * 3)
    bad[250, 0] = np.nan
    for samples in (bad[249:251], bad):
        for new in (dict(advice=RULES[:1]), dict(refine=False), dict(advice=None)):
            model.set_params(**new)
            with pytest.raises(ValueError, match="NaN"):
                model.partial_fit(samples, np.tile(y, 3)[: len(samples)])
            model.set_params(advice=RULES, refine=True)
    assert_same(model.partial_fit(X[60:], y[60:]), wanted)
