"""Test read_arrays, read_csv and read_parquet."""

import io
import sys

import numpy as np
import pytest
from scipy import sparse

from sklearn_online_svm import AROWClassifier
from sklearn_online_svm.readers import fit_stream, read_arrays, read_csv, read_parquet

X = np.arange(21.0).reshape(7, 3)
Y = np.array(list("abababa"))


def test_arrays_of_any_kind(tmp_path):
    pandas = pytest.importorskip("pandas")
    file = np.memmap(tmp_path / "X", dtype=float, mode="w+", shape=X.shape)
    file[:] = X
    frame = pandas.DataFrame(X, index=np.arange(7)[::-1] / 2)
    for samples in (X, file, X.tolist(), sparse.csr_matrix(X), frame):
        for labels in (Y, Y.tolist(), pandas.Series(Y, index=np.arange(7)[::-1] / 2)):
            chunks = list(read_arrays(samples, labels, chunk_size=3))
            assert [len(y) for _, y in chunks] == [3, 3, 1]
            assert type(chunks[0][0]) is type(samples)
            dense = [getattr(part, "toarray", lambda part=part: part)() for part, _ in chunks]
            np.testing.assert_array_equal(np.concatenate(dense), X)
            np.testing.assert_array_equal(np.concatenate([y for _, y in chunks]), Y)
    assert list(read_arrays(X[:0], Y[:0])) == []


def test_arrays_are_read_in_slices():
    class OnDisk:
        """What h5py and zarr offer."""

        def __init__(self, values):
            self.values, self.shape, self.read = values, values.shape, []

        def __len__(self):
            return len(self.values)

        def __getitem__(self, key):
            self.read.append(key)
            return self.values[key]

    samples = OnDisk(X)
    chunks = read_arrays(samples, OnDisk(Y), chunk_size=4)
    assert not samples.read
    next(chunks)
    assert samples.read == [slice(0, 4)]
    assert next(chunks)[0].tolist() == X[4:].tolist()


def check_data_sets(samples, labels):
    """Read data sets of a file, and train on them."""
    chunks = list(read_arrays(samples, labels, chunk_size=3))
    assert [part.shape for part, _ in chunks] == [(3, 3), (3, 3), (1, 3)]
    assert all(type(part) is np.ndarray for chunk in chunks for part in chunk)
    np.testing.assert_array_equal(np.concatenate([part for part, _ in chunks]), X)
    model = fit_stream(
        AROWClassifier(),
        lambda: read_arrays(samples, labels, chunk_size=3),
        classes=[0, 1],
        epochs=2,
    )
    expected = AROWClassifier()
    for _ in range(2):
        expected.partial_fit(X, Y == "b", classes=[0, 1])
    np.testing.assert_array_equal(model.coef_, expected.coef_)


def test_data_sets_of_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "data.h5", "w") as file:
        file.create_dataset("X", data=X, chunks=(2, 3), compression="gzip")
        file["y"] = (Y == "b").astype(int)
    with h5py.File(tmp_path / "data.h5") as file:
        check_data_sets(file["X"], file["y"])
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            read_arrays(file["X"], file["y"][:3])


def test_data_sets_of_zarr(tmp_path):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(str(tmp_path / "data.zarr"), mode="w")
    group["X"], group["y"] = X, (Y == "b").astype(int)
    group = zarr.open_group(str(tmp_path / "data.zarr"), mode="r")
    check_data_sets(group["X"], group["y"])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        read_arrays(group["X"], group["y"][:3])


def test_arrays_of_different_lengths():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        read_arrays(X, Y[:3])


def table():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"a": X[:, 0], "label": Y, "b": X[:, 1]})


def check(chunks, columns, n_chunks=3):
    chunks = list(chunks)
    assert len(chunks) == n_chunks
    model = AROWClassifier()
    for features, labels in chunks:
        assert list(features) == columns
        assert len(features) == len(labels) <= 3
        model.partial_fit(features, labels, classes=["a", "b"])
    assert sum(len(labels) for _, labels in chunks) == 7
    assert model.feature_names_in_.tolist() == columns


def test_csv(tmp_path):
    path = tmp_path / "table.csv.gz"
    table().to_csv(path, index=False, sep=";")
    check(read_csv(path, target="label", chunk_size=3, sep=";"), ["a", "b"])
    options = {"sep": ";", "usecols": ["b", "label"]}
    check(read_csv(path, target="label", chunk_size=3, **options), ["b"])
    with pytest.raises(ValueError, match=r"no column 'c'; found \['a', 'label', 'b'\]"):
        next(read_csv(path, target="c", sep=";"))


@pytest.mark.parametrize("n_more", [1, 2])
@pytest.mark.parametrize("chunk_size", [1, 2, 10])
def test_csv_with_more_fields_than_names(n_more, chunk_size):
    """pandas takes the first fields as an index, and all columns shift."""
    pytest.importorskip("pandas")
    lines = [",".join(map(str, range(k, k + 3 + n_more))) for k in range(5)]
    file = io.StringIO("\n".join(["a,b,label", *lines]))
    with pytest.raises(ValueError, match="^line 2 has more fields than the header. Add the"):
        next(read_csv(file, target="label", chunk_size=chunk_size))
    file = io.StringIO("\n".join(["comment", "a,b,label", *lines]))
    with pytest.raises(ValueError, match="^the line of the first sample has more fields"):
        next(read_csv(file, target="label", chunk_size=chunk_size, skiprows=1))
    file = io.StringIO("a,b,label\n1,2,x,\n3,4,y,\n")  # no field, but a separator
    X, y = next(read_csv(file, target="label"))
    assert X.to_numpy().tolist() == [[1, 2], [3, 4]]
    assert y.tolist() == ["x", "y"]
    file = io.StringIO("a,b,label\n7,1,2,x\n8,3,4,y\n")
    X, y = next(
        read_csv(file, target="label", index_col=0, names=["i", "a", "b", "label"], header=0)
    )
    assert X.index.tolist() == [7, 8]


def test_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    table().to_parquet(path)
    check(read_parquet(path, target="label", chunk_size=3), ["a", "b"])
    check(read_parquet(path, target="label", columns=["b"], chunk_size=3), ["b"])
    check(read_parquet(path, target="label", columns=["b", "a"], chunk_size=3), ["b", "a"])
    for options in ({"target": "c"}, {"target": "label", "columns": ["a", "c"]}):
        with pytest.raises(ValueError, match="no column 'c'; found"):
            next(read_parquet(path, **options))


def test_parquet_is_read_by_row_groups(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "table.parquet"
    expected = pandas.DataFrame({"a": range(25), "label": 1})
    expected.to_parquet(path, row_group_size=4)
    read = []
    batches = parquet.ParquetFile.iter_batches

    def noted(self, *args, row_groups, **options):
        read.append(row_groups)
        return batches(self, *args, row_groups=row_groups, **options)

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", noted)
    chunks = [X for X, _ in read_parquet(path, target="label", chunk_size=10)]
    assert read == [[0, 1, 2], [3, 4, 5], [6]]
    assert [len(X) for X in chunks] == [10, 2, 10, 2, 1]
    assert pandas.concat(chunks)["a"].tolist() == expected["a"].tolist()


@pytest.mark.parametrize(
    "reader, missing, package",
    [(read_csv, "pandas", "pandas"), (read_parquet, "pyarrow.parquet", "pyarrow")],
)
def test_missing_packages(reader, missing, package, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=f"{reader.__name__} needs {package}: `pip install"):
        reader("table", target="label")


@pytest.mark.parametrize("options", [{"chunk_size": 0}, {"target": 1}])
def test_parameters_are_validated_in_the_call(options):
    for reader in (read_csv, read_parquet):
        with pytest.raises(ValueError, match=next(iter(options))):
            reader("missing", **{"target": "label", **options})
