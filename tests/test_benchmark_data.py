"""The loader of the papers' data sets that benchmarks and tests use."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.utils import Bunch

from benchmarks.bench import data
from benchmarks.bench.data import find_npz, load_paper_dataset
from benchmarks.sets.workloads import WORKLOADS

FILES = {
    "banana": "banana",
    "usps": "usps",
    "reuters": "reuters_moneyfx_lasvm",
    "adult_csr": "adult_a9a",
    "letter": "letter",
}


@pytest.mark.parametrize("name", FILES)
def test_the_table_of_data_sets_is_right(name, paper_data):
    paper_data(FILES[name])
    work = WORKLOADS[name]
    split = work.load(0)
    X = split.X_train
    assert X.shape[1] == work.n_features
    density = X.nnz / np.prod(X.shape) if split.sparse else np.mean(X != 0)
    assert density == pytest.approx(work.density, abs=0.001)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SOSVM_DATA", str(tmp_path))
    return tmp_path


def test_dense_file(folder):
    X = np.arange(20, dtype=np.uint8).reshape(5, 4)
    y = np.array([0, 1, 2, 2, 9], dtype=np.int8)
    names = np.array(["zero", "one", "two", "nine"])
    np.savez(folder / "mine.npz", X_train=X, y_train=y, X_rest=X / 7, target_names=names)
    dataset = load_paper_dataset("mine")
    assert_array_equal(dataset.X_train, X)
    assert_array_equal(dataset.y_train, y)
    assert_array_equal(dataset.X_rest, X / 7)
    assert_array_equal(dataset.target_names, names)
    assert dataset.X_train.dtype == np.float32
    assert dataset.X_rest.dtype == np.float64
    assert dataset.y_train.dtype == np.int64
    assert dataset.X_test is None
    assert dataset.y_test is None


def test_sparse_multilabel_file(folder):
    X = csr_matrix(np.array([[0, 2, 0], [1, 0, 0], [0, 0, 3], [0, 0, 0]], dtype=np.uint8))
    Y = np.array([[1, 0], [1, 1], [0, 0], [0, 1]], dtype=np.uint8)
    fields = {
        f"X_train_{name}": getattr(X, name) for name in ("data", "indices", "indptr", "shape")
    }
    np.savez(folder / "mine.npz", **fields, Y_train=Y)
    dataset = load_paper_dataset("mine")
    assert isinstance(dataset.X_train, csr_matrix)
    assert dataset.X_train.dtype == np.float32
    assert_array_equal(dataset.X_train.toarray(), X.toarray())
    assert_array_equal(dataset.y_train, Y)


def test_missing_file(folder):
    assert find_npz("usps") is None
    with pytest.raises(FileNotFoundError, match=r"usps\.npz was not found.* SOSVM_DATA"):
        load_paper_dataset("usps")


OPENML = {
    "a9a": (csr_matrix((48842, 123)), np.repeat(["1", "-1"], [7841, 41001])),
    "banana": (np.zeros((5300, 2)), np.repeat(["1", "2"], [2924, 2376])),
    "breast-w": (np.zeros((699, 9)), np.repeat(["benign", "malignant"], [458, 241])),
    "diabetes": (
        np.zeros((768, 8)),
        np.repeat(["no", "tested_positive"], [500, 268]),
    ),
    "letter": (np.zeros((20000, 16)), np.array([chr(65 + i % 26) for i in range(20000)], object)),
    # Broadcast because the pixels would need 440 MB.
    "mnist_784": (np.broadcast_to(np.arange(784), (70000, 784)), np.arange(70000) % 10),
    "spambase": (np.zeros((4601, 57)), np.repeat(["1", "0"], [1813, 2788])),
}


@pytest.mark.parametrize(
    ("name", "n_train", "n_test", "labels"),
    [
        ("adult_a9a", 32561, 16281, [-1, 1]),
        ("banana", 5300, None, [-1, 1]),
        ("breast_wisconsin", 699, None, [2, 4]),
        ("letter", 15000, 5000, list(range(1, 27))),
        ("pima_diabetes", 768, None, [-1, 1]),
        ("spambase", 4601, None, [-1, 1]),
        pytest.param("mnist", 60000, 10000, list(range(10)), marks=pytest.mark.slow),
    ],
)
def test_data_sets_from_openml(folder, monkeypatch, name, n_train, n_test, labels):
    """A data set without a file is fetched, and has the form of the file."""

    def fetch(openml_name, *, version, as_frame):
        assert version == 1
        X, y = OPENML[openml_name]
        return Bunch(data=X, target=y)

    monkeypatch.setattr(data, "fetch_openml", fetch)
    dataset = load_paper_dataset(name)
    assert dataset.X_train.dtype == (np.float64 if name == "banana" else np.float32)
    assert dataset.X_train.shape[0] == len(dataset.y_train) == n_train
    assert np.unique(dataset.y_train).tolist() == labels
    if n_test is None:
        assert dataset.X_test is None
    else:
        assert dataset.X_test.shape[0] == len(dataset.y_test) == n_test


def test_another_data_set_of_that_name_on_openml_is_refused(folder, monkeypatch):
    bunch = Bunch(data=np.eye(4), target=np.array(["1", "2", "1", "2"]))
    monkeypatch.setattr(data, "fetch_openml", lambda *args, **kwargs: bunch)
    with pytest.raises(ValueError, match=r"not the data set of the papers: got shape \(4, 4\)"):
        load_paper_dataset("banana")


# Samples for training and testing as published by the sources of the data sets.
PUBLISHED = {
    "adult_a9a": (32561, 16281),
    "adult_a8a": (22696, 9865),
    "w8a": (49749, None),
    "reuters_moneyfx_lasvm": (7770, 3299),
    "reuters21578_modapte": (7770, 3299),
    "newsgroups20": (11314, 7532),
    "banana": (5300, None),
    "usps": (7291, 2007),
    "mnist": (60000, 10000),
    "letter": (15000, 5000),
    "satimage": (4435, 2000),
    "shuttle": (43500, 14500),
    "spambase": (4601, None),
    "poker_train25010": (25010, None),
    "codrna": (59535, None),
    "magic04": (19020, None),
    "mushrooms": (8124, None),
    "splice": (1000, 2175),
    "svmguide1": (3089, 4000),
    "dna": (2000, 1186),
    "abalone": (4177, None),
    "breast_wisconsin": (699, None),
    "pima_diabetes": (768, None),
    "covtype_3v4": (38501, None),
    "covtype_first20k": (11340, 3780),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", PUBLISHED)
def test_files_have_the_published_numbers_of_samples(name, paper_data):
    dataset = paper_data(name)
    for part, n_samples in zip(("train", "test"), PUBLISHED[name], strict=True):
        X, y = dataset[f"X_{part}"], dataset[f"y_{part}"]
        assert (
            (X is None and y is None) if n_samples is None else X.shape[0] == len(y) == n_samples
        )
