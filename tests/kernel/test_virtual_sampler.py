"""VirtualSampler: over-sampling with the interface of imbalanced-learn."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, RampSVC
from sklearn_online_svm.datasets import make_waveform
from tests.support import ROOT
from tests.support.internals import Kernel
from tests.support.samples import three_classes

imblearn = pytest.importorskip("imblearn", reason="VirtualSampler needs imbalanced-learn")

from imblearn.pipeline import make_pipeline as make_sampling_pipeline  # noqa: E402
from imblearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from sklearn_online_svm import VirtualSampler  # noqa: E402

X, Y = make_waveform(440, imbalance_ratio=10, random_state=0)
RARE = np.flatnonzero(Y == 1)
MACHINES = [
    None,
    LASVC(C=10.0, gamma=0.05),
    LASVC(algorithm="lasvm-g", kernel="poly"),
    LASVC(kernel="linear"),
    RampSVC(),
    SVC(),
    SVC(kernel="sigmoid"),
]


# The checks call it twice and require the same points, hence a fixed random_state.
@pytest.mark.sampled
@parametrize_with_checks(
    [VirtualSampler(random_state=0), VirtualSampler(estimator=SVC(), random_state=0)]
)
def test_imbalanced_learn(estimator, check):
    check(estimator)


def new_rows(sampler, X, y):
    X_more, y_more = sampler.fit_resample(X, y)
    n = len(y)
    assert_array_equal(np.asarray(X_more[:n]), X)
    assert_array_equal(y_more[:n], y)
    return X_more[n:], y_more[n:]


def assert_on_segments(points, ends, X):
    first, second = X[ends[:, 0]], X[ends[:, 1]]
    along = first - second
    share = ((points - second) * along).sum(axis=1) / (along**2).sum(axis=1)
    assert ((share > 0) & (share < 1)).all()
    assert_allclose(points, second + share[:, None] * along, atol=1e-12)


@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_points_between_support_vectors_and_their_neighbors(machine, global_random_seed):
    sampler = VirtualSampler(n_neighbors=3, estimator=machine, random_state=global_random_seed)
    points, labels = new_rows(sampler, X, Y)
    assert len(points) == (Y == -1).sum() - len(RARE)
    assert (labels == 1).all()
    assert_on_segments(points, sampler.ends_, X)
    parents, others = sampler.ends_.T
    support = np.intersect1d(sampler.estimator_.support_, RARE)
    assert_array_equal(np.unique(parents), support)
    K = Kernel.from_classifier(sampler.estimator_, "the test")(X[RARE], X[RARE])
    distance = K.diagonal()[:, None] + K.diagonal() - 2 * K
    np.fill_diagonal(distance, np.inf)
    nearest = RARE[np.argsort(distance, axis=1)[:, :3]]
    assert (nearest[np.searchsorted(RARE, parents)] == others[:, None]).any(axis=1).all()
    # The points are distributed evenly.
    counts = np.unique(parents, return_counts=True)[1]
    assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize("machine", [None, LASVC(), SVC()], ids=str)
def test_random_state_is_reproducible(machine):
    def draw(seed):
        return VirtualSampler(estimator=machine, random_state=seed).fit_resample(X, Y)[0]

    assert_array_equal(draw(0), draw(0))
    assert (draw(0) != draw(1)).any()
    assert (draw(None) != draw(None)).any()


def test_estimator_is_seeded_only_if_it_has_no_seed():
    own = make_pipeline(StandardScaler(), LASVC(random_state=7))
    assert VirtualSampler(estimator=own, random_state=0).fit(X, Y) is not None
    sampler = VirtualSampler(estimator=own, random_state=0)
    sampler.fit_resample(X, Y)
    assert sampler.estimator_[-1].random_state == 7
    sampler = VirtualSampler(estimator=make_pipeline(StandardScaler(), LASVC()), random_state=0)
    sampler.fit_resample(X, Y)
    assert isinstance(sampler.estimator_[-1].random_state, int)
    assert sampler.estimator[-1].random_state is None


@pytest.mark.parametrize(
    ("strategy", "n_points"),
    [("auto", 360), ("minority", 360), ("all", 360), (0.5, 160), ({1: 55}, 15), ({1: 40}, 0)],
    ids=str,
)
def test_number_of_points_per_strategy(strategy, n_points):
    sampler = VirtualSampler(strategy, random_state=0)
    points, _ = new_rows(sampler, X, Y)
    assert len(points) == len(sampler.ends_) == n_points


def test_few_points_belong_to_different_support_vectors():
    sampler = VirtualSampler({1: len(RARE) + 15}, random_state=0)
    sampler.fit_resample(X, Y)
    assert len(np.unique(sampler.ends_[:, 0])) == 15


def test_n_virtual_limits_points_per_support_vector():
    sampler = VirtualSampler(n_virtual=2, random_state=0)
    sampler.fit_resample(X, Y)
    support = np.intersect1d(sampler.estimator_.support_, RARE)
    assert_array_equal(
        np.unique(sampler.ends_[:, 0], return_counts=True), [support, 2 + 0 * support]
    )
    few = VirtualSampler({1: len(RARE) + 3}, n_virtual=2, random_state=0)
    assert len(few.fit_resample(X, Y)[0]) == len(X) + 3


def test_several_classes():
    X, y = three_classes(240)
    names = np.array(["zebra", "lynx", "ant"])[y // 10 - 1]
    sampler = VirtualSampler(random_state=0)
    points, labels = new_rows(sampler, X, names)
    values, counts = np.unique(np.append(names, labels), return_counts=True)
    assert_array_equal(values, ["ant", "lynx", "zebra"])
    assert (counts == (names == "zebra").sum()).all()
    assert_on_segments(points, sampler.ends_, X)
    for end in sampler.ends_.T:
        assert_array_equal(names[end], labels)
    only = VirtualSampler({"ant": 80}, random_state=0)
    _, labels = new_rows(only, X, names)
    assert set(labels) == {"ant"}


def test_pipeline_finds_neighbors_in_the_transformed_space():
    wide = X * np.logspace(-3, 3, X.shape[1])
    machine = make_pipeline(StandardScaler(), LASVC(gamma=0.05))
    sampler = VirtualSampler(estimator=machine, random_state=0)
    points, _ = new_rows(sampler, wide, Y)
    scaled = VirtualSampler(estimator=LASVC(gamma=0.05), random_state=0)
    scale = StandardScaler().fit(wide)
    expected, _ = new_rows(scaled, scale.transform(wide), Y)
    assert_array_equal(sampler.ends_, scaled.ends_)
    assert_allclose(scale.transform(points), expected, atol=1e-9)


def test_pipeline_with_data_frame_output():
    pytest.importorskip("pandas")
    plain = make_pipeline(StandardScaler(), LASVC())
    framed = make_pipeline(StandardScaler().set_output(transform="pandas"), LASVC())
    found = [
        VirtualSampler(estimator=machine, random_state=0).fit_resample(X, Y)[0]
        for machine in (plain, framed)
    ]
    assert_array_equal(*found)


def test_a_search():
    search = GridSearchCV(LASVC(random_state=0), {"C": [1, 10]}, cv=2)
    sampler = VirtualSampler(estimator=search, random_state=0)
    points, _ = new_rows(sampler, X, Y)
    assert_on_segments(points, sampler.ends_, X)


def test_in_a_pipeline():
    model = make_sampling_pipeline(
        StandardScaler(), VirtualSampler(random_state=0), LogisticRegression()
    )
    plain = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
    recall = [m.predict(X[RARE]).mean() for m in (plain, model.fit(X, Y))]
    assert recall[1] > recall[0]
    assert model[1].get_params()["n_neighbors"] == 5
    assert clone(model[1]).random_state == 0


# -- types of input ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.uint16, bool])
def test_integer_input_gives_floats(kind):
    whole = np.rint(3 * X + 10).clip(0).astype(kind)
    if kind is bool:
        whole = X > 1
    points, _ = VirtualSampler(random_state=0).fit_resample(whole, Y)
    assert points.dtype == np.float64
    assert (points[len(X) :] % 1 != 0).any()
    assert_array_equal(points[: len(X)], whole)
    thin, _ = VirtualSampler(random_state=0).fit_resample(sparse.csr_matrix(whole), Y)
    assert_array_equal(thin.toarray(), points)


def test_frames():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    frame["x0"] = np.rint(3 * X[:, 0]).astype(int)
    frame["x1"] = (X[:, 1] > 1).astype("int8")
    frame["x2"] = frame["x2"].astype("float32")
    labels = pd.Series(np.where(Y == 1, "rare", "usual"), name="kind")
    sampler = VirtualSampler(random_state=0)
    more, more_labels = sampler.fit_resample(frame, labels)
    assert list(more.columns) == list(frame.columns) == list(sampler.feature_names_in_)
    assert more_labels.name == "kind"
    assert [str(kind) for kind in more.dtypes[:4]] == ["float64", "float64", "float32", "float64"]
    values, ends = more.to_numpy(dtype=np.float64), sampler.ends_
    found = values[len(X) :]
    given = frame.to_numpy(dtype=np.float64)
    share = (found[:, 3] - given[ends[:, 1], 3]) / (given[ends[:, 0], 3] - given[ends[:, 1], 3])
    expected = share[:, None] * given[ends[:, 0]] + (1 - share)[:, None] * given[ends[:, 1]]
    assert_allclose(found, expected, atol=1e-5)
    assert frame.dtypes["x0"] == np.int64  # the input is not changed


def test_sparse_frames_of_integers():
    pd = pytest.importorskip("pandas")
    whole = sparse.csr_matrix(np.rint(X).clip(0).astype(int))
    frame = pd.DataFrame.sparse.from_spmatrix(whole)
    more, _ = VirtualSampler(random_state=0).fit_resample(frame, Y)
    expected, _ = VirtualSampler(random_state=0).fit_resample(whole, Y)
    assert_array_equal(more.to_numpy(), expected.toarray())


# -- errors -----------------------------------------------------------------------------


def test_class_with_too_few_samples():
    y = np.where(np.arange(len(Y)) < 5, "tiny", "large")
    with pytest.raises(ValueError, match=r"Class tiny has 5 samples, .*n_neighbors=5 requires 6"):
        VirtualSampler().fit_resample(X, y)
    more, _ = VirtualSampler(n_neighbors=4, random_state=0).fit_resample(X, y)
    assert len(more) > len(X)


@pytest.mark.parametrize(
    "machine",
    [
        LASVC(kernel="precomputed"),
        make_pipeline(StandardScaler(), SVC(kernel="precomputed")),
        GridSearchCV(LASVC(kernel="precomputed"), {"C": [1]}),
    ],
    ids=["plain", "pipeline", "search"],
)
def test_a_precomputed_kernel(machine):
    K = X @ X.T
    with pytest.raises(ValueError, match="kernel='precomputed' X holds kernel values"):
        VirtualSampler(estimator=machine).fit_resample(K, Y)


def test_an_estimator_without_support_vectors():
    with pytest.raises(TypeError, match="LogisticRegression has none"):
        VirtualSampler(estimator=LogisticRegression()).fit_resample(X, Y)


def test_class_without_support_vectors():
    class Blind(SVC):
        @property
        def support_(self):
            found = self.__dict__["support_"]
            return found[found >= len(RARE)] if len(found) else found

        @support_.setter
        def support_(self, found):
            self.__dict__["support_"] = found

    order = np.argsort(-Y, kind="stable")
    with pytest.raises(ValueError, match="No sample of class 1 is a support vector of Blind"):
        VirtualSampler(estimator=Blind()).fit_resample(X[order], Y[order])


@pytest.mark.parametrize(
    "bad",
    [dict(n_neighbors=0), dict(n_virtual=0), dict(estimator=3), dict(n_virtual=1.5)],
    ids=str,
)
def test_bad_parameters(bad):
    (name,) = bad
    with pytest.raises(ValueError, match=f"The '{name}' parameter of VirtualSampler"):
        VirtualSampler(**bad).fit_resample(X, Y)


def test_bad_parameters_of_the_estimator():
    """Steps with a negative tolerance do not end by themselves."""
    with pytest.raises(ValueError, match="The 'tol' parameter of LASVC"):
        VirtualSampler(estimator=LASVC(tol=-1.0)).fit_resample(X, Y)


def test_without_imbalanced_learn():
    """The package works without it; importing the sampler names what to install."""
    code = """
import sys
sys.modules["imblearn"] = None
import sklearn_online_svm
from sklearn_online_svm import *
assert "VirtualSampler" in dir(sklearn_online_svm)
try:
    from sklearn_online_svm import VirtualSampler
except ImportError as error:
    print(error)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "pip install 'sklearn-online-svm[imbalance]'" in result.stdout


def test_unknown_attribute_of_the_package():
    import sklearn_online_svm

    with pytest.raises(AttributeError, match="No sklearn_online_svm attribute Virtual"):
        _ = sklearn_online_svm.Virtual
