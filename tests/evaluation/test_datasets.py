"""Generators against their formulas, label noise, and the loader of the papers' sets."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix, issparse
from sklearn.svm import SVC
from sklearn.utils import Bunch

from sklearn_online_svm import datasets
from sklearn_online_svm.datasets import (
    flip_labels,
    load_paper_dataset,
    make_banana_like,
    make_waveform,
)

# ---------------------------------------------------------------------------
# make_waveform
# ---------------------------------------------------------------------------


def wave(which, j):
    """v_1, v_2, v_3 of the thesis, at one of the points 1, ..., 21."""
    shift = {1: 0, 2: -4, 3: 4}[which]
    return max(6 - abs(j + shift - 11), 0)


class NoNoise(np.random.RandomState):
    """Random numbers as usual, but the Gaussian noise is 0."""

    def standard_normal(self, size=None):
        return np.zeros(size)


def test_waveform_is_the_formula():
    """Without its noise each row is u v_a + (1 - u) v_b for one u in (0, 1)."""
    X, y, waveform = make_waveform(300, random_state=NoNoise(0), return_waveform=True)
    assert X.shape == (300, 21)
    shares = []
    for x, label, c in zip(X, y, waveform, strict=True):
        a, b = {1: (1, 2), 2: (1, 3), 3: (2, 3)}[c]
        assert label == (1 if c == 1 else -1)
        # u from the peak of the second wave, where the first one may be 0 or not.
        peak = {2: 15, 3: 7}[b]
        u = (x[peak - 1] - wave(b, peak)) / (wave(a, peak) - wave(b, peak))
        expected = [u * wave(a, j) + (1 - u) * wave(b, j) for j in range(1, 22)]
        assert_allclose(x, expected, atol=1e-12)
        shares.append(u)
    assert 0 < min(shares) < 0.1
    assert 0.9 < max(shares) < 1
    assert abs(np.mean(shares) - 0.5) < 0.06


def test_waveform_noise_has_unit_variance(global_random_seed):
    """Far from the three triangles only the noise is left (points 1 and 21)."""
    X, _ = make_waveform(20000, random_state=global_random_seed)
    assert_allclose(X[:, [0, 20]].mean(axis=0), 0, atol=0.04)
    assert_allclose(X[:, [0, 20]].std(axis=0), 1, atol=0.03)


@pytest.mark.parametrize(
    ("n_samples", "ratio", "n_positive"),
    [(4000, 2, 1333), (2750, 32, 83), (100, 1, 50), (101, 1 / 3, 76), (20, 1000, 1), (2, 2, 1)],
)
def test_waveform_imbalance_ratio(n_samples, ratio, n_positive):
    X, y = make_waveform(n_samples, imbalance_ratio=ratio, random_state=0)
    assert len(X) == len(y) == n_samples
    assert set(y.tolist()) == {-1, 1}
    assert (y == 1).sum() == n_positive


def test_waveform_negatives_are_both_other_classes(global_random_seed):
    _, y, waveform = make_waveform(6000, random_state=global_random_seed, return_waveform=True)
    assert_array_equal(y == 1, waveform == 1)
    counts = np.bincount(waveform, minlength=4)
    assert counts[1] == 2000
    assert abs(counts[2] - 2000) < 200  # more than six standard deviations


@pytest.mark.parametrize("make", [make_waveform, make_banana_like])
def test_generators_are_seeded_and_shuffled(make, global_random_seed):
    X, y = make(500, random_state=global_random_seed)
    X_same, y_same = make(500, random_state=np.random.RandomState(global_random_seed))
    X_other, _ = make(500, random_state=global_random_seed + 1)
    assert_array_equal(X, X_same)
    assert_array_equal(y, y_same)
    assert not np.array_equal(X, X_other)
    assert (np.diff(y) != 0).sum() > 100


@pytest.mark.parametrize("make", [make_waveform, make_banana_like])
@pytest.mark.parametrize("n_samples", [1, 0, -3, 2.5, "many"])
def test_generators_refuse_n_samples(make, n_samples):
    with pytest.raises(ValueError, match=f"n_samples must be .* got {n_samples!r}"):
        make(n_samples)


@pytest.mark.parametrize("ratio", [0, -1, np.inf, np.nan, "2", True])
def test_waveform_refuses_ratio(ratio):
    with pytest.raises(ValueError, match="imbalance_ratio must be a number greater than 0"):
        make_waveform(10, imbalance_ratio=ratio)


# ---------------------------------------------------------------------------
# make_banana_like
# ---------------------------------------------------------------------------


def test_banana_like_moments_and_share(global_random_seed):
    for noise in (0.0, 0.32, 1.0):
        X, y = make_banana_like(40000, noise=noise, random_state=global_random_seed)
        assert_allclose(X.mean(axis=0), 0, atol=0.03)
        assert_allclose(X.std(axis=0), 1, atol=0.02)
        assert (y == 1).sum() == 17932  # 44.83 %


def test_banana_like_error_resembles_banana(global_random_seed):
    X, y = make_banana_like(6000, random_state=global_random_seed)
    svc = SVC(C=316, gamma=0.5).fit(X[:2000], y[:2000])
    assert 0.075 < 1 - svc.score(X[2000:], y[2000:]) < 0.125


def test_banana_like_without_noise_is_separable():
    X, y = make_banana_like(400, noise=0, random_state=0)
    assert SVC(C=1e4, gamma=2.0).fit(X, y).score(X, y) == 1


def test_banana_like_refuses_noise():
    with pytest.raises(ValueError, match="noise must be a number of at least 0, got -0.1"):
        make_banana_like(10, noise=-0.1)


# ---------------------------------------------------------------------------
# flip_labels
# ---------------------------------------------------------------------------


@pytest.mark.parametrize("fraction", [0, 0.01, 0.1, 0.25, 1])
def test_flip_labels_count(fraction, global_random_seed):
    y = np.repeat([-1, 1], [140, 60])
    before = y.copy()
    noisy, mask = flip_labels(y, fraction, random_state=global_random_seed, return_mask=True)
    assert_array_equal(y, before)
    assert mask.sum() == round(200 * fraction)
    assert_array_equal(noisy, np.where(mask, -y, y))


def test_flip_labels_one_sided(global_random_seed):
    y = np.tile([-1, -1, 1], 50)
    noisy, mask = flip_labels(
        y, 0.4, from_label=1, random_state=global_random_seed, return_mask=True
    )
    assert mask.sum() == 20
    assert (y[mask] == 1).all()
    assert (noisy[mask] == -1).all()


def test_flip_labels_multiclass_strings(global_random_seed):
    y = np.array(["a", "bb", "ccc"] * 300)
    noisy = flip_labels(y, 1.0, random_state=global_random_seed)
    assert noisy.dtype == y.dtype
    assert (noisy != y).all()
    for label in "a", "bb", "ccc":
        _, counts = np.unique(noisy[y == label], return_counts=True)
        assert len(counts) == 2
        assert counts.min() > 100  # of 300 in two classes: nearly six standard deviations


def test_flip_labels_is_seeded():
    y = [0, 1] * 100
    assert_array_equal(flip_labels(y, 0.3, random_state=3), flip_labels(y, 0.3, random_state=3))
    assert (flip_labels(y, 0.3, random_state=3) != flip_labels(y, 0.3, random_state=4)).any()


@pytest.mark.parametrize(
    ("y", "kwargs", "message"),
    [
        ([[0, 1]], dict(fraction=0.1), "y must be one-dimensional, got shape (1, 2)"),
        ([1, 1], dict(fraction=0.1), "y must have at least two classes, got [1]"),
        ([0, 1], dict(fraction=1.5), "fraction must be a number of at least 0 and at most 1"),
        ([0, 1], dict(fraction=np.nan), "fraction must be a number"),
        ([0, 1], dict(fraction=0.5, from_label=2), "from_label must be one of [0, 1], got 2"),
    ],
)
def test_flip_labels_refuses(y, kwargs, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        flip_labels(y, **kwargs)


# ---------------------------------------------------------------------------
# load_paper_dataset: folders and files
# ---------------------------------------------------------------------------


def save(folder, name, value):
    """Write a set whose only training value tells which folder it came from."""
    folder.mkdir(exist_ok=True)
    np.savez(
        folder / f"{name}.npz",
        X_train=np.full((2, 3), value, dtype=np.uint8),
        y_train=np.array([-1, 1], dtype=np.int8),
    )
    return folder


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A checkout with ../shared/data, a folder for SOSVM_DATA and one for data_home."""
    package = tmp_path / "checkout" / "sklearn_online_svm"
    package.mkdir(parents=True)
    (tmp_path / "checkout" / "pyproject.toml").touch()
    (tmp_path / "shared").mkdir()
    monkeypatch.setattr(datasets, "__file__", str(package / "datasets.py"))
    monkeypatch.delenv("SOSVM_DATA", raising=False)

    def no_network(*args, **kwargs):
        raise OSError("no network in tests")

    monkeypatch.setattr(datasets, "fetch_openml", no_network)
    return tmp_path


def test_lookup_order(places, monkeypatch):
    save(places / "shared" / "data", "banana", 3)
    assert load_paper_dataset("banana").X_train[0, 0] == 3
    monkeypatch.setenv("SOSVM_DATA", str(save(places / "env", "banana", 2)))
    assert load_paper_dataset("banana").X_train[0, 0] == 2
    home = save(places / "home", "banana", 1)
    assert load_paper_dataset("banana", data_home=home).X_train[0, 0] == 1
    assert load_paper_dataset("banana", str(home)).X_train[0, 0] == 1
    # A folder without the file is passed over.
    empty = places / "empty"
    empty.mkdir()
    assert load_paper_dataset("banana", data_home=empty).X_train[0, 0] == 2
    # Beside an installed package nothing is looked for.
    monkeypatch.delenv("SOSVM_DATA")
    (places / "checkout" / "pyproject.toml").unlink()
    with pytest.raises(FileNotFoundError):
        load_paper_dataset("banana")


def test_dense_file(places):
    rng = np.random.RandomState(0)
    X = rng.randint(0, 256, size=(5, 4)).astype(np.uint8)
    np.savez(
        places / "mnist.npz",
        X_train=X,
        y_train=np.array([0, 1, 2, 2, 9], dtype=np.int8),
        X_test=X[:2],
        y_test=np.array([1, 0], dtype=np.int8),
        X_rest=X[2:],
        y_rest=np.array([0, 0, 0], dtype=np.int8),
        target_names=np.array(["zero", "one", "two", "nine"]),
        article_train=np.arange(5),
    )
    data = load_paper_dataset("mnist", places)
    assert isinstance(data, Bunch)
    assert_array_equal(data.X_train, X)
    assert data.X_train.dtype == data.X_test.dtype == data.X_rest.dtype == np.float32
    assert data.y_train.dtype == data.y_test.dtype == data.y_rest.dtype == np.int64
    assert data.target_names.tolist() == ["zero", "one", "two", "nine"]
    assert_array_equal(data.article_train, np.arange(5))
    assert "train: 5 rows, 4 features, dense float32" in data.DESCR
    assert "rows per class: 0: 1, 1: 1, 2: 2, 9: 1" in data.DESCR
    assert "test: 2 rows" in data.DESCR
    assert f"Source: the file {places / 'mnist.npz'}" in data.DESCR
    assert "MNIST" in data.DESCR


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_reals_keep_their_precision(places, dtype):
    X = np.linspace(0, 1, 6, dtype=dtype).reshape(3, 2)
    np.savez(places / "banana.npz", X_train=X, y_train=[1, -1, 1])
    data = load_paper_dataset("banana", places)
    assert data.X_train.dtype == dtype
    assert_array_equal(data.X_train, X)
    assert data.X_test is None
    assert data.y_test is None
    assert "test: none" in data.DESCR


def test_sparse_multilabel_file(places):
    X = csr_matrix(np.array([[0, 2, 0], [1, 0, 0], [0, 0, 3], [0, 0, 0]], dtype=np.uint8))
    Y = np.array([[1, 0], [1, 1], [0, 0], [0, 1]], dtype=np.uint8)
    np.savez(
        places / "reuters21578_modapte.npz",
        X_train_data=X.data,
        X_train_indices=X.indices,
        X_train_indptr=X.indptr,
        X_train_shape=X.shape,
        Y_train=Y,
        vocabulary=np.array([b"corn", b"ship", b"wheat"]),
    )
    data = load_paper_dataset("reuters21578_modapte", places)
    assert isinstance(data.X_train, csr_matrix)
    assert data.X_train.dtype == np.float32
    assert data.X_train.indices.dtype == np.int32
    assert_array_equal(data.X_train.toarray(), X.toarray())
    assert_array_equal(data.y_train, Y)
    assert data.feature_names.tolist() == ["corn", "ship", "wheat"]
    assert "sparse (CSR) float32" in data.DESCR
    assert "rows per class: 0: 2, 1: 2" in data.DESCR


def test_file_without_training_part(places):
    np.savez(places / "banana.npz", X=np.eye(2))
    with pytest.raises(ValueError, match=r"banana\.npz has no X_train; it has \['X'\]"):
        load_paper_dataset("banana", places)


def test_pickled_arrays_are_refused(places):
    np.savez(places / "banana.npz", X_train=np.array([{}, 1], dtype=object), y_train=[1, -1])
    with pytest.raises(ValueError, match="allow_pickle"):
        load_paper_dataset("banana", places)


# ---------------------------------------------------------------------------
# load_paper_dataset: what to do when there is no file
# ---------------------------------------------------------------------------


def test_unknown_name(places):
    with pytest.raises(ValueError, match="name must be one of 'abalone', .* got 'bananas'"):
        load_paper_dataset("bananas")


def test_missing_set_says_what_to_do(places, monkeypatch):
    monkeypatch.setenv("SOSVM_DATA", str(places / "env"))
    with pytest.raises(FileNotFoundError) as info:
        load_paper_dataset("usps", data_home=places / "home")
    message = str(info.value)
    for part in (
        "'usps' was not found",
        f"usps.npz: {places / 'home'}, {places / 'env'}, {places / 'shared' / 'data'};",
        "OpenML does not have it in the form of the papers",
        "pass the folder as data_home",
        "SOSVM_DATA",
    ):
        assert part in message


def test_failing_fetch_says_what_to_do(places):
    with pytest.raises(FileNotFoundError, match=r"'mnist_784' from OpenML failed \(no network"):
        load_paper_dataset("mnist")


def openml_bunch(name):
    """What fetch_openml(as_frame=False) gives: class labels are strings."""
    rng = np.random.RandomState(0)
    if name == "a9a":
        y = np.full(48842, "-1", dtype=object)
        y[:7841] = "1"
        y[32561 : 32561 + 3846] = "1"
        return Bunch(data=csr_matrix((48842, 123)), target=y)
    if name == "banana":
        return Bunch(data=rng.rand(5300, 2), target=np.repeat(["1", "2"], [2924, 2376]))
    if name == "breast-w":
        X = rng.rand(699, 9)
        X[3, 5] = np.nan
        return Bunch(data=X, target=np.repeat(["benign", "malignant"], [458, 241]))
    if name == "diabetes":
        target = np.repeat(["tested_negative", "tested_positive"], [500, 268])
        return Bunch(data=rng.rand(768, 8), target=target)
    if name == "letter":
        target = np.array([chr(65 + i % 26) for i in range(20000)], dtype=object)
        return Bunch(data=rng.rand(20000, 16), target=target)
    if name == "mnist_784":
        # Broadcast: the real thing would be 440 MB.
        X = np.broadcast_to(np.arange(784), (70000, 784))
        return Bunch(data=X, target=(np.arange(70000) % 10).astype(str).astype(object))
    if name == "spambase":
        return Bunch(data=rng.rand(4601, 57), target=np.repeat(["1", "0"], [1813, 2788]))
    raise AssertionError(name)


@pytest.mark.parametrize(
    ("name", "shapes", "labels"),
    [
        ("adult_a9a", [(32561, 123), (16281, 123)], [-1, 1]),
        ("banana", [(5300, 2), None], [-1, 1]),
        ("breast_wisconsin", [(699, 9), None], [2, 4]),
        ("letter", [(15000, 16), (5000, 16)], list(range(1, 27))),
        ("pima_diabetes", [(768, 8), None], [-1, 1]),
        ("spambase", [(4601, 57), None], [-1, 1]),
        pytest.param(
            "mnist", [(60000, 784), (10000, 784)], list(range(10)), marks=pytest.mark.slow
        ),
    ],
)
def test_openml_forms(places, monkeypatch, name, shapes, labels):
    """Each set fetched takes the form of its npz file."""
    calls = []

    def fetch(openml_name, *, version, as_frame):
        calls.append((openml_name, version, as_frame))
        return openml_bunch(openml_name)

    monkeypatch.setattr(datasets, "fetch_openml", fetch)
    data = load_paper_dataset(name)
    openml_name, version = datasets._PAPER_SETS[name].openml
    assert calls == [(openml_name, version, False)]
    for part, shape in zip(("train", "test"), shapes, strict=True):
        X, y = data[f"X_{part}"], data[f"y_{part}"]
        if shape is None:
            assert X is None
            assert y is None
            continue
        assert X.shape == shape
        assert X.dtype == (np.float64 if name == "banana" else np.float32)
        assert np.unique(y).tolist() == labels
    assert f"Source: OpenML, {openml_name} (version 1)" in data.DESCR
    assert ("differs" in data.DESCR) == bool(datasets._PAPER_SETS[name].differs)


def test_another_set_of_that_name_on_openml_is_refused(places, monkeypatch):
    monkeypatch.setattr(
        datasets,
        "fetch_openml",
        lambda *args, **kwargs: Bunch(data=np.eye(4), target=np.array(["1", "2", "1", "2"])),
    )
    with pytest.raises(FileNotFoundError, match=r"expected shape \(5300, 2\), got \(4, 4\)"):
        load_paper_dataset("banana")


def test_every_known_name_is_documented():
    documented = set(re.findall(r'``"(\w+)"``', load_paper_dataset.__doc__))
    assert documented == set(datasets._PAPER_SETS)


# ---------------------------------------------------------------------------
# The real sets
# ---------------------------------------------------------------------------

# name: rows of the training and the test part, features, classes, positive or first-class rows
PUBLISHED = {
    "abalone": (4177, None, 8, 28, 1),
    "adult_a8a": (22696, 9865, 123, 2, 5506),
    "adult_a9a": (32561, 16281, 123, 2, 7841),
    "banana": (5300, None, 2, 2, 2376),
    "breast_wisconsin": (699, None, 9, 2, 241),
    "codrna": (59535, None, 8, 2, 19845),
    "covtype_3v4": (38501, None, 27, 2, 2747),
    "covtype_first20k": (11340, 3780, 54, 7, 1620),
    "dna": (2000, 1186, 180, 3, 1051),
    "letter": (15000, 5000, 16, 26, None),
    "magic04": (19020, None, 10, 2, 12332),
    "mushrooms": (8124, None, 112, 2, 3916),
    "newsgroups20": (11314, 7532, 33541, 20, None),
    "pima_diabetes": (768, None, 8, 2, 268),
    "poker_train25010": (25010, None, 10, 10, None),
    "reuters_moneyfx_lasvm": (7770, 3299, 8315, 2, 538),
    "satimage": (4435, 2000, 36, 6, None),
    "shuttle": (43500, 14500, 9, 7, None),
    "spambase": (4601, None, 57, 2, 1813),
    "splice": (1000, 2175, 60, 2, 517),
    "svmguide1": (3089, 4000, 4, 2, 2000),
    "usps": (7291, 2007, 256, 10, None),
    "w8a": (49749, None, 300, 2, 1479),
    "mnist": (60000, 10000, 784, 10, None),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n == "mnist" else n for n in sorted(PUBLISHED)],
)
def test_published_counts(paper_data, name):
    data = paper_data(name)
    n_train, n_test, n_features, n_classes, n_last = PUBLISHED[name]
    assert data.X_train.shape == (n_train, n_features)
    assert data.y_train.shape == (n_train,)
    if n_test is None:
        assert data.X_test is None
        assert data.y_test is None
    else:
        assert data.X_test.shape == (n_test, n_features)
        assert data.y_test.shape == (n_test,)
        assert data.X_test.dtype == data.X_train.dtype
        assert issparse(data.X_test) == issparse(data.X_train)
    assert data.X_train.dtype in (np.float32, np.float64)
    classes, counts = np.unique(data.y_train, return_counts=True)
    assert len(classes) == n_classes
    if n_last is not None:
        assert counts[-1] == n_last
    if "target_names" in data:
        assert len(data.target_names) == n_classes
    if "feature_names" in data:
        assert len(data.feature_names) == n_features


def test_multilabel_reuters(paper_data):
    data = paper_data("reuters21578_modapte")
    assert data.X_train.shape == (7770, 9911)
    assert data.y_train.shape == (7770, 10)
    assert data.y_test.shape == (3299, 10)
    counts = dict(zip(data.target_names.tolist(), data.y_train.sum(axis=0), strict=True))
    assert counts["earn"] == 2877
    assert counts["corn"] == 181
