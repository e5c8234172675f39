"""Solution path: models as accurate as separate fits."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from sklearn_online_svm import LASVC, LASVR, ActiveLASVC, OneClassLASVM, VirtualLASVC
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.kernel import SolutionPath
from tests.reference import path as reference
from tests.support.internals import _epochs, _path_solver
from tests.support.limits import set_limits
from tests.support.pairs import noisy_classes, solutions_of_pairs
from tests.support.samples import (
    digits_pair,
    targets,
    three_classes,
    two_classes,
)

CS = np.logspace(-1, 2, 6)
X, Y = two_classes(300, noise=1.0)
# The samples and targets of each kind.
DATA = {LASVC: (X, Y), LASVR: targets(300, noise=0.3)}
# Parameters of convex problems.
CONVEX = [
    (LASVC, {"algorithm": "lasvm"}),
    (LASVC, {"algorithm": "lasvm-g"}),
    (LASVC, {"algorithm": "lasvm-full"}),
    (LASVR, {"algorithm": "lasvm"}),
    (LASVR, {"algorithm": "lasvm-g"}),
    (LASVR, {"loss": "squared_epsilon_insensitive"}),
    (LASVR, {"epsilon": "auto"}),
    (LASVR, {"epsilon": 0.0}),
]
both_kinds = pytest.mark.parametrize("kind", [LASVC, LASVR])
convex = pytest.mark.parametrize(
    ("kind", "options"),
    CONVEX,
    ids=lambda value: (
        value.__name__ if isinstance(value, type) else "-".join(map(str, value.values()))
    ),
)


def new(kind, **parameters):
    return kind(**{"gamma": 0.5, "random_state": 0} | parameters)


def exact(kind=LASVC, **parameters):
    return new(kind, **{"max_iter": -1, "tol": 1e-6} | parameters)


def decide(model, X):
    return model.predict(X) if isinstance(model, LASVR) else model.decision_function(X)


def problems(model, X, y, K=None, weights=None):
    """Yield kernel matrix, linear terms, costs, alpha and epsilon of each problem."""
    K = rbf_kernel(X, gamma=model.gamma_) if K is None else K
    cost = model.C * (np.ones(len(y)) if weights is None else weights)
    if isinstance(model, LASVR):
        terms, epsilon = np.reshape(y, (len(y), -1)).T, model.epsilon_
        if model.loss == "squared_epsilon_insensitive":
            K, cost = K + np.diag(0.5 / cost), np.full(len(y), np.inf)
    else:
        if len(model.classes_) > 2:  # the problem of a pair has the samples of the pair
            for pair in solutions_of_pairs(model, y):
                rows = pair.rows
                yield K[np.ix_(rows, rows)], pair.terms[rows], cost[rows], pair.alpha[rows], None
            return
        terms, epsilon = [np.where(y == model.classes_[1], 1.0, -1.0)], None
    for values, coef in zip(terms, model.dual_coef_, strict=True):
        alpha = np.zeros(len(y))
        alpha[model.support_] = coef
        yield K, values, cost, alpha, epsilon


def violations(model, X, y, K=None, weights=None):
    """Violation over all samples of each problem, computed directly."""
    has_bias = model.algorithm == "lasvm"
    return np.array(
        [
            reference.violation(*terms, has_bias=has_bias, epsilon=epsilon)
            for *terms, epsilon in problems(model, X, y, K, weights)
        ]
    )


def objectives(model, X, y):
    """Dual objective of each problem, computed directly."""
    return np.array(
        [
            reference.objective(K, values, alpha, epsilon)
            for K, values, _, alpha, epsilon in problems(model, X, y)
        ]
    )


def assert_same(one, other, X):
    np.testing.assert_array_equal(one.support_, other.support_)
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
    np.testing.assert_array_equal(decide(one, X), decide(other, X))


# -- accuracy ---------------------------------------------------------------------------


@pytest.mark.sampled
@convex
def test_each_model_is_the_optimum(kind, options):
    X, y = DATA[kind]
    layout = csr_matrix if options.get("algorithm") == "lasvm-g" else np.asarray
    path = exact(kind, **options).fit_path(layout(X), y, CS)
    for C, model in zip(CS, path, strict=True):
        alone = exact(kind, C=C, **options).fit(layout(X), y)
        assert model.C == C
        # With the squared loss K(x, x) + 1 / (2 C) is rounded to single precision.
        rtol = 1e-5 if "loss" in options else 1e-6
        np.testing.assert_allclose(model.dual_objective_, alone.dual_objective_, rtol=rtol)
        # The engine has kernel values in single precision.
        assert violations(model, X, y).max() < 2e-6 + 1e-6 * C
        np.testing.assert_allclose(model.dual_objective_, objectives(model, X, y), rtol=1e-5)
        # Samples within rounding of the margin may be support vectors in one of the two only.
        assert len(np.setxor1d(model.support_, alone.support_)) <= 3
        np.testing.assert_allclose(decide(model, X), decide(alone, X), atol=1e-3)


@pytest.mark.sampled
@both_kinds
@pytest.mark.parametrize("kernel", ["linear", "poly", "precomputed", "callable"])
def test_other_kernels(kind, kernel):
    X, Y = DATA[kind]
    rows = rbf_kernel(X, gamma=0.5) if kernel == "precomputed" else X
    options = {
        "kernel": {"callable": lambda A, B: rbf_kernel(A, B, gamma=0.5)}.get(kernel, kernel)
    }
    Cs = [0.1, 0.5, 2.0]
    path = exact(kind, **options, tol=1e-4).fit_path(rows, Y, Cs)
    for C, model in zip(Cs, path, strict=True):
        alone = exact(kind, C=C, **options, tol=1e-4).fit(rows, Y)
        np.testing.assert_allclose(model.dual_objective_, alone.dual_objective_, rtol=1e-5)
        assert model.score(rows, Y) == pytest.approx(alone.score(rows, Y), abs=0.01)


@pytest.mark.sampled
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
@pytest.mark.parametrize(
    ("kind", "data"), [(LASVC, two_classes), (LASVC, three_classes), (LASVR, targets)]
)
def test_after_one_epoch_each_model_is_at_least_as_good_as_its_fit(kind, data, algorithm):
    X, y = data(600)
    params = dict(algorithm=algorithm, max_iter=1)
    path = new(kind, **params).fit_path(X, y, CS)
    for C, model in zip(CS, path, strict=True):
        alone = new(kind, C=C, **params).fit(X, y)
        # The tolerance of LASVR is 0.1 epsilon.
        within, tol = (1e-5, 1e-3) if kind is LASVC else (1e-3, 1e-2)
        assert model.dual_objective_.sum() >= (1 - within) * alone.dual_objective_.sum()
        assert violations(model, X, y).max() <= violations(alone, X, y).max() + 2 * tol


@pytest.fixture
def sizes(monkeypatch):
    """Return a list that gets the numbers of samples that are processed for each C."""
    solve, found = _path_solver.Sweeps.solve, []

    def watched(self, k, given, order):
        found.append(len(order))
        solve(self, k, given, order)

    monkeypatch.setattr(_path_solver.Sweeps, "solve", watched)
    return found


def test_one_pass_over_many_noisy_samples(sizes):
    """Samples outside the support set are found although few of them are processed for each C."""
    X, y = make_banana_like(3000, noise=0.5, random_state=0)
    path = LASVC(gamma=1.0, max_iter=1, random_state=0).fit_path(X, y, CS)
    assert max(sizes) == 0.025 * 3000
    for model in path:
        best = LASVC(gamma=1.0, C=model.C, max_iter=-1, random_state=0).fit(X, y)
        assert model.dual_objective_[0] > 0.99 * best.dual_objective_[0]


@pytest.mark.parametrize(
    ("model", "data", "most"),
    [
        (new(LASVC, max_iter=1), two_classes(700, noise=1.0), 64),  # at least a block
        (new(LASVC, max_iter=-1), two_classes(700, noise=1.0), 70),
        (new(LASVC, max_iter=1, multi_class="ovo"), noisy_classes(700, 3), 70),
        (new(LASVR, max_iter=1), targets(1400, noise=0.3), 70),
    ],
    ids=["block", "until converged", "pairs", "regression"],
)
def test_a_share_of_the_samples_is_processed_for_each_C(model, data, most, sizes):
    clone(model).fit_path(*data, [0.1, 1.0])
    assert max(sizes) == most


@settings(max_examples=30, deadline=None)
@given(
    case=st.sampled_from(CONVEX),
    seed=st.integers(0, 1000),
    noise=st.floats(0.0, 3.0),
    ratio=st.floats(1.1, 50.0),
)
def test_no_sample_violates_for_any_C(case, seed, noise, ratio):
    kind, options = case
    X, y = (two_classes if kind is LASVC else targets)(80, seed=seed, noise=noise)
    Cs = 0.05 * ratio ** np.arange(4)
    path = exact(kind, **options, tol=1e-3, random_state=seed).fit_path(X, y, Cs)
    for model in path:
        scale = max(1e-5 * model.C, 1e-6 * np.abs(model.dual_coef_).sum())
        assert violations(model, X, y).max() <= 1e-3 * (1 + 1e-4) + scale
        if model.get_params().get("loss") != "squared_epsilon_insensitive":
            assert np.abs(model.dual_coef_).max() <= model.C


@both_kinds
@pytest.mark.parametrize("gap", [-0.05, -0.01, 0.0, 0.01, 0.2, None])
def test_samples_that_violate_by_more_than_tol_are_processed(kind, gap, monkeypatch):
    """With half of the support set, of which the largest and smallest g differ by ``gap``.

    None: without a bias.
    """
    check_samples, tol, n_found = _path_solver.Sweeps.check_samples, 0.05, []

    def checked(self):
        for k, state in enumerate(self.states):
            low = np.quantile(state.g[0], [0.5])
            bounds = dict(low=low, high=low + (gap or 0.0), tau=np.array([tol]))
            half = {name: [getattr(state, name)[0][::2]] for name in ("ids", "alpha", "g")}
            self.states[k] = replace(state, **bounds, **half)
        check_samples(self)
        for k, state in enumerate(self.states):
            alpha = np.zeros(len(y))
            alpha[state.ids[0]] = state.alpha[0]
            g = terms - rbf_kernel(X, gamma=0.5) @ alpha
            # With a gap each bias in it is optimal: samples there may violate with each other.
            (low,), (high,) = state.low, state.high
            if gap is None:
                up_to, down_to = tol, -tol
            else:
                up_to, down_to = (high, low) if gap < 0 else (low + tol, high - tol)
            upper_g, outside = g + self.width, np.setdiff1d(np.arange(len(y)), state.ids[0])
            violates = (rises & (g > up_to) | falls & (upper_g < down_to))[outside]
            highest = g[outside][rises[outside]].max(initial=high)
            lowest = upper_g[outside][falls[outside]].min(initial=low)
            left = max(highest, -lowest) if gap is None else highest - lowest
            wanted = outside[violates & (left > tol)]
            np.testing.assert_array_equal(np.sort(self.violators[k]), wanted)
            assert self.violation[k] == pytest.approx(left, abs=1e-5)
            n_found.append(len(wanted))

    set_limits(monkeypatch, PATH_VALUES_AT_ONCE=1)
    X, y = DATA[kind]
    if kind is LASVC:
        terms = np.where(y == "yes", 1.0, -1.0)
        rises, falls = terms > 0, terms < 0
    else:
        terms, (rises, falls) = y - 0.1, np.ones((2, len(y)), dtype=bool)  # the lower end
    monkeypatch.setattr(_path_solver.Sweeps, "check_samples", checked)
    monkeypatch.setattr(_path_solver.Sweeps, "most_rows", lambda self: len(y))
    algorithm = "lasvm-g" if gap is None else "lasvm"
    new(kind, max_iter=1, algorithm=algorithm).fit_path(X, y, [0.1, 0.2])
    assert min(n_found) > 0


@pytest.mark.parametrize(("kind", "options"), [(LASVC, {}), (LASVR, {}), (LASVR, CONVEX[5][1])])
def test_scaled_alpha_is_feasible_and_gradients_are_exact(kind, options):
    X, y = DATA[kind]
    terms = np.where(y == "yes", 1.0, -1.0) if kind is LASVC else y
    sweeps = []
    scale_to_boxes = _path_solver.Sweeps.scale_to_boxes

    class Watched(_path_solver.Sweeps):
        def scale_to_boxes(self, given):
            times = scale_to_boxes(self, given)
            (problem,) = self.engine.problems
            members, slots = problem.members, problem.slots()
            ids, alpha = members["row_id"][slots], members["alpha"][slots]
            K = rbf_kernel(X[ids], gamma=0.5)
            if options:
                ridge = 0.5 / self.Cs[len(sweeps) + 1]
                K += ridge * np.eye(len(ids))
                np.testing.assert_allclose(members["diag"][slots], 1.0 + ridge, rtol=1e-6)
            tube = 0.0 if kind is LASVC else 0.1 * members["y"][slots]
            np.testing.assert_allclose(
                members["g"][slots], terms[ids] - tube - K @ alpha, atol=1e-4
            )
            assert (alpha * members["y"][slots] >= 0).all()
            assert abs(alpha.sum()) < 1e-9
            assert times[0] >= 1.0
            if not options:
                assert np.abs(alpha).max() <= self.Cs[len(sweeps) + 1]
                assert times[0] <= 2.0 + 1e-12
            sweeps.append(times[0])
            return times

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_path_solver, "Sweeps", Watched)
        new(kind, **options).fit_path(X, y, 0.1 * 2.0 ** np.arange(12))
    assert len(sweeps) == 11
    if kind is LASVC:
        # With many alpha at their bounds the factor is the ratio of the boxes, later the best one.
        assert sweeps[0] == pytest.approx(2.0)
    if kind is LASVC or options:
        assert sweeps[-1] < 2.0


@both_kinds
def test_violations_within_rounding_are_no_reason_for_a_warning(kind):
    """With a larger C the rounding of gradients may exceed tol."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        exact(kind, tol=1e-12).fit_path(*DATA[kind], [0.1, 100.0])


# -- several problems -------------------------------------------------------------------


WEIGHTS = [0.0, 0.5, 2.0]


@pytest.mark.sampled
@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    ("options", "is_weighted"),
    [
        (dict(algorithm="lasvm"), False),
        (dict(algorithm="lasvm-g"), False),
        (dict(algorithm="lasvm-full"), False),
        (dict(class_weight="balanced"), False),
        (dict(class_weight="online_balanced"), False),
        (dict(class_weight={1: 3.0}), True),
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [3, 5])
def test_each_model_of_pairs_is_the_optimum(n_classes, options, is_weighted, monkeypatch):
    X, y = noisy_classes(250, n_classes)
    if n_classes == 3:
        set_limits(monkeypatch, PATH_VALUES_AT_ONCE=1)
    weights = np.random.default_rng(0).choice(WEIGHTS, len(y)) if is_weighted else None
    options = dict(multi_class="ovo", gamma=0.1) | options
    path = exact(**options).fit_path(X, y, CS, weights)
    assert path.dual_objective.shape == (6, n_classes * (n_classes - 1) // 2)
    for C, model in zip(CS, path, strict=True):
        alone = exact(C=C, **options).fit(X, y, weights)
        np.testing.assert_allclose(model.dual_objective_, alone.dual_objective_, rtol=1e-6)
        np.testing.assert_allclose(model.dual_objective_, objectives(model, X, y), rtol=1e-5)
        np.testing.assert_allclose(decide(model, X), decide(alone, X), atol=1e-3)
        np.testing.assert_array_equal(model.class_weight_, alone.class_weight_)
        assert model.kkt_violation_ < 2e-6
        assert not is_weighted or weights[model.support_].all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        dict(algorithm="lasvm-g"),
        dict(loss="squared_epsilon_insensitive"),
        dict(epsilon="auto"),
    ],
    ids=str,
)
def test_several_outputs(options):
    X, y = DATA[LASVR]
    other = np.random.default_rng(1).permutation(0.1 * y)
    Y = np.column_stack([y, X[:, 0] * X[:, 2] + other])
    weights = None if options else np.random.default_rng(0).choice(WEIGHTS, len(y))
    path = exact(LASVR, **options).fit_path(X, Y, CS, sample_weight=weights)
    assert path.dual_objective.shape == (6, 2)
    for C, model in zip(CS, path, strict=True):
        alone = exact(LASVR, C=C, **options).fit(X, Y, sample_weight=weights)
        rtol = 1e-5 if "loss" in options else 1e-6
        np.testing.assert_allclose(model.dual_objective_, alone.dual_objective_, rtol=rtol)
        np.testing.assert_allclose(model.predict(X), alone.predict(X), atol=1e-3)
        assert model.epsilon_ == alone.epsilon_
        assert options or weights[model.support_].all()


@pytest.mark.parametrize("scales", [(1.0, 1e-3), (1e-3, 1.0)])
def test_the_largest_rounding_of_the_problems_is_no_reason_for_a_warning(scales):
    X, y = DATA[LASVR]
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        exact(LASVR, tol=1e-12).fit_path(X, np.outer(y, scales), [0.1, 100.0])


def test_a_violation_that_is_left_for_one_C_warns(monkeypatch):
    monkeypatch.setattr(_path_solver.Sweeps, "most_rows", lambda self: 0)
    with pytest.warns(ConvergenceWarning, match="did not converge within 1 checks") as caught:
        path = exact().fit_path(*DATA[LASVC], [0.1, 0.2, 100.0])
    assert caught[0].filename == __file__
    assert path.kkt_violation[0] < 2e-6 < path.kkt_violation[-1]


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
@pytest.mark.parametrize(
    ("model", "data"),
    [
        (new(LASVC, multi_class="ovo", gamma=0.1), noisy_classes(400, 3)),
        (new(LASVR), (DATA[LASVR][0], np.outer(DATA[LASVR][1], [1.0, 0.3, 2.0]))),
    ],
    ids=["pairs", "outputs"],
)
def test_the_largest_violation_of_the_problems_is_reported(model, data, algorithm, monkeypatch):
    monkeypatch.setattr(_path_solver.Sweeps, "most_rows", lambda self: 0)
    path = clone(model).set_params(algorithm=algorithm, max_iter=1).fit_path(*data, [1.0, 100.0])
    found = violations(path[-1], *data)
    assert found.max() > 1.1 * found.min() > 0.01
    np.testing.assert_allclose(path.kkt_violation[-1], found.max(), rtol=1e-3)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_residuals_of_samples_that_fit_has_not_visited_are_computed(multi_class, monkeypatch):
    """Few samples are not visited one by one, with max_iter=-1."""
    compute_residuals = _path_solver.Sweeps.compute_residuals

    def checked(sweeps):
        unknown = np.isnan(sweeps.residuals) & sweeps.belongs
        assert unknown.any(axis=1).all()
        compute_residuals(sweeps)
        scores = np.empty((len(sweeps.encoded), len(sweeps.t)))
        sweeps.engine.current_solution().decide(sweeps.X, scores, None)
        residuals, expected = sweeps.residuals[unknown], (sweeps.t - scores.T)[unknown]
        np.testing.assert_allclose(residuals, expected, atol=1e-4)

    monkeypatch.setattr(_path_solver.Sweeps, "compute_residuals", checked)
    exact(multi_class=multi_class, tol=1e-3).fit_path(*noisy_classes(250, 3), [0.1, 1.0])


# -- results ----------------------------------------------------------------------------


@both_kinds
def test_a_path_of_one_C_is_a_fit(kind):
    X, Y = DATA[kind]
    model, alone = new(kind), new(kind, C=3.0)
    (only,) = model.fit_path(X, Y, [3.0])
    alone.fit(X, Y)
    for one in (only, model):
        assert_same(one, alone, X)
        assert one.C == 3.0
        assert one.n_kernel_evaluations_ == alone.n_kernel_evaluations_
        assert one.kkt_violation_ == alone.kkt_violation_


@pytest.mark.parametrize(
    "options",
    [
        {},
        dict(algorithm="lasvm-g"),
        dict(multi_class="ovr"),
        dict(class_weight="online_balanced", shuffle=True),
        dict(probability=True, random_state=np.random.RandomState(0)),
        dict(n_jobs=2),
    ],
    ids=["pairs", "gap", "rest", "weights", "probability", "threads"],
)
def test_models_of_several_problems_solved_at_once_are_those_of_fits(options):
    """Sweeps over the pairs of 26 classes took eight times as long as the fits."""
    X, y = noisy_classes(250, 4)
    model = new(LASVC, gamma=0.1, **options)
    alone = [clone(model).set_params(C=C).fit(X, y) for C in CS]
    path = model.fit_path(X, y, CS)
    for one, fit in zip([*path, model], [*alone, alone[-1]], strict=True):
        assert_same(one, fit, X)
        assert one.C == fit.C and one.n_iter_ == 1
        assert not one.probability or (one.predict_proba(X) == fit.predict_proba(X)).all()
    np.testing.assert_array_equal(path.kkt_violation, [fit.kkt_violation_ for fit in alone])
    assert path.n_kernel_evaluations == sum(fit.n_kernel_evaluations_ for fit in alone)


def test_models_of_several_outputs_solved_at_once_are_those_of_fits():
    X, y = DATA[LASVR]
    Y = np.column_stack([y, X[:, 0]])
    for one in new(LASVR).fit_path(X, Y, CS):
        assert_same(one, new(LASVR, C=one.C).fit(X, Y), X)


@pytest.mark.parametrize("at", [1, 3])
def test_an_interrupt_of_separate_fits_keeps_the_path_so_far(at, monkeypatch):
    (X, y), fit, calls = noisy_classes(250, 4), _path_solver.run_to_end, []

    def interrupted(call):
        calls.append(call)
        if len(calls) == at:
            raise KeyboardInterrupt
        return fit(call)

    model = new(LASVC, gamma=0.1)
    monkeypatch.setattr(_path_solver, "run_to_end", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        model.fit_path(X, y, CS)
    path = caught.value.path
    np.testing.assert_array_equal(path.Cs, CS[:at])
    assert f"{at} of 6 models" in caught.value.__notes__[-1]
    assert path.Cs[-1] == model.C
    assert_same(model, path[-1], X)


def test_notes_of_an_interrupt_do_not_mention_the_discarded_model():
    """A note offered to resume it, but a path can only be fitted again."""
    (X, y), calls = noisy_classes(250, 4), []

    def interrupted(A, B):
        calls.append(len(A))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return rbf_kernel(A, B, gamma=0.1)

    model = new(LASVC, kernel=interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        model.fit_path(X, y, CS)
    assert len(caught.value.path) == 2 and not model.interrupted_
    (note,) = caught.value.__notes__
    assert "2 of 6 models" in note


with_models = pytest.mark.parametrize(
    ("model", "data"),
    [
        *((new(kind), samples) for kind, samples in DATA.items()),
        (new(LASVC, multi_class="ovo", gamma=0.1), noisy_classes(300, 4)),
    ],
    ids=["binary", "regression", "pairs"],
)


@with_models
def test_models_of_a_path_are_independent_and_can_be_trained(model, data):
    (X, Y), model = data, clone(model)
    path = model.fit_path(X, Y, CS)
    before = [decide(one, X) for one in path]
    assert model.C == path[-1].C == CS[-1]
    assert_same(model, path[-1], X)
    model.partial_fit(-X[:50], Y[:50])
    path[0].partial_fit(-X[:50], Y[:50])
    for one, scores in list(zip(path, before, strict=True))[1:]:
        np.testing.assert_array_equal(decide(one, X), scores)
        stored = pickle.loads(pickle.dumps(one))
        assert_same(stored.partial_fit(X[:40], Y[:40]), one.partial_fit(X[:40], Y[:40]), X)
        assert np.abs(one.dual_coef_).max() <= one.C


@both_kinds
def test_attributes_of_a_path(kind):
    X, Y = DATA[kind]
    path = new(kind).fit_path(X, Y, CS[::-1])
    assert isinstance(path, SolutionPath)
    np.testing.assert_array_equal(path.Cs, CS)
    assert len(path) == len(CS) == len(list(path))
    assert repr(path) == "SolutionPath of 6 models, C from 0.1 to 100"
    assert path.dual_objective.shape == (6, 1)
    assert (np.diff(path.dual_objective[:, 0]) > 0).all()
    np.testing.assert_array_equal(path.n_support, [len(one.support_) for one in path])
    np.testing.assert_array_equal(path.scores(X, Y), [one.score(X, Y) for one in path])
    assert (path.kkt_violation >= 0).all()
    alone = sum(new(kind, C=C).fit(X, Y).n_kernel_evaluations_ for C in CS)
    assert path[-1].n_kernel_evaluations_ <= path.n_kernel_evaluations + 64 * len(X)
    assert path.n_kernel_evaluations < 2 * alone


@both_kinds
@pytest.mark.parametrize("max_iter", [1, 3, "auto"])
def test_checks_of_all_samples_are_epochs(kind, max_iter, monkeypatch):
    check_samples, n_checks = _path_solver.Sweeps.check_samples, []

    def counted(self):
        n_checks.append(self)
        check_samples(self)

    set_limits(monkeypatch, SMALL_SET=100)
    monkeypatch.setattr(_path_solver.Sweeps, "check_samples", counted)
    # So few samples are processed that there are violating ones after each check.
    monkeypatch.setattr(_path_solver.Sweeps, "most_rows", lambda self: 1)
    monkeypatch.setattr(_path_solver.Sweeps, "nearest", lambda self: np.empty(0, np.int64))
    X, y = DATA[kind]
    model = new(kind, gamma=2.0, max_iter=max_iter)
    n_iter = clone(model).set_params(C=0.1).fit(X, y).n_iter_
    path = model.fit_path(X, y, [0.1, 1.0, 10.0])
    assert len(n_checks) == (1 if max_iter == "auto" else max_iter)
    assert [one.n_iter_ for one in path] == 3 * [n_iter + len(n_checks)]


@both_kinds
def test_an_infinite_C(kind):
    X, y = digits_pair(0, 1) if kind is LASVC else (np.linspace(0, 3, 50)[:, None], np.arange(50))
    path = exact(kind, gamma=0.05).fit_path(X, y, [0.1, 10.0, np.inf])
    alone = exact(kind, gamma=0.05, C=np.inf).fit(X, y)
    np.testing.assert_allclose(path[-1].dual_objective_, alone.dual_objective_, rtol=1e-6)


@both_kinds
def test_threads_and_types_do_not_matter(kind):
    X, y = three_classes(400)
    if kind is LASVR:
        y = X[:, :2] ** 2
    one = new(kind).fit_path(X, y, CS)
    for other in (
        new(kind, n_jobs=2).fit_path(X, y, CS),
        new(kind).fit_path(csr_matrix(X), y, CS),
    ):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(decide(a, X), decide(b, X), rtol=1e-9, atol=1e-9)


@both_kinds
def test_verbose_prints_a_line_for_each_C(kind, capsys):
    new(kind, verbose=1).fit_path(*DATA[kind], [0.1, 1.0, 10.0])
    lines = capsys.readouterr().out.splitlines()
    for C in ("1", "10"):
        assert any(line.startswith(f"[{kind.__name__}] C={C}: ") for line in lines)


@pytest.mark.parametrize("method", ["fit", "partial_fit", "fit_path"])
def test_a_warning_of_too_many_support_vectors_has_the_line_of_the_caller(method):
    X, y = targets(1100, noise=1.0)
    arguments = ([0.1, 1.0],) if method == "fit_path" else ()
    with pytest.warns(UserWarning, match="of 1100 samples are support vectors") as caught:
        getattr(new(LASVR, epsilon=0.01), method)(X, y, *arguments)
    assert caught[0].filename == __file__


def test_a_tube_around_all_targets_has_no_support_vectors():
    X, y = DATA[LASVR]
    for algorithm in ("lasvm", "lasvm-g"):
        path = new(LASVR, epsilon=10.0, algorithm=algorithm).fit_path(X, y, CS)
        assert not path.n_support.any()
        assert not path.dual_objective.any()


# -- Ctrl-C -----------------------------------------------------------------------------


@both_kinds
def test_residuals_and_violations_are_those_of_the_definition(kind, monkeypatch):
    nearest, solve, n_known = _path_solver.Sweeps.nearest, _path_solver.Sweeps.solve, []

    def checked(sweeps):
        scores = np.empty((len(X), 1))
        sweeps.engine.current_solution().decide(sweeps.X, scores, None)
        known = sweeps.distances[0] == 0.0
        n_known.append(np.count_nonzero(known))
        residuals = (sweeps.t[0] - scores[:, 0])[known]
        np.testing.assert_allclose(sweeps.residuals[0, known], residuals, rtol=0, atol=1e-4)

        (problem,), state = sweeps.engine.problems, sweeps.state()
        alpha, g = state.alpha[0], state.g[0]
        rises = problem.members["up"][problem.slots()] != 0
        falls = problem.members["down"][problem.slots()] != 0
        if kind is LASVR:  # alpha of each end of the tube: one is positive, the other negative
            rises, falls = rises | (alpha == 0), falls | (alpha == 0)
        high = max(g[rises & (alpha >= 0)].max(), (g + sweeps.width)[rises & (alpha < 0)].max())
        low = min(g[falls & (alpha > 0)].min(), (g + sweeps.width)[falls & (alpha <= 0)].min())
        assert (state.low[0], state.high[0]) == (low, high)
        return nearest(sweeps)

    def solved(sweeps, k, given, order):
        solve(sweeps, k, given, order)
        assert len(order) and not sweeps.distances[0, order].any()

    monkeypatch.setattr(_path_solver.Sweeps, "nearest", checked)
    monkeypatch.setattr(_path_solver.Sweeps, "solve", solved)
    new(kind, max_iter=1, C=0.1).fit_path(*DATA[kind], [0.3, 1.0, 3.0])
    assert len(n_known) == 2 and min(n_known) > 50


@pytest.mark.parametrize("at", [1, 2, 4, 6])
@with_models
def test_interrupt_keeps_the_path_so_far(model, data, at, monkeypatch):
    """In the first sweep, and in the second."""
    (X, Y), model = data, clone(model).set_params(max_iter=1)
    whole = clone(model).fit_path(X, Y, CS)
    solve, calls = _path_solver.Sweeps.solve, []

    def interrupted(self, *arguments):
        calls.append(arguments[0])
        if len(calls) == at:
            raise KeyboardInterrupt
        solve(self, *arguments)

    monkeypatch.setattr(_path_solver.Sweeps, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        model.fit_path(X, Y, CS)
    path = caught.value.path
    assert len(path) == min(at, len(CS))
    assert f"{len(path)} of 6 models" in caught.value.__notes__[-1]
    np.testing.assert_array_equal(path.Cs, CS[: len(path)])
    assert path.Cs[-1] == model.C
    assert_same(model, path[-1], X)
    for one, other in zip(path, whole, strict=False):
        assert one.score(X, Y) == pytest.approx(other.score(X, Y), abs=0.05)
    model.partial_fit(X[:20], Y[:20])


@both_kinds
def test_an_interrupt_of_the_first_fit_can_be_resumed(kind, monkeypatch):
    X, Y = DATA[kind]

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    model = new(kind)
    with monkeypatch.context() as patch:
        patch.setattr(_epochs, "optimization_progress", interrupted)
        with pytest.raises(KeyboardInterrupt) as caught:
            model.fit_path(X, Y, CS)
    path = caught.value.path
    assert len(path) == path.n_kernel_evaluations == 0
    assert CS[0] == model.C
    assert model.interrupted_
    assert_same(model.resume(X, Y), new(kind, C=CS[0]).fit(X, Y), X)


@both_kinds
def test_error_leaves_the_model_unchanged(kind, monkeypatch):
    X, Y = DATA[kind]
    model = new(kind, C=7.0).fit(X, Y)
    before = decide(model, X)

    def broken(self):
        raise MemoryError

    monkeypatch.setattr(_path_solver.Sweeps, "check_samples", broken)
    with pytest.raises(MemoryError):
        model.fit_path(X, Y, CS)
    assert model.C == 7.0
    np.testing.assert_array_equal(decide(model, X), before)


# -- errors -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("Cs", "message"),
    [
        ([], "Cs must be one or more numbers"),
        (1.0, "Cs must be one or more numbers"),
        ([[1.0]], "Cs must be one or more numbers"),
        ([1.0, 0.0], "Cs must be positive, got 0"),
        ([1.0, np.nan], "Cs must be positive, got .*nan"),
        ([2.0, 1.0, 2.0], "Cs must be different from each other, got 2 twice"),
        (["many"], "Cs must be numbers, got .'many'."),
    ],
    ids=["empty", "scalar", "matrix", "zero", "nan", "twice", "words"],
)
@both_kinds
def test_wrong_Cs(kind, Cs, message):
    with pytest.raises(ValueError, match=message):
        kind().fit_path(*DATA[kind], Cs)


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        (LASVC, {"algorithm": "lasvm-nc"}, "algorithm must be .* got 'lasvm-nc'"),
        (LASVC, {"algorithm": "lasvm-i"}, "algorithm must be .* got 'lasvm-i'"),
        (LASVC, {"window_size": 20}, "window_size=20"),
        (LASVC, {"finishing": False}, "finishing=True"),
        (LASVC, {"tol": -1.0}, "tol"),
        (LASVR, {"window_size": 20}, "window_size=20"),
        (LASVR, {"max_support_vectors": 20}, "max_support_vectors=20"),
        (LASVR, {"finishing": False}, "finishing=True"),
        (LASVR, {"algorithm": "lasvm-g", "loss": "squared_epsilon_insensitive"}, "loss="),
    ],
    ids=lambda value: next(iter(value.items()))[0] if isinstance(value, dict) else "",
)
def test_parameters_without_a_path_are_rejected(kind, parameters, message):
    model = kind(**parameters)
    with pytest.raises(ValueError, match=message):
        model.fit_path(*DATA[kind], CS)
    assert model.C == 1.0


@pytest.mark.parametrize("kind", [ActiveLASVC, VirtualLASVC])
def test_classifiers_that_select_samples_have_no_path(kind):
    with pytest.raises(AttributeError, match="no attribute 'fit_path'"):
        kind().fit_path  # noqa: B018


def test_the_one_class_model_has_no_path():
    """nu is a share of the samples, not the size of a box that grows."""
    assert not hasattr(OneClassLASVM(), "fit_path")
