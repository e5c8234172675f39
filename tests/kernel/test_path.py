"""Solution path: models as accurate as separate fits."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import rbf_kernel

from sklearn_online_svm import LASVC, ActiveLASVC, VirtualLASVC
from sklearn_online_svm.kernel import SolutionPath, _path_solver
from sklearn_online_svm.kernel._epochs import OnlinePasses
from tests.reference import path as reference
from tests.support.samples import breast_cancer, digits_pair, three_classes, two_classes

CS = np.logspace(-1, 2, 6)
X, Y = two_classes(300, noise=1.0)
CONVEX = ("lasvm", "lasvm-g", "lasvm-full")


def exact(**parameters):
    return LASVC(**{"gamma": 0.5, "max_iter": -1, "tol": 1e-6, "random_state": 0} | parameters)


def violations(model, X, y, K=None, weights=None):
    """Violation over all samples of each binary problem, computed directly."""
    K = rbf_kernel(X, gamma=model.gamma_) if K is None else K
    cost = model.C * (np.ones(len(y)) if weights is None else weights)
    positives = model.classes_[1:] if len(model.classes_) == 2 else model.classes_
    found = []
    for c, positive in enumerate(positives):
        alpha = np.zeros(len(y))
        alpha[model.support_] = model.dual_coef_[c]
        signs = np.where(y == positive, 1.0, -1.0)
        has_bias = model.algorithm == "lasvm"
        found.append(reference.violation(K, signs, cost, alpha, has_bias=has_bias))
    return np.array(found)


def assert_same(one, other, X):
    np.testing.assert_array_equal(one.support_, other.support_)
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


# -- accuracy ---------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", CONVEX)
@pytest.mark.parametrize("layout", [np.asarray, csr_matrix], ids=["dense", "csr"])
def test_each_model_is_the_optimum(algorithm, layout):
    path = exact(algorithm=algorithm).fit_path(layout(X), Y, CS)
    for C, model in zip(CS, path, strict=True):
        alone = exact(C=C, algorithm=algorithm).fit(layout(X), Y)
        assert model.C == C
        np.testing.assert_allclose(model.dual_objective_, alone.dual_objective_, rtol=1e-6)
        # The engine has kernel values in single precision.
        assert violations(model, X, Y).max() < 2e-6 + 1e-6 * C
        alpha, signs = np.zeros(len(Y)), np.where(Y == "yes", 1.0, -1.0)
        alpha[model.support_] = model.dual_coef_[0]
        plain = reference.objective(rbf_kernel(X, gamma=0.5), signs, alpha)
        np.testing.assert_allclose(model.dual_objective_, plain, rtol=1e-5)
        # Samples within rounding of the margin may be support vectors in one of the two only.
        assert len(np.setxor1d(model.support_, alone.support_)) <= 3
        np.testing.assert_allclose(
            model.decision_function(X), alone.decision_function(X), atol=1e-3
        )


@pytest.mark.parametrize("case", ["balanced", "dict", "online_balanced", "weights"])
def test_several_classes_with_weights(case):
    X, y = three_classes(200)
    weights = (
        np.random.default_rng(0).choice([0.0, 0.5, 2.0], len(y)) if case == "weights" else None
    )
    kind = {"balanced": "balanced", "online_balanced": "online_balanced", "dict": {10: 3.0}}
    options = {"class_weight": kind.get(case)}
    path = exact(**options).fit_path(X, y, CS, sample_weight=weights)
    for C, model in zip(CS, path, strict=True):
        alone = exact(C=C, **options).fit(X, y, sample_weight=weights)
        np.testing.assert_allclose(model.dual_objective_, alone.dual_objective_, rtol=1e-6)
        np.testing.assert_array_equal(model.class_weight_, alone.class_weight_)
        if weights is not None:
            assert not np.isin(model.support_, np.flatnonzero(weights == 0)).any()


@pytest.mark.parametrize("kernel", ["linear", "poly", "precomputed", "callable"])
def test_other_kernels(kernel):
    rows = rbf_kernel(X, gamma=0.5) if kernel == "precomputed" else X
    options = {
        "kernel": {"callable": lambda A, B: rbf_kernel(A, B, gamma=0.5)}.get(kernel, kernel)
    }
    Cs = [0.1, 0.5, 2.0]
    path = exact(**options, tol=1e-4).fit_path(rows, Y, Cs)
    for C, model in zip(Cs, path, strict=True):
        alone = exact(C=C, **options, tol=1e-4).fit(rows, Y)
        np.testing.assert_allclose(model.dual_objective_, alone.dual_objective_, rtol=1e-5)
        assert model.score(rows, Y) == pytest.approx(alone.score(rows, Y), abs=0.01)


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
@pytest.mark.parametrize("data", [two_classes, three_classes])
def test_after_one_epoch_each_model_is_at_least_as_good_as_its_fit(data, algorithm):
    X, y = data(600)
    options = {"gamma": 0.5, "random_state": 0, "algorithm": algorithm}
    path = LASVC(**options).fit_path(X, y, CS)
    for C, model in zip(CS, path, strict=True):
        alone = LASVC(C=C, **options).fit(X, y)
        assert model.dual_objective_.sum() >= (1 - 1e-5) * alone.dual_objective_.sum()
        assert violations(model, X, y).max() <= violations(alone, X, y).max() + 2e-3


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), noise=st.floats(0.0, 3.0), ratio=st.floats(1.1, 50.0))
def test_no_sample_violates_for_any_C(seed, noise, ratio):
    X, y = two_classes(80, seed=seed, noise=noise)
    Cs = 0.05 * ratio ** np.arange(4)
    path = exact(tol=1e-3, random_state=seed).fit_path(X, y, Cs)
    for model in path:
        assert violations(model, X, y).max() <= 1e-3 * (1 + 1e-4) + 1e-5 * model.C
        assert np.abs(model.dual_coef_).max() <= model.C


@pytest.mark.parametrize("has_bias", [True, False], ids=["bias", "none"])
def test_check_samples_finds_the_violators_of_the_reference(has_bias, monkeypatch):
    """All violating samples outside the support set are found for each C, for any chunk size."""
    monkeypatch.setattr(_path_solver, "_VALUES_AT_ONCE", 1)
    monkeypatch.setattr(_path_solver.Sweeps, "share", 1.0)
    seen = []
    check_samples = _path_solver.Sweeps.check_samples

    def watched(self):
        check_samples(self)
        for k in range(len(self.Cs)):
            alpha = np.zeros(len(self.codes))
            alpha[self.states[k].ids[0]] = self.states[k].alpha[0]
            found = reference.violation(K, self.y[0], self.cost_of(k), alpha, has_bias=has_bias)
            assert self.violation[k] == pytest.approx(found, rel=1e-4, abs=2e-3)
            assert bool(len(self.violators[k])) == (self.violation[k] > self.states[k].tau[0])
            seen.append(found)

    monkeypatch.setattr(_path_solver.Sweeps, "check_samples", watched)
    X, labels = breast_cancer()
    K = rbf_kernel(X, gamma=0.05)
    # No samples are processed before the check, so there are violators.
    monkeypatch.setattr(_path_solver.Sweeps, "nearest", lambda self: np.empty(0, np.int64))
    algorithm = "lasvm" if has_bias else "lasvm-g"
    LASVC(gamma=0.05, random_state=0, algorithm=algorithm).fit_path(X, labels, [1, 10, 100])
    assert max(seen) > 0.1
    assert len(seen) == 3


def test_scaled_alpha_is_feasible_and_gradients_are_exact():
    sweeps = []
    scale_to_boxes = _path_solver.Sweeps.scale_to_boxes

    class Watched(_path_solver.Sweeps):
        def scale_to_boxes(self, given):
            times = scale_to_boxes(self, given)
            (problem,) = self.engine.problems
            members, slots = problem.members, problem.slots()
            ids, alpha = members["row_id"][slots], members["alpha"][slots]
            g = self.y[0, ids] - rbf_kernel(X[ids], gamma=0.5) @ alpha
            np.testing.assert_allclose(members["g"][slots], g, atol=1e-4)
            assert abs(alpha.sum()) < 1e-9
            assert 1.0 <= times[0] <= 2.0 + 1e-12
            sweeps.append(times[0])
            return times

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sklearn_online_svm.kernel._path.Sweeps", Watched)
        LASVC(gamma=0.5, random_state=0).fit_path(X, Y, 0.1 * 2.0 ** np.arange(12))
    # With many alpha at their bounds the factor is the ratio of the boxes, later the best one.
    assert sweeps[0] == pytest.approx(2.0)
    assert sweeps[-1] < 2.0


# -- results ----------------------------------------------------------------------------


def test_a_path_of_one_C_is_a_fit():
    model, alone = LASVC(gamma=0.5, random_state=0), LASVC(C=3.0, gamma=0.5, random_state=0)
    (only,) = model.fit_path(X, Y, [3.0])
    alone.fit(X, Y)
    for one in (only, model):
        assert_same(one, alone, X)
        assert one.C == 3.0
        assert one.n_kernel_evaluations_ == alone.n_kernel_evaluations_
        assert one.kkt_violation_ == alone.kkt_violation_


def test_models_of_a_path_are_independent_and_can_be_trained():
    model = LASVC(gamma=0.5, random_state=0)
    path = model.fit_path(X, Y, CS)
    before = [one.decision_function(X) for one in path]
    assert model.C == path[-1].C == CS[-1]
    assert_same(model, path[-1], X)
    model.partial_fit(-X[:50], Y[:50])
    path[0].partial_fit(-X[:50], Y[:50])
    for one, scores in list(zip(path, before, strict=True))[1:]:
        np.testing.assert_array_equal(one.decision_function(X), scores)
        stored = pickle.loads(pickle.dumps(one))
        assert_same(stored.partial_fit(X[:40], Y[:40]), one.partial_fit(X[:40], Y[:40]), X)
        assert np.abs(one.dual_coef_).max() <= one.C


def test_attributes_of_a_path():
    path = LASVC(gamma=0.5, random_state=0).fit_path(X, Y, CS[::-1])
    assert isinstance(path, SolutionPath)
    np.testing.assert_array_equal(path.Cs, CS)
    assert len(path) == len(CS) == len(list(path))
    assert repr(path) == "SolutionPath of 6 models, C from 0.1 to 100"
    assert path.dual_objective.shape == (6, 1)
    assert (np.diff(path.dual_objective[:, 0]) > 0).all()
    np.testing.assert_array_equal(path.n_support, [len(one.support_) for one in path])
    np.testing.assert_array_equal(path.scores(X, Y), [one.score(X, Y) for one in path])
    assert (path.kkt_violation >= 0).all()
    alone = sum(LASVC(C, gamma=0.5, random_state=0).fit(X, Y).n_kernel_evaluations_ for C in CS)
    assert path[-1].n_kernel_evaluations_ <= path.n_kernel_evaluations + 64 * len(X)
    assert path.n_kernel_evaluations < 2 * alone


def test_an_infinite_C():
    X, y = digits_pair(0, 1)
    path = exact(gamma=0.05).fit_path(X, y, [0.1, 10.0, np.inf])
    alone = exact(gamma=0.05, C=np.inf).fit(X, y)
    np.testing.assert_allclose(path[-1].dual_objective_, alone.dual_objective_, rtol=1e-6)


def test_threads_and_types_do_not_matter():
    X, y = three_classes(400)
    one = LASVC(gamma=0.5, random_state=0).fit_path(X, y, CS)
    for other in (
        LASVC(gamma=0.5, random_state=0, n_jobs=2).fit_path(X, y, CS),
        LASVC(gamma=0.5, random_state=0).fit_path(csr_matrix(X), y, CS),
    ):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(
                a.decision_function(X), b.decision_function(X), rtol=1e-9, atol=1e-9
            )


def test_verbose_prints_a_line_for_each_C(capsys):
    LASVC(gamma=0.5, random_state=0, verbose=1).fit_path(X, Y, [0.1, 1.0, 10.0])
    lines = capsys.readouterr().out.splitlines()
    for C in ("1", "10"):
        assert any(line.startswith(f"[LASVC] C={C}: ") for line in lines)


# -- Ctrl-C -----------------------------------------------------------------------------


@pytest.mark.parametrize("at", [1, 2, 4, 6])
def test_interrupt_keeps_the_path_so_far(at, monkeypatch):
    """In the first sweep, and in the second."""
    whole = LASVC(gamma=0.5, random_state=0).fit_path(X, Y, CS)
    solve, calls = _path_solver.Sweeps.solve, []

    def interrupted(self, *arguments):
        calls.append(arguments[0])
        if len(calls) == at:
            raise KeyboardInterrupt
        solve(self, *arguments)

    monkeypatch.setattr(_path_solver.Sweeps, "solve", interrupted)
    model = LASVC(gamma=0.5, random_state=0)
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


def test_an_interrupt_of_the_first_fit_can_be_resumed(monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    model = LASVC(gamma=0.5, random_state=0)
    with monkeypatch.context() as patch:
        patch.setattr(OnlinePasses, "finish", interrupted)
        with pytest.raises(KeyboardInterrupt) as caught:
            model.fit_path(X, Y, CS)
    assert len(caught.value.path) == 0
    assert CS[0] == model.C
    assert model.interrupted_
    assert_same(model.resume(X, Y), LASVC(C=CS[0], gamma=0.5, random_state=0).fit(X, Y), X)


def test_error_leaves_the_model_unchanged(monkeypatch):
    model = LASVC(C=7.0, gamma=0.5, random_state=0).fit(X, Y)
    before = model.decision_function(X)

    def broken(self):
        raise MemoryError

    monkeypatch.setattr(_path_solver.Sweeps, "check_samples", broken)
    with pytest.raises(MemoryError):
        model.fit_path(X, Y, CS)
    assert model.C == 7.0
    np.testing.assert_array_equal(model.decision_function(X), before)


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
def test_wrong_Cs(Cs, message):
    with pytest.raises(ValueError, match=message):
        LASVC().fit_path(X, Y, Cs)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"algorithm": "lasvm-nc"}, "algorithm must be .* got 'lasvm-nc'"),
        ({"algorithm": "lasvm-i"}, "algorithm must be .* got 'lasvm-i'"),
        ({"window_size": 20}, "window_size=20"),
        ({"finishing": False}, "finishing=True"),
        ({"tol": -1.0}, "tol"),
    ],
    ids=lambda value: next(iter(value.items()))[0] if isinstance(value, dict) else "",
)
def test_parameters_without_a_path_are_rejected(parameters, message):
    model = LASVC(**parameters)
    with pytest.raises(ValueError, match=message):
        model.fit_path(X, Y, CS)
    assert model.C == 1.0


@pytest.mark.parametrize("kind", [ActiveLASVC, VirtualLASVC])
def test_only_LASVC_has_a_path(kind):
    with pytest.raises(AttributeError, match=f"{kind.__name__} has no fit_path: use LASVC"):
        kind().fit_path  # noqa: B018
