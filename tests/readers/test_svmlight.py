"""Test read_svmlight: numbers, chunks, malformed lines, and the reader of scikit-learn."""

import bz2
import gzip
import lzma
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from sklearn_online_svm.readers import read_svmlight
from tests.support.cases import together
from tests.support.internals import parse_number
from tests.support.limits import set_limits

TEXT = (
    b"# a comment\n\n1 1:0.5 3:-2e3#c\n-1 qid:7 2:.25\t4:1. # 1:1\r\n  \n+3\n"
    b" 1e0 1:0 4:1234567890.1234567890123456789 \n2.5 2:1e-310"
)
FULL = np.array(
    [
        [0.5, 0, -2000, 0],
        [0, 0.25, 0, 1],
        [0, 0, 0, 0],
        [0, 0, 0, 1234567890.1234567],
        [0, 1e-310, 0, 0],
    ]
)
TARGETS = [1, -1, 3, 1, 2.5]


def written(folder, text, name="data.svm"):
    path = folder / name
    path.write_bytes(text)
    return path


def whole(path, **options):
    parts = list(read_svmlight(path, **options))
    X = sparse.vstack([X for X, _ in parts], format="csr")
    return X, np.concatenate([y for _, y in parts])


def bits(value):
    return struct.pack("d", value)


# -------------------------------------------------------------------- numbers

digits = st.text("0123456789", min_size=1, max_size=40)
decimals = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "-", "+", "-000", "0.", "00.000"]),
    digits,
    st.one_of(st.just(""), st.builds(".{}".format, digits)),
    st.one_of(st.just(""), st.builds("{}{}".format, st.sampled_from(["e", "E+"]), digits),
              st.builds("e{}".format, st.integers(-400, 400))),
).filter(lambda text: text.count(".") < 2)  # fmt: skip
floats = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=500, deadline=None)
@given(decimals | floats.map(repr) | st.builds("{:.{}g}".format, floats, st.integers(1, 25)))
def test_numbers_are_those_of_python(text):
    assert bits(parse_number(text.encode())) == bits(float(text))


@settings(max_examples=500, deadline=None)
@given(st.integers(2**52, 2**53 - 1), st.integers(-11, 9), st.integers(-1, 1))
def test_numbers_half_way_between_doubles(mantissa, exponent, difference):
    """Sixteen to nineteen digits, and their neighbours in the last place."""
    half = 2 * mantissa + 1
    for text in (
        str((half << exponent if exponent > 0 else half * 5**-exponent) + difference)
        + (f"e{exponent}" if exponent < 0 else ""),
        f"{half + difference}e{exponent}",
    ):
        assert bits(parse_number(text.encode())) == bits(float(text))


@together(q=range(-80, 81))
def test_numbers_with_each_power_of_ten(q):
    for w in (1, 3, 2**53 - 1, 2**53 + 1, 10**18 + 7, 10**19 - 1, 9007199254740993):
        assert bits(parse_number(b"%de%d" % (w, q))) == bits(float(f"{w}e{q}"))


@pytest.mark.parametrize(
    "text",
    ["5e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.2250738585072011e-308",
     "1.7976931348623157e308", "1e400", "-1e99999999999999", "0e999", "-0", "1e-999999999999"],
)  # fmt: skip
def test_extreme_numbers(text):
    assert bits(parse_number(text.encode())) == bits(float(text))


@pytest.mark.parametrize(
    "text", ["", "-", ".", "e5", "1e", "1e+", "nan", "inf", "1_0", "0x1", "1 "]
)
def test_what_is_no_number(text):
    with pytest.raises(ValueError, match="not a decimal number"):
        parse_number(text.encode())


# -------------------------------------------------------------------- chunks


def test_format(tmp_path):
    path = written(tmp_path, TEXT)
    chunks = list(read_svmlight(path, chunk_size=2))
    assert [X.shape for X, _ in chunks] == [(2, 4), (2, 4), (1, 4)]
    assert [y.dtype.kind for _, y in chunks] == ["i", "i", "f"]
    assert all(X.format == "csr" and X.dtype == np.float64 for X, _ in chunks)
    X, y = whole(path, dtype="float32", n_features=6, zero_based=False)
    assert X.dtype == np.float32 and X.shape == (5, 6)
    np.testing.assert_array_equal(X[:, :4].toarray(), FULL.astype(np.float32))
    assert y.tolist() == TARGETS


@together(size=range(1, len(TEXT) + 2))
def test_blocks_may_end_anywhere(size, tmp_path, monkeypatch):
    set_limits(monkeypatch, SVMLIGHT_BLOCK_SIZE=size)
    for chunk_size in (1, 2, 5, 6):
        chunks = list(read_svmlight(written(tmp_path, TEXT), chunk_size=chunk_size))
        assert {len(y) for _, y in chunks[:-1]} <= {chunk_size}
        np.testing.assert_array_equal(sparse.vstack([X for X, _ in chunks]).toarray(), FULL)
        assert np.concatenate([y for _, y in chunks]).tolist() == TARGETS


@pytest.mark.parametrize(
    "suffix, compress", [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_damaged_compressed_files_are_named(tmp_path, suffix, compress):
    """An incomplete download, a changed byte, and a file that is not compressed."""
    random = np.random.default_rng(0).integers(10**9, size=5000)
    data = compress(b"".join(b"1 1:%d\n" % number for number in random))
    changed = bytearray(data)
    changed[len(data) // 2] ^= 16
    for wrong in (data[: len(data) // 2], bytes(changed), b"1 1:0.5\n" * 20):
        path = written(tmp_path, wrong, f"damaged.{suffix}")
        with pytest.raises(ValueError, match=rf"damaged\.{suffix} cannot be decompressed: \w"):
            list(read_svmlight([written(tmp_path, b"1 1:2\n"), path], n_features=1))
    with pytest.raises(FileNotFoundError, match=rf"missing\.{suffix}"):
        list(read_svmlight(tmp_path / f"missing.{suffix}"))


@pytest.mark.parametrize(
    "suffix, compress", [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_compressed_files(suffix, compress, tmp_path):
    X, y = whole(str(written(tmp_path, compress(TEXT), f"data.svm.{suffix}")), chunk_size=2)
    np.testing.assert_array_equal(X.toarray(), FULL)
    assert y.tolist() == TARGETS


def test_several_files_are_read_as_one(tmp_path):
    paths = [written(tmp_path, TEXT), str(written(tmp_path, b"1 5:1", "b")), tmp_path / "empty"]
    written(tmp_path, b"", "empty")
    chunks = list(read_svmlight(paths, chunk_size=4))
    assert [X.shape for X, _ in chunks] == [(4, 5), (2, 5)]
    with pytest.raises(ValueError, match=r"b, line 1: the index exceeds"):
        list(read_svmlight(paths, n_features=4, zero_based=False))
    assert list(read_svmlight(paths[2])) == []


def test_memory_is_bounded(tmp_path, monkeypatch):
    set_limits(monkeypatch, SVMLIGHT_BLOCK_SIZE=1 << 15)
    path = written(tmp_path, b"1 1:2 2:3\n" * 300_000)
    tracemalloc.start()
    for X, _ in read_svmlight(path, chunk_size=100):
        assert X[0].toarray().tolist() == [[2, 3]]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e6 < path.stat().st_size / 2


# -------------------------------------------------------------------- scikit-learn

# Rounded to three digits, they are still finite.
smaller = st.floats(-1e300, 1e300)
rows = st.lists(
    st.tuples(
        st.integers(-3, 3) | smaller,
        st.dictionaries(st.integers(0, 40), smaller, max_size=6),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=150, deadline=None)
@given(
    rows,
    st.booleans(),
    st.sampled_from(["auto", True, False]),
    st.sampled_from(["{!r}", "{:.17e}", "{:+.20g}", "{:.3g}"]),
    st.sampled_from([" ", "\t", "  ", " \t "]),
    st.sampled_from(["\n", "\r\n", " \n", " # 1:2\n", "\n\n#\n"]),
    st.integers(1, 9),
)
def test_any_formatting_is_read_as_by_scikit_learn(
    tmp_path_factory, rows, from_one, zero_based, number, blank, newline, chunk_size
):
    from_one |= zero_based is False
    text = "".join(
        blank.join(
            [number.format(y), *(f"{j + from_one}:{number.format(x[j])}" for j in sorted(x))]
        )
        + newline
        for y, x in rows
    )
    path = written(tmp_path_factory.mktemp("svm"), text.encode())
    expected, targets = load_svmlight_file(str(path), zero_based=zero_based)
    n_features = expected.shape[1] if expected.nnz else 0
    X, y = whole(path, zero_based=zero_based, chunk_size=chunk_size)
    assert X.shape == (len(rows), n_features)
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(X, name), getattr(expected, name))
    np.testing.assert_array_equal(y, targets)


fields = st.sampled_from(
    ["1", "-1", "0:1", "1:1", "2:.5", "3:1e1", "2", ":", "1:", ":1", "qid:1", "qid", "e", "-", "#"]
)
lines = st.builds(str.join, st.sampled_from([" ", "\t", ""]), st.lists(fields, max_size=4))


@settings(max_examples=200, deadline=None)
@given(st.lists(lines | st.text("01:.e-# \t", max_size=8), min_size=1, max_size=3))
def test_any_text_is_refused_or_read_as_by_scikit_learn(tmp_path_factory, lines):
    path = written(tmp_path_factory.mktemp("svm"), "\n".join(lines).encode())
    try:
        chunks = list(read_svmlight(path, chunk_size=2, zero_based=True))
    except ValueError as error:
        assert f"{path}, line " in str(error)
        return
    if chunks:
        expected, targets = load_svmlight_file(str(path), zero_based=True)
        found = sparse.vstack([X for X, _ in chunks])
        np.testing.assert_array_equal(found.data, expected.data)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_array_equal(np.concatenate([y for _, y in chunks]), targets)


# -------------------------------------------------------------------- malformed lines

MALFORMED = [
    ("a 1:1", "the target must be a decimal number; got 'a' in 'a 1:1'"),
    ("1:1 2:1", "the target must be a decimal number; got '1:1'"),
    ("nan 1:1", "the target must be a decimal number; got 'nan'"),
    ("1e999 1:1", "the number must be finite in the given dtype; got '1e999'"),
    ("1,2 1:1", "lists (multilabel data) are not supported; got '1,2'"),
    ("1 3", "expected a pair index:value; got '3' in '1 3'"),
    ("1 :3", "expected a pair index:value; got ':3'"),
    ("1 -1:3", "expected a pair index:value; got '-1:3'"),
    ("1 1.5:3", "expected a pair index:value; got '1.5:3'"),
    ("1 1:1 qid:3", "expected a pair index:value; got 'qid:3'"),
    ("1 1:", "the value must be a decimal number; got '1:'"),
    ("1 1: 2", "the value must be a decimal number; got '1:'"),
    ("1 1:2x", "the value must be a decimal number; got '1:2x'"),
    ("1 1:1:2", "the value must be a decimal number; got '1:1:2'"),
    ("1 1:0x10", "the value must be a decimal number; got '1:0x10'"),
    ("1 1:nan", "the value must be a decimal number; got '1:nan'"),
    ("1 1:-inf", "the value must be a decimal number; got '1:-inf'"),
    ("1 1:1\0", "the value must be a decimal number; got '1:1\\x00'"),
    ("1 1:1e309", "the number must be finite in the given dtype; got '1:1e309'"),
    ("1 2:1 1:1", "indices must be strictly ascending within a line; got '1:1' in '1 2:1 1:1'"),
    ("1 2:1 2:1", "indices must be strictly ascending within a line; got '2:1'"),
    ("1 0:1", "the index is 0, but indices start at 1 with zero_based=False; got '0:1'"),
    ("1 10:1", "the index exceeds the number of features, 9; got '10:1'"),
    ("1 99999999999999999999:1", "the index exceeds the number of features, 9; got"),
    ("1 1:1" + " " * 70 + "2:" + "x" * 40, "got '2:" + "x" * 28 + "...' in '1 1:1...'"),
    ("é 1:1", "the target must be a decimal number; got 'é' in 'é 1:1'"),
]


@pytest.mark.parametrize("line, message", MALFORMED)
@together(size=[3, 1 << 20])
def test_malformed_lines(line, message, size, tmp_path, monkeypatch):
    set_limits(monkeypatch, SVMLIGHT_BLOCK_SIZE=size)
    path = written(tmp_path, f"# a\n\n1 1:1\n{line}\n1 1:1\n".encode())
    chunks = read_svmlight(path, chunk_size=1, n_features=9, zero_based=False)
    assert next(chunks)[0].toarray().tolist() == [[1] + [0] * 8]
    with pytest.raises(ValueError) as error:
        next(chunks)
    assert str(error.value).startswith(f"{path}, line 4: ")
    assert message in str(error.value)


def test_errors_of_the_first_reading(tmp_path):
    chunks = read_svmlight(written(tmp_path, b"1 1:1\n1 0:1\n2 3"))
    with pytest.raises(ValueError, match=r"data.svm, line 3: expected a pair"):
        next(chunks)
    with pytest.raises(ValueError, match="line 2: the index is 0"):
        next(read_svmlight(written(tmp_path, b"1 1:1\n1 0:1\n"), zero_based=False))


LARGEST = 2**31 - 1


@pytest.mark.parametrize("n_features", [None, LARGEST])
@pytest.mark.parametrize(
    "text, zero_based, column",
    [
        (f"1 {LARGEST}:1", False, LARGEST - 1),
        (f"1 {LARGEST}:1", "auto", LARGEST - 1),
        (f"1 1:1 {LARGEST}:1", "auto", LARGEST - 1),
        (f"1 {LARGEST - 1}:1", True, LARGEST - 1),
        (f"1 0:1 {LARGEST - 1}:1", "auto", LARGEST - 1),
        (f"1 {LARGEST - 1}:1", "auto", LARGEST - 2),
    ],
)
def test_the_largest_index(tmp_path, text, zero_based, column, n_features):
    path = written(tmp_path, text.encode())
    ((X, _),) = read_svmlight(path, zero_based=zero_based, n_features=n_features)
    assert X.indices[-1] == column
    assert X.shape == (1, n_features or column + 1)


@pytest.mark.parametrize(
    "text, zero_based, largest",
    [
        (f"1 {LARGEST + 1}:1", False, f"largest one, {LARGEST}"),
        (f"1 {LARGEST + 1}:1", "auto", f"largest one, {LARGEST}"),
        (f"1 {LARGEST}:1", True, f"largest one, {LARGEST - 1}"),
        (f"1 0:1 {LARGEST}:1", "auto", f"number of features, {LARGEST}"),
        ("1 99999999999999999999:1", "auto", f"largest one, {LARGEST}"),
    ],
)
def test_larger_indices_are_refused(tmp_path, text, zero_based, largest):
    with pytest.raises(ValueError, match=rf"svm, line 1: the index exceeds the {largest}; got '"):
        next(read_svmlight(written(tmp_path, text.encode()), zero_based=zero_based))


def test_float32_overflow_is_refused(tmp_path):
    path = written(tmp_path, b"1 1:1e39")
    assert whole(path)[0].data == [1e39]
    with pytest.raises(ValueError, match="line 1: the number must be finite"):
        whole(path, dtype=np.float32)


@pytest.mark.parametrize(
    "options",
    [{"chunk_size": 0}, {"chunk_size": 2**63}, {"n_features": 0}, {"n_features": 2**31},
     {"dtype": int}, {"zero_based": "yes"}],
)  # fmt: skip
def test_parameters_are_validated_in_the_call(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        read_svmlight("missing", **options)


def test_missing_file():
    with pytest.raises(FileNotFoundError):
        next(read_svmlight(Path("missing")))
