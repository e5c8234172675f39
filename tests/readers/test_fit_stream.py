"""Test fit_stream: chunks, epochs, and checkpoints of processes that were killed."""

import hashlib
import io
import os
import signal
import subprocess
import sys
from functools import partial

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import dump_svmlight_file
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC, AROWClassifier
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.pipeline import make_online_pipeline
from sklearn_online_svm.readers import (
    fit_stream,
    read_arrays,
    read_csv,
    read_parquet,
    read_svmlight,
)
from tests.support import ROOT
from tests.support.cases import in_turn
from tests.support.internals import _fit_stream

X, Y = make_banana_like(600, random_state=0)
CLASSES = [-1, 1]
MODELS = {
    "LASVC": lambda: LASVC(C=3, gamma=1.0, random_state=0),
    "LASVC-nc": lambda: LASVC(gamma=1.0, algorithm="lasvm-nc", random_state=0),
    "AROW": AROWClassifier,
    "pipeline": lambda: make_online_pipeline(StandardScaler(with_mean=False), AROWClassifier()),
    "SGD": lambda: SGDClassifier(random_state=0),
}
with_models = pytest.mark.parametrize("name", MODELS)


def chunks(chunk_size=100):
    return read_arrays(X, Y, chunk_size=chunk_size)


def by_hand(model, epochs):
    for _ in range(epochs):
        for part, labels in chunks():
            model.partial_fit(part, labels, classes=CLASSES)
    return model


def check_same(model, expected):
    assert type(model) is type(expected)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))


@with_models
@pytest.mark.parametrize("has_weights", [True, False])
def test_chunks_with_weights(name, has_weights, tmp_path):
    weights = np.linspace(0.1, 2.0, len(Y)) if has_weights else None

    def triples(last=6):
        for k in range(last):
            part = slice(100 * k, 100 * (k + 1))
            yield X[part], Y[part], None if weights is None else weights[part]

    expected = MODELS[name]()
    for part, labels, of_chunk in triples():
        given = {"sample_weight": of_chunk} if has_weights else {}
        expected.partial_fit(part, labels, classes=CLASSES, **given)
    check_same(fit_stream(MODELS[name](), triples, classes=CLASSES), expected)
    checkpoint = tmp_path / "checkpoint"
    fit_stream(MODELS[name](), lambda: triples(3), classes=CLASSES, checkpoint=checkpoint)
    for wrong, found in (((X, Y, Y, Y), "tuple with 4"), ((X,), "tuple with 1"), (X, "ndarray")):
        with pytest.raises(ValueError, match=f"Chunk 1 is a {found}.*; chunks must be pairs"):
            fit_stream(MODELS[name](), [wrong], classes=CLASSES)


class Stop(Exception):
    pass


def stopping(n):
    """Return a function that returns the chunks, and fails after n of them in all its calls."""
    seen = [0]

    def limited():
        for chunk in chunks():
            if seen[0] == n:
                raise Stop
            seen[0] += 1
            yield chunk

    return limited


@with_models
def test_epochs(name):
    model = MODELS[name]()
    for source in (chunks, list(chunks())):
        fitted = fit_stream(model := MODELS[name](), source, epochs=2, classes=CLASSES)
        assert fitted is model
        check_same(fitted, by_hand(MODELS[name](), 2))
    check_same(fit_stream(MODELS[name](), chunks(), classes=CLASSES), by_hand(MODELS[name](), 1))


def test_regressors_have_no_classes():
    model = fit_stream(SGDRegressor(random_state=0), lambda: read_arrays(X, X[:, 0]), epochs=3)
    assert model.t_ == 1 + 3 * len(X)


@pytest.mark.sampled
@pytest.mark.parametrize("n, name", in_turn([1, 6, 7, 12, 17] * 2, MODELS))
def test_training_continues_after_an_error(name, n, tmp_path):
    """After one chunk, at the ends of epochs, just behind them, and before the last chunk."""
    path = tmp_path / "checkpoint"
    options = {"epochs": 3, "classes": CLASSES, "checkpoint": path}
    with pytest.raises(Stop):
        fit_stream(MODELS[name](), stopping(n), checkpoint_every=0, **options)
    check_same(fit_stream(MODELS[name](), chunks, **options), by_hand(MODELS[name](), 3))
    # A finished training is not repeated, and can be extended.
    with pytest.warns(UserWarning, match="is of a finished training"):
        found = fit_stream(MODELS[name](), stopping(0), **options)
    check_same(found, by_hand(MODELS[name](), 3))
    options["epochs"] = 4
    check_same(fit_stream(MODELS[name](), chunks, **options), by_hand(MODELS[name](), 4))
    assert os.listdir(tmp_path) == ["checkpoint"]


def test_seconds_between_checkpoints(tmp_path, monkeypatch):
    now = iter(range(100))
    monkeypatch.setattr(_fit_stream, "monotonic", lambda: next(now))
    options = {"classes": CLASSES, "checkpoint": tmp_path / "checkpoint"}
    with pytest.raises(Stop):
        # Second 0 at the beginning; 3 after the third chunk, then the clock is read again.
        fit_stream(AROWClassifier(), stopping(5), checkpoint_every=3, **options)
    assert joblib.load(options["checkpoint"])["n_chunks"] == 3
    os.remove(options["checkpoint"])
    with pytest.raises(Stop):
        fit_stream(AROWClassifier(), stopping(5), checkpoint_every=50, **options)
    assert os.listdir(tmp_path) == []


def test_empty_chunks_are_skipped():
    def chunks():
        for part in (slice(0, 0), slice(0, 100), slice(100, 100), slice(100, None)):
            yield X[part], Y[part]

    model = fit_stream(AROWClassifier(), chunks, classes=CLASSES, epochs=2)
    expected = AROWClassifier()
    for _ in range(2):
        for part in (slice(0, 100), slice(100, None)):
            expected.partial_fit(X[part], Y[part], CLASSES)
    np.testing.assert_array_equal(model.coef_, expected.coef_)


# -------------------------------------------------------------------- killed processes

KILLED = """
import os, signal, sys
from tests.support.internals import _atomic_dump
from sklearn_online_svm.readers import fit_stream
from tests.readers.test_fit_stream import CLASSES, MODELS, of_file

folder, name, where, n = sys.argv[1:]
n_chunks, n_writes, dump = 0, 0, _atomic_dump.joblib.dump

def chunks():
    global n_chunks
    for chunk in of_file(folder):
        n_chunks += 1
        if where == "chunk" and n_chunks > int(n):
            os.kill(os.getpid(), signal.SIGKILL)
        yield chunk

def write(value, file):
    global n_writes
    n_writes += 1
    if where == "write" and n_writes > int(n):
        file.write(b"incomplete")
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    dump(value, file)

_atomic_dump.joblib.dump = write
checkpoint = os.path.join(folder, "checkpoint")
fit_stream(
    MODELS[name](), chunks, epochs=2, classes=CLASSES, checkpoint=checkpoint, checkpoint_every=0
)
"""


def of_file(folder):
    path = os.path.join(folder, "data.svm")
    return read_svmlight(path, chunk_size=70, n_features=2, zero_based=False)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize(
    "name, where, n", [("LASVC", "chunk", 4), ("AROW", "chunk", 13), ("LASVC", "write", 5)]
)
def test_training_continues_after_a_kill(name, where, n, tmp_path):
    dump_svmlight_file(X, Y, str(tmp_path / "data.svm"), zero_based=False)
    arguments = [sys.executable, "-c", KILLED, str(tmp_path), name, where, str(n)]
    process = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True)
    assert process.returncode == -signal.SIGKILL, process.stderr
    stored = joblib.load(tmp_path / "checkpoint")
    assert (stored["epoch"], stored["n_chunks"]) == divmod(n, 9)

    options = {"epochs": 2, "classes": CLASSES}
    model = fit_stream(
        MODELS[name](), lambda: of_file(tmp_path), checkpoint=tmp_path / "checkpoint", **options
    )
    expected = fit_stream(MODELS[name](), lambda: of_file(tmp_path), **options)
    check_same(model, expected)
    for attribute in ("dual_coef_", "support_") if name == "LASVC" else ("coef_", "t_"):
        np.testing.assert_array_equal(getattr(model, attribute), getattr(expected, attribute))


# -------------------------------------------------------------------- errors


def test_iterators_have_one_epoch():
    with pytest.raises(ValueError, match="cannot be read again for epochs=2"):
        fit_stream(AROWClassifier(), chunks(), epochs=2, classes=CLASSES)
    iterator = chunks()
    with pytest.raises(ValueError, match="chunks is empty in epoch 2"):
        fit_stream(AROWClassifier(), lambda: iterator, epochs=2, classes=CLASSES)
    with pytest.raises(ValueError, match="chunks is empty in epoch 1"):
        fit_stream(AROWClassifier(), [])


def test_a_path_is_not_a_source_of_chunks(tmp_path):
    for path in ("small.csv", tmp_path):
        for chunks in (path, lambda path=path: path):
            with pytest.raises(ValueError, match="chunks must be an iterable .* with a reader"):
                fit_stream(AROWClassifier(), chunks)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("5,,x", "Input X contains NaN"),
        ("5,1", r"y \(column 'label'\) contains missing labels"),
        ("5,1,NA", "NA and None as missing unless keep_default_na=False"),
    ],
)
@pytest.mark.parametrize("name", ["LASVC", "AROW", "pipeline"])
def test_errors_of_training_name_the_samples(name, line, message, tmp_path):
    pytest.importorskip("pandas")
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["a,b,label", *["1,2,x", "3,4,y"] * 2, line]) + "\n")
    chunks = partial(read_csv, path, target="label", chunk_size=3)
    with pytest.raises(ValueError, match=message) as caught:
        fit_stream(MODELS[name](), chunks, classes=["x", "y"])
    note = f"In epoch 1, chunk 2: samples 3 to 4, counted from 0, of {path}."
    assert caught.value.__notes__ == [note]
    options = {"classes": ["x", "y", "NA"], "epochs": 1}
    if line.endswith("NA"):
        chunks = partial(chunks, keep_default_na=False)
        assert fit_stream(MODELS[name](), chunks, **options).classes_[0] == "NA"


def test_checkpoints_of_other_calls(tmp_path):
    path = tmp_path / "checkpoint"
    options = {"classes": CLASSES, "checkpoint": path}
    with pytest.raises(Stop):
        fit_stream(LASVC(gamma=1.0), stopping(8), epochs=2, checkpoint_every=0, **options)
    before = path.read_bytes()
    with pytest.raises(FileNotFoundError, match="the folder does not exist"):
        fit_stream(LASVC(), chunks, classes=CLASSES, checkpoint=tmp_path / "no" / "checkpoint")
    for model, message in [
        (LASVC(C=2, gamma=1.0), "another estimator: C is 1, got 2"),
        (AROWClassifier(), "its class is LASVC, got AROWClassifier"),
        (LASVC(), "gamma is 1, got 'scale'"),
    ]:
        with pytest.raises(ValueError, match=message):
            fit_stream(model, chunks, epochs=2, **options)
    with pytest.raises(ValueError, match=r"is in epoch 2, got epochs=1"):
        fit_stream(LASVC(gamma=1.0), chunks, **options)
    with pytest.raises(ValueError, match=r"another estimator: class_weight is None, got \{1: 2\}"):
        fit_stream(LASVC(gamma=1.0, class_weight={1: 2}), chunks, epochs=2, **options)
    for size in (90, 600):
        with pytest.raises(ValueError, match=r"after 200 samples in 2 chunks, but these"):
            fit_stream(LASVC(gamma=1.0), [*chunks(size)], epochs=2, **options)
    with pytest.raises(ValueError, match="classes"):
        fit_stream(LASVC(gamma=1.0), chunks, epochs=2, classes=[7, 8], checkpoint=path)
    assert path.read_bytes() == before
    joblib.dump(LASVC(), path)
    with pytest.raises(ValueError, match="is damaged, or not a checkpoint of fit_stream"):
        fit_stream(LASVC(), chunks, **options)
    path.write_bytes(before[:-40] + bytes([before[-40] ^ 1]) + before[-39:])
    with pytest.raises(ValueError, match="is damaged, or not a checkpoint of fit_stream"):
        fit_stream(LASVC(), chunks, **options)


@pytest.mark.parametrize(
    "params, same, other, message",
    [
        (
            {"class_weight": {1: 2.0, -1: 1.0}},
            {"class_weight": {np.int64(-1): 1.0, 1: np.float64(2.0)}},
            {"class_weight": {-1: 1.0, 1: np.float64(3.0)}},
            r"class_weight is \{-1: 1, 1: 2\}, got \{-1: 1, 1: 3\}",
        ),
        ({"C": 2.0}, {"C": np.float64(2.0)}, {"C": np.float64(2.5)}, "C is 2, got 2.5"),
        ({"C": 2.0}, {"C": 2}, {"C": 3}, "C is 2, got 3"),
        ({"replay_size": 5}, {"replay_size": np.int64(5)}, {}, "replay_size is 5, got 2000"),
    ],
)
def test_equal_parameters_of_other_types(params, same, other, message, tmp_path):
    """The order of a dict and numbers of NumPy made a difference, except within a dict."""
    fit = partial(fit_stream, chunks=chunks, classes=CLASSES, checkpoint=tmp_path / "checkpoint")
    fit(LASVC(gamma=1.0, **params))
    assert fit(LASVC(gamma=1.0, **same), epochs=2).n_samples_seen_ == 2 * len(X)
    with pytest.raises(ValueError, match=message):
        fit(LASVC(gamma=1.0, **other), epochs=3)
    fit = partial(fit_stream, Untrained(), checkpoint=tmp_path / "sizes")
    fit(partial(read_arrays, X, Y, chunk_size=30))
    fit(partial(read_arrays, X, Y, chunk_size=np.int64(30)), epochs=2)


class Untrained(BaseEstimator):
    """Estimator that accepts any chunk."""

    def partial_fit(self, X, y):
        return self


@pytest.mark.parametrize("epochs", [1, 2])  # 1: no chunk is left
@pytest.mark.parametrize(
    "reader, options, changes, message",
    [
        (read_arrays, {"chunk_size": 10}, {"chunk_size": 20}, "chunk_size is 10, got 20"),
        (read_svmlight, {}, {"chunk_size": 20}, "chunk_size is 10000, got 20"),
        (read_svmlight, {}, {"zero_based": False}, "zero_based is 'auto', got False"),
        (read_svmlight, {"n_features": 9}, {"n_features": 2}, "n_features is 9, got 2"),
        (read_svmlight, {"dtype": np.float32}, {"dtype": "float64"}, "dtype is 'float32', got"),
        (read_csv, {"target": "u"}, {"target": "v"}, "target is 'u', got 'v'"),
        (read_csv, {}, {"chunk_size": 20}, "chunk_size is 10000, got 20"),
        (read_csv, {}, {"sep": ";"}, "sep is the default, got ';'"),
        (read_csv, {"header": 0}, {"header": None}, "header is 0, got None"),
        (read_csv, {"dtype": {"u": int}}, {"dtype": {"u": str}}, "dtype is .*'int'>}, got"),
        (read_csv, {"usecols": ["u", "v"]}, {}, "usecols is .'u', 'v'., got the default"),
        (read_parquet, {"target": "u"}, {"target": "v"}, "target is 'u', got 'v'"),
        (read_parquet, {}, {"columns": ["u"]}, "columns is None, got .'u'"),
        (read_parquet, {}, {"chunk_size": 20}, "chunk_size is 10000, got 20"),
    ],
)
def test_other_options_of_a_reader(reader, options, changes, message, epochs, tmp_path):
    path, target = tmp_path / "data", {"target": "v"}
    if reader is read_arrays:
        path, target = X, {"y": Y}
    elif reader is read_svmlight:
        target = {}
        dump_svmlight_file(X, Y, str(path), zero_based=False)
    else:
        table = pytest.importorskip("pandas").DataFrame({"u": Y, "v": Y, "w": Y})
        if reader is read_csv:
            table.to_csv(path, index=False)
        else:
            pytest.importorskip("pyarrow")
            table.to_parquet(path)
    fit = partial(fit_stream, Untrained(), checkpoint=tmp_path / "checkpoint")
    fit(partial(reader, path, **target | options))
    with pytest.raises(ValueError, match=f"has other options of the reader: {message}"):
        fit(partial(reader, path, **target | changes), epochs=epochs)


def test_another_reader(tmp_path):
    pytest.importorskip("pandas")
    fit = partial(fit_stream, Untrained(), checkpoint=tmp_path / "checkpoint")
    fit(partial(read_arrays, X, Y))
    with pytest.raises(ValueError, match="reader is 'read_arrays', got 'read_csv'"):
        fit(partial(read_csv, "table", target="u"))


def test_options_that_do_not_change_the_samples(tmp_path):
    """Another path, functions, which have no text that could be compared, or none at all."""
    pytest.importorskip("pandas")
    fit = partial(fit_stream, Untrained(), checkpoint=tmp_path / "checkpoint")
    for k in range(2):
        path = tmp_path / f"{k}.csv"
        path.write_text("u,v\n1,2\n")
        options = {"usecols": lambda name: name, "storage_options": [None, {}][k]}
        fit(partial(read_csv, path, target="v", **options), epochs=1 + k)
    fit([(X, Y)], epochs=3)
    assert b"storage_options" not in (tmp_path / "checkpoint").read_bytes()


@pytest.mark.parametrize("content", [b"", b"u,label\n1,yes\n", b"PK\x03\x04", b"\x80\x05K"])
def test_files_that_are_no_pickles(tmp_path, content):
    path = tmp_path / "checkpoint"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"checkpoint' is damaged, or not a checkpoint of fit_st"):
        fit_stream(AROWClassifier(), chunks, classes=CLASSES, checkpoint=path)
    assert path.read_bytes() == content


def sealed(value):
    """Return a pickle as in a checkpoint, with the checksum at its end."""
    buffer = io.BytesIO()
    joblib.dump(value, buffer)
    return buffer.getvalue() + hashlib.sha256(buffer.getvalue()).digest()


@pytest.mark.parametrize(
    "content, message",
    [
        (sealed(LASVC()), "is not a checkpoint of fit_stream of format 1"),
        (sealed({"fit_stream": 0}), "is not a checkpoint of fit_stream of format 1"),
        (
            sealed({"fit_stream": 1, "estimator": AROWClassifier(), "epoch": 0, "n_samples": 0}),
            "is damaged: it has no valid estimator and position",
        ),
        (
            sealed({"fit_stream": 1, "estimator": 1, "epoch": 0, "n_samples": 0, "n_chunks": 0}),
            "is damaged: it has no valid estimator and position",
        ),
        (
            b"cno.such.module\nName\n." + hashlib.sha256(b"cno.such.module\nName\n.").digest(),
            "cannot be loaded .ModuleNotFoundError: No module named 'no'",
        ),
    ],
)
def test_checkpoints_with_a_valid_checksum(tmp_path, content, message):
    path = tmp_path / "checkpoint"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        fit_stream(AROWClassifier(), chunks, classes=CLASSES, checkpoint=path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "options", [{"estimator": object()}, {"epochs": 0}, {"checkpoint_every": -1}]
)
def test_parameters_are_validated(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        fit_stream(**{"estimator": AROWClassifier(), "chunks": chunks, **options})


def test_parameters_of_the_estimator_are_validated():
    with pytest.raises(ValueError, match="The 'r' parameter of"):
        fit_stream(AROWClassifier(r=-1.0), chunks, classes=CLASSES)
