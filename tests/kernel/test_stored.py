"""Stored models: validation on loading, and version warnings."""

import copy
import os
import pickle
import re
import warnings
from collections import Counter
from dataclasses import asdict, fields

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError

from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    RampSVC,
    _persistent,
)
from sklearn_online_svm._core.stored import Stored
from sklearn_online_svm.active import MarginQuery, RandomQuery
from sklearn_online_svm.kernel._engine import EngineSpec, SolverSpec
from sklearn_online_svm.linear._update_spec import UpdateSpec
from tests.support import damage


@pytest.fixture(scope="module")
def stored():
    """Map names to the model, samples to continue with, and its state."""
    return {
        name: (model, X, y, model.__getstate__())
        for name, (model, X, y) in damage.models().items()
    }


def changed(state, path, value):
    """Copy of a state with another value at ``path``; a function is given the old one."""
    path = [int(key) if key.isdigit() else key for key in path.split(".")]
    return damage.damaged(state, path, value if callable(value) else lambda _: value)


def entry(place, value):
    """Put a value into an array."""

    def put(array):
        array = np.array(array)
        array[place] = value
        return array

    return put


# -- damage, at random ---------------------------------------------------------------------------


REFUSALS = (
    r"The stored model is damaged: \w|The stored model has an unknown format: \w|"
    # What ``resume`` compares.
    r"resume needs the data of|\w+ cannot change between an interrupt and resume|"
    r"y contains labels that are not"
)


def check_outcomes(outcomes, n_cases):
    bad = [outcome for outcome in outcomes if outcome[2] not in ("works", "refused")]
    assert not bad, "\n".join(map(str, bad))
    counts = Counter(outcome[2] for outcome in outcomes)
    assert sum(counts.values()) == n_cases
    # Some damage is none, such as another alpha within its box.
    assert counts["refused"] > 0.5 * n_cases and counts["works"] > 0.2 * n_cases, counts
    for _, what, outcome, message in outcomes:
        if outcome == "refused":
            assert re.match(REFUSALS, message), (what, message)


@pytest.mark.skipif(os.name == "nt", reason="a hang is ended by a clock that Windows has not")
def test_damaged_states_are_refused_or_work(global_random_seed):
    """Damaged models are loaded, used and continued in a separate process."""
    check_outcomes(damage.try_cases(0, 1500, global_random_seed), 1500)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a hang is ended by a clock that Windows has not")
def test_many_damaged_states_are_refused_or_work(global_random_seed):
    check_outcomes(damage.try_cases(0, 40_000, 1000 + global_random_seed), 40_000)


def test_crashes_and_hangs_are_detected(monkeypatch, tmp_path):
    """Checks that the test above can fail."""
    script = tmp_path / "tests" / "support" / "damage.py"
    script.parent.mkdir(parents=True)
    (tmp_path / "tests" / "__init__.py").touch()
    (tmp_path / "tests" / "support" / "__init__.py").touch()
    script.write_text(
        "import json, os, signal, sys\n"
        "for number in range(int(sys.argv[1]), int(sys.argv[2])):\n"
        "    print(json.dumps([number, 'case']), flush=True)\n"
        "    if number == 1: os.kill(os.getpid(), signal.SIGSEGV)\n"
        "    if number == 3: os.kill(os.getpid(), signal.SIGPROF)\n"
        "    print(json.dumps(['works', '']), flush=True)\n"
    )
    monkeypatch.setattr(damage, "ROOT", tmp_path)
    outcomes = damage.try_cases(0, 5, 0)
    assert [o[2] for o in outcomes] == ["works", "crashes", "works", "hangs", "works"]


# -- damage, field by field ----------------------------------------------------------------------

ENGINE, PROBLEM, STORE = "_engine", "_engine.problems.0", "_engine.store"

# Model, place, what is put there: each ended the process, hung it, or raised an error of another
# kind, before states were checked.
DAMAGE = [
    ("lasvm", f"{PROBLEM}.alpha", lambda a: a[:0]),
    ("lasvm", f"{PROBLEM}.alpha", lambda a: a.astype(np.float32)),
    ("lasvm", f"{PROBLEM}.alpha", entry(3, np.nan)),
    ("lasvm", f"{PROBLEM}.alpha", entry(3, 1e9)),
    ("lasvm", f"{PROBLEM}.g", entry(3, np.inf)),
    ("lasvm", f"{PROBLEM}.lower", entry(3, np.nan)),
    ("lasvm", f"{PROBLEM}.bound", entry(3, 7.0)),
    ("lasvm", f"{PROBLEM}.diag", entry(3, 1e-30)),
    ("lasvm", f"{PROBLEM}.up", entry(slice(None), 1)),
    ("lasvm", f"{PROBLEM}.down", entry(slice(None), 1)),
    ("lasvm", f"{PROBLEM}.y", lambda a: -a),
    ("lasvm", f"{PROBLEM}.region", entry(3, 99)),
    ("lasvm", f"{PROBLEM}.index", entry(3, 2**31 - 1)),
    ("lasvm, 3 classes", f"{PROBLEM}.index", entry(3, -1)),
    ("lasvm", f"{PROBLEM}.row_id", entry(3, -7)),
    ("lasvm", f"{PROBLEM}.alive", entry(3, 2)),
    ("lasvm", f"{PROBLEM}.origin", entry(3, 3)),
    ("lasvm", f"{PROBLEM}.target", entry(3, np.inf)),
    ("lasvm", f"{PROBLEM}.free_slots", entry(slice(None), 10**6)),
    ("lasvm", f"{PROBLEM}.free_slots", lambda a: np.full_like(a, a[0])),
    ("lasvm", f"{PROBLEM}.zeros", entry(slice(None), 10**6)),
    ("lasvm", f"{PROBLEM}.zero_place", entry(slice(None), 10**6)),
    ("lasvm", f"{PROBLEM}.counts", lambda a: a + 10**6),
    ("lasvm", f"{PROBLEM}.counts", entry(2, 10**6)),
    ("lasvm", f"{PROBLEM}.scalars", lambda a: a[:2]),
    ("lasvm", f"{PROBLEM}.counters", entry(0, -1)),
    ("lasvm-g", f"{PROBLEM}.moments", lambda a: a[:2]),
    ("lasvm-g", f"{PROBLEM}.flow", lambda a: a[0]),
    ("lasvm", f"{STORE}.tiles", lambda a: a[:-1]),
    ("lasvm", f"{STORE}.norms", lambda a: a[:0]),
    ("lasvm", f"{STORE}.norms", entry(3, -1e9)),
    ("lasvm, sparse", f"{STORE}.indices", entry(3, 2**31 - 1)),
    ("lasvm, sparse", f"{STORE}.indices", lambda a: a[::-1]),
    ("lasvm, sparse", f"{STORE}.start", entry(3, 2**40)),
    ("lasvm, sparse", f"{STORE}.start", entry(3, -(2**40))),
    ("lasvm, sparse", f"{STORE}.length", entry(3, -4)),
    ("lasvm, sparse", f"{STORE}.length", entry(slice(None), 400)),
    ("lasvm, sparse", f"{STORE}.data", lambda a: a[:-1]),
    ("lasvm, callable", f"{STORE}.rows", lambda a: a[:, :-1]),
    ("lasvm, precomputed", f"{STORE}.ids", entry(3, 10**6)),
    ("lasvm", f"{ENGINE}.n_slots", 2**40),
    ("lasvm", f"{ENGINE}.n_slots", -5),
    ("lasvm, 3 classes", f"{ENGINE}.references", entry(0, 0)),
    ("lasvm, 3 classes", f"{ENGINE}.free_slots", lambda a: np.append(a, 10**9)),
    ("lasvm, 3 classes", f"{ENGINE}.slot_labels", entry(0, 1000)),
    ("lasvm", f"{ENGINE}.n_evaluations", None),
    ("lasvm", f"{ENGINE}.problems", lambda problems: problems * 2),
    ("lasvm", f"{ENGINE}.store", None),
    ("lasvm", "_spec.n_features", 10**6),
    ("lasvm", "_spec.n_problems", 2**40),
    ("lasvm", "_spec.dtype", "float32"),
    ("lasvm", "_spec.layout", "sparse"),
    ("lasvm", "_spec.kernel", "poly"),
    ("lasvm", "_spec.degree", 10**30),
    ("lasvm", "_spec.gamma", np.nan),
    ("lasvm", "_spec.cache_size", np.inf),
    ("lasvm", "_spec.solver", {}),
    ("lasvm", "_spec.solver.tol", -1.0),
    ("lasvm", "_spec.solver.algorithm", "lasvm-x"),
    ("lasvm", "n_features_in_", 3),
    ("lasvm", "n_samples_seen_", 1),
    ("lasvm", "classes_", lambda a: a[:1]),
    ("lasvm", "classes_", lambda a: a[::-1]),
    ("lasvm", "_class_counts", lambda a: a[:1]),
    ("pa", "_state.arrays.coef", lambda a: a[:, :2]),
    ("pa", "_state.arrays.coef", lambda a: a.astype(np.float32)),
    ("pa", "_state.arrays.coef", entry((0, 0), np.nan)),
    ("pa", "_state.arrays.intercept", lambda a: a[:0]),
    ("pa", "_state.arrays", {}),
    ("pa", "_state.shape", (1, 2**40)),
    ("pa", "_state.dtype", "float32"),
    ("pa", "_state.moved.counts", lambda a: a[:0]),
    ("pa", "_state.moved.n_rows", 2**70),
    ("pa", "_state.method.rule.name", "insensitive"),
    ("pa regressor", "_state.method.rule.name", "hinge"),
    ("pa, average", "_state.method.average_from", None),
    ("pa, average", "_state.arrays.coef_sums", lambda a: a[:1]),
    ("pa, thin", "_state.thin.indices", entry(0, 2**31 - 1)),
    ("pa, thin", "_state.thin.indptr", lambda a: a + 7),
    ("pa", "classes_", lambda a: np.arange(5)),
    ("scw, full", "_state.arrays.covariance", lambda a: a[:, :2]),
    ("arow", "_state.arrays.variances", entry((0, 0), -1.0)),
    ("costs of pairs", "_state.method.target_margins.pairs", lambda a: a[:1, :1]),
    ("lasvm, settled", f"{PROBLEM}.settled_alpha", lambda a: a[:-1]),
    ("lasvm, settled", f"{PROBLEM}.settled_alpha", entry(3, 1e9)),
    ("lasvm, settled", f"{PROBLEM}.settled_g", lambda a: a.astype(np.float32)),
    ("lasvm-g, settled", f"{PROBLEM}.settled_numbers", lambda a: a[:2]),
    ("lasvm, settled", f"{PROBLEM}.settled_counts", lambda a: a[:0]),
    ("lasvm, far", "_spec.offset", lambda a: a[:-1]),
    ("lasvm, far", "_spec.offset", entry(0, np.nan)),
    ("lasvm, far", f"{STORE}.norms", entry(3, 0.0)),
    ("lasvm, far, sparse", f"{STORE}.norms", entry(3, 0.0)),
    ("lasvm, far", f"{PROBLEM}.diag", entry(3, 1e9)),
    ("lasvm, far, sparse", f"{PROBLEM}.diag", entry(3, 1e9)),
    ("labels", "_seen.predicted", lambda a: a[:-1]),
    ("labels", "_seen.answers", entry(0, 99)),
    ("labels", "_seen.predicted", entry(0, -1)),
    ("labels", "_seen.taught", None),
    ("labels", "estimator_", None),
    ("labels", "query_strategy_", None),
    ("labels, names, 3 classes", "classes_", lambda a: np.resize(a, 9)),
    ("labels, interrupted", "_unfinished.codes", entry(0, 99)),
    ("labels, interrupted", "_unfinished.n_done", 10**6),
    ("labels, interrupted", "_unfinished.classes", lambda a: a[:1]),
    ("rule", "_asker.random", -1),
    ("rule", "_asker.n_rows", 2**70),
    ("rule", "_asker.log_half", np.nan),
]


CONTRADICTED = {
    f"{ENGINE}.n_slots",
    f"{ENGINE}.slot_labels",
    f"{PROBLEM}.counts",
    f"{PROBLEM}.free_slots",
    f"{PROBLEM}.up",
    "_spec.dtype",
    "_spec.layout",
    "_spec.kernel",
    "_state.dtype",
    "_state.method.average_from",
    "classes_",
    "n_features_in_",
}


@pytest.mark.parametrize(
    ("name", "place", "value"), DAMAGE, ids=[f"{i}-{d[0]}-{d[1]}" for i, d in enumerate(DAMAGE)]
)
def test_damage_is_rejected_by_name(stored, name, place, value):
    """The error names the field, or a field that contradicts it."""
    model, _, _, state = stored[name]
    with pytest.raises(ValueError, match="The stored model is damaged: ") as caught:
        damage.loaded(type(model), changed(state, place, value))
    named = str(caught.value).removeprefix("The stored model is damaged: ").split(" ")[0]
    field = re.sub(r"\.(\d+)", r"[\1]", place)
    # Where two fields contradict each other, the other one may be named.
    assert named.startswith(field) or place in CONTRADICTED, named


@pytest.mark.parametrize(
    ("name", "place"),
    [("lasvm", "_engine"), ("lasvm", "_engine.store"), ("lasvm", "_engine.problems.0"),
     ("lasvm-g", "_engine.problems.0"), ("lasvm", "_spec"), ("lasvm", "_spec.solver"),
     ("lasvm, sparse", "_engine.store"), ("pa", "_state"), ("pa", "_state.method"),
     ("pa", "_state.moved"), ("local", "_state"), ("local, sparse, 3 classes, average", "_state"),
     ("local", "_state.method.local"), ("local", "_state.arrays"), ("arow", "_state.arrays"),
     ("costs", "_state.method.target_margins"),
     ("rule", "_asker")],
)  # fmt: skip
def test_missing_and_unknown_fields_are_rejected(stored, name, place):
    model, _, _, state = stored[name]
    inner = state
    for key in place.split("."):
        inner = inner[int(key) if key.isdigit() else key]
    optional = {"format", "intercept_scaling", "sign", "root", "relative", "counted", "running"}
    optional |= {"eta_ratio", "local"}
    for field in inner.keys() - optional:
        with pytest.raises(ValueError, match=rf"damaged: \S*\b{field} is missing"):
            damage.loaded(type(model), changed(state, f"{place}.{field}", lambda _: damage._GONE))
    with pytest.raises(ValueError, match="new is none of the fields known"):
        damage.loaded(type(model), changed(state, place, lambda old: {**old, "new": 1}))


FORMATS = [
    *[("lasvm", "format"), ("pa", "format"), ("rule", "format"), ("labels", "format")],
    *[("lasvm", "_engine.format"), ("rule", "_asker.format")],
]


@pytest.mark.parametrize(("name", "place"), FORMATS)
@pytest.mark.parametrize("found", [0, 999, "1", None, True])
def test_unknown_format_is_rejected(stored, name, place, found):
    model, _, _, state = stored[name]
    with pytest.raises(ValueError, match=rf"unknown format: {place} is {found!r}, this"):
        damage.loaded(type(model), changed(state, place, found))


@pytest.mark.parametrize(("name", "place"), FORMATS)
def test_a_state_without_a_format_is_refused(stored, name, place):
    model, _, _, state = stored[name]
    with pytest.raises(ValueError, match=f"damaged: {place} is missing"):
        damage.loaded(type(model), changed(state, place, lambda _: damage._GONE))


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("lasvm-g, chunk, cut", "n_labels", lambda _: damage._GONE),
        ("lasvm-g, chunk, cut", "first", lambda _: damage._GONE),
        ("ramp, 3 classes, cut", "random", -3),
        ("lasvm, 3 classes, cut", "random", None),
        ("lasvm, 3 classes, cut", "n_done", lambda _: damage._GONE),
    ],
)
def test_damaged_checkpoint_is_rejected_by_name(stored, name, place, value):
    model, X, y, state = stored[name]
    model = damage.loaded(type(model), changed(state, f"_interrupted.at.{place}", value))
    with pytest.raises(ValueError, match=rf"damaged: _interrupted\.at\.{place} "):
        model.resume(X, y)


def test_rejected_state_leaves_the_target_model_unchanged(stored):
    model, X, _, state = stored["lasvm"]
    before = model.decision_function(X)
    loaded = damage.loaded(LASVC, state)
    with pytest.raises(ValueError, match="damaged"):
        loaded.__setstate__(changed(state, f"{PROBLEM}.alpha", lambda a: a[:1]))
    assert_array_equal(loaded.decision_function(X), before)
    assert_array_equal(model.decision_function(X), before)


def test_specs_are_restored_with_every_field():
    """A field that is not restored would silently have its default value."""
    other = {str: "lasvm-i", float: 0.25, bool: False, int: 77}
    limits = {"most_members": 7, "window_size": 9, "closest": 0.5}
    solver = SolverSpec(
        **{f.name: limits.get(f.name) or other[type(f.default)] for f in fields(SolverSpec)}
    )
    assert all(getattr(solver, f.name) != f.default for f in fields(SolverSpec))
    assert SolverSpec.from_state(Stored(asdict(solver))) == solver
    spec = EngineSpec(7, 3, "float32", "sparse", "poly", 5, 0.5, 2.0, 3.0, solver)
    assert EngineSpec.from_state(Stored(spec.as_dict()), 7, 3) == spec
    method = UpdateSpec(
        {"name": "squared_hinge", "C": 3.0},
        {"positive": 2.0, "sign": -1.0, "root": True, "counted": True},
        fit_intercept=False,
        start_variance=0.5,
        crammer_singer=True,
        average_from=3,
        local={"n_prototypes": 4, "n_neighbors": 2, "lam": 0.5},
    )
    assert UpdateSpec.from_state(Stored(dict(vars(method))), (3, 5), 3) == method


# -- what may be loaded --------------------------------------------------------------------------


def test_every_model_can_be_restored(stored):
    for name, (model, X, y, state) in stored.items():
        assert ("far" in name) == (state.get("_spec", {}).get("offset") is not None)
        assert not ("settled" in name and "settled_g" not in state["_engine"]["problems"][0])
        assert ("interrupted" in name) == ("_unfinished" in state)
        again = pickle.loads(pickle.dumps(model))
        damage.use(again, X, y)


def test_other_byte_orders_and_layouts_are_accepted(stored):
    """As in pickles from other platforms."""
    model, X, y, state = stored["lasvm"]
    for field in ("alpha", "index", "row_id", "diag"):
        place = f"{PROBLEM}.{field}"
        swapped = changed(state, place, lambda a: a.astype(a.dtype.newbyteorder()))
        strided = changed(swapped, place, lambda a: np.repeat(a, 2)[::2])
        for damaged in (swapped, strided):
            loaded = damage.loaded(LASVC, damaged)
            assert_array_equal(loaded.decision_function(X), model.decision_function(X))
            loaded.partial_fit(X, y)


@pytest.mark.parametrize("name", ["lasvm", "lasvm, sparse", "lasvm, callable"])
def test_arrays_of_a_memory_map_are_not_copied(stored, name, tmp_path):
    model, X, y, _ = stored[name]
    joblib.dump(model, tmp_path / "model.joblib")
    loaded = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    store, members = loaded._engine.store, loaded._engine.problems[0].members
    held = {"lasvm": "tiles_array", "lasvm, sparse": "data_array", "lasvm, callable": "rows_array"}
    for array in (getattr(store, held[name]), members["alpha"]):
        assert not array.flags.writeable and not array.flags.owndata
    before = model.decision_function(X)
    assert_array_equal(loaded.decision_function(X), before)
    whole = copy.deepcopy(model).partial_fit(X, y)
    assert_array_equal(loaded.partial_fit(X, y).decision_function(X), whole.decision_function(X))
    again = joblib.load(tmp_path / "model.joblib")
    assert_array_equal(again.decision_function(X), before)


def test_failed_fit_is_repeated_after_loading():
    """With the same random numbers; NumPy would follow a broken state of them."""
    X, y = np.random.RandomState(0).normal(size=(60, 2)), np.arange(60) % 2
    asked = []

    def oracle(i):
        asked.append(i)
        if len(asked) == 5:
            raise RuntimeError
        return y[i]

    model = LabelEfficientClassifier(query_strategy=RandomQuery(0.5))
    with pytest.raises(RuntimeError):
        model.fit(X, oracle=oracle, classes=[0, 1])
    state = model.__getstate__()
    loaded = pickle.loads(pickle.dumps(model))
    for repeated in (model, loaded):
        repeated.fit(X, oracle=lambda i: y[i], classes=[0, 1])
    assert_array_equal(loaded.queried_, model.queried_)
    assert_array_equal(loaded.estimator_.coef_, model.estimator_.coef_)
    for place, value in [
        ("state.key", np.zeros(3, np.uint32)),
        ("state.key", None),
        ("state.pos", 10**9),
        ("state.pos", -1),
        ("bit_generator", "x"),
        ("has_gauss", "x"),
    ]:
        damaged = changed(state, f"_unfinished.chance.start.{place}", value)
        with pytest.raises(ValueError, match=r"damaged: _unfinished\.chance\.start\S* must"):
            damage.loaded(LabelEfficientClassifier, damaged)


def test_sparse_coef_is_restored():
    X = sparse.random(50, 30, 0.2, format="csr", random_state=0)
    model = PassiveAggressiveClassifier().fit(X, np.arange(50) % 2).sparsify()
    loaded = pickle.loads(pickle.dumps(model))
    assert sparse.issparse(loaded.coef_) and loaded.coef_.shape == (1, 30)
    assert_array_equal(loaded.decision_function(X), model.decision_function(X))


# -- versions ------------------------------------------------------------------------------------


def estimators():
    """Fitted and not, of each kind."""
    X, y = np.random.RandomState(0).normal(size=(40, 2)), np.arange(40) % 2
    rule = RandomQuery(random_state=0)
    rule.update(X[:, 0], rule.query(X[:, 0]))
    return [
        LASVC(),
        LASVC().fit(X, y),
        RampSVC().fit(X, y),
        AROWClassifier().fit(X, y),
        PassiveAggressiveClassifier(),
        MarginQuery(),
        rule,
        LabelEfficientClassifier(random_state=0).fit(X, y),
    ]


@pytest.fixture(params=estimators(), ids=lambda model: type(model).__name__)
def model(request):
    return request.param


def test_the_same_versions_are_silent(model, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
            assert again.get_params().keys() == model.get_params().keys()
            assert not [name for name in vars(again) if "version" in name]
        clone(model)
        joblib.dump(model, tmp_path / "model")
        joblib.load(tmp_path / "model")


def stored_by(model, monkeypatch, package=None, sklearn=None):
    with monkeypatch.context() as patch:
        if package is not None:
            patch.setattr(_persistent, "__version__", package)
        if sklearn is not None:
            patch.setattr(_persistent.sklearn, "__version__", sklearn)
        return pickle.dumps(model)


def test_another_version_of_the_package_warns(model, monkeypatch):
    data = stored_by(model, monkeypatch, package="0.0.7")
    with pytest.warns(InconsistentVersionWarning, match=r"sklearn-online-svm 0\.0\.7") as caught:
        pickle.loads(data)
    warning = caught[-1].message
    assert warning.estimator_name == type(model).__name__
    assert warning.package == "sklearn-online-svm"
    assert warning.original_version == "0.0.7"
    assert warning.current_version == _persistent.__version__
    assert warning.original_sklearn_version == warning.current_sklearn_version
    assert warning.current_version in str(warning)


def test_another_version_of_scikit_learn_warns(model, monkeypatch):
    data = stored_by(model, monkeypatch, sklearn="1.2.99")
    with pytest.warns(InconsistentVersionWarning, match=r"scikit-learn 1\.2\.99") as caught:
        pickle.loads(data)
    warning = caught[-1].message
    assert warning.package == "scikit-learn" and warning.original_sklearn_version == "1.2.99"
    assert warning.current_sklearn_version == _persistent.sklearn.__version__


def test_a_model_without_a_version_warns_once(model):
    state = model.__getstate__()
    for name in ("_package_version", "_sklearn_version"):
        del state[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        again = damage.loaded(type(model), state)
    assert [type(w.message) for w in caught] == [_persistent.InconsistentPackageWarning]
    assert "of unknown version" in str(caught[0].message)
    assert again.get_params().keys() == model.get_params().keys()


def test_model_without_state_is_not_fitted(stored):
    model, X, _, state = stored["pa"]
    loaded = damage.loaded(type(model), changed(state, "_state", lambda _: damage._GONE))
    with pytest.raises(NotFittedError):
        loaded.predict(X)
