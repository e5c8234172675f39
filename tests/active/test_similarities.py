"""Similarities of strings and sets: values by hand, a plain twin, invariants, errors."""

import math
import pickle
import re
import string
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from sklearn_online_svm.active import (
    EntityResolver,
    SoftTFIDF,
    edit_similarity,
    jaccard_similarity,
)

pytest.importorskip("rapidfuzz")

NAMES = ["Jane A. Smith", "Smiht, Jane", "John Smith", "Smith, Jon", "Keiko Tanaka"]
SOFT_TFIDF = SoftTFIDF(NAMES)
SIMILARITIES = [edit_similarity, jaccard_similarity, SOFT_TFIDF]

words = st.text(string.ascii_letters + "é ", min_size=1, max_size=8)
texts = st.lists(st.sampled_from(["Smith", "jane", "J.", "Smiht", ",", "Tanaka"]) | words).map(
    " ".join
)


# ------------------------------------------------------------------------------ by definition


def edit_distance(a, b):
    """The edit distance by its recursion, row by row."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (x != y)))
    return row[-1]


def jaro_winkler(a, b):
    """Jaro's similarity of two words, raised by Winkler for a common beginning."""
    if a == b:
        return 1.0
    reach = max(len(a), len(b)) // 2 - 1
    matched = [False] * len(b)
    of_a = []
    for i, x in enumerate(a):
        for j in range(max(0, i - reach), min(len(b), i + reach + 1)):
            if not matched[j] and b[j] == x:
                matched[j] = True
                of_a.append(x)
                break
    m = len(of_a)
    if m == 0:
        return 0.0
    of_b = [y for y, known in zip(b, matched) if known]
    half_transpositions = sum(x != y for x, y in zip(of_a, of_b)) // 2
    jaro = (m / len(a) + m / len(b) + (m - half_transpositions) / m) / 3
    prefix = 0
    for x, y in zip(a[:4], b[:4]):
        if x != y:
            break
        prefix += 1
    return jaro + 0.1 * prefix * (1 - jaro) if jaro > 0.7 else jaro


def soft_tfidf(strings, a, b, theta=0.9):
    """The formula of the docstring."""
    sets = [set(re.findall(r"\w+", s.lower())) for s in strings]

    def weights(words):
        raw = {w: 1 + math.log(len(sets) / max(1, sum(w in s for s in sets))) for w in words}
        norm = math.sqrt(sum(value**2 for value in raw.values()))
        return {w: value / norm for w, value in raw.items()}

    def one_way(S, T):
        total = 0.0
        for w in S:
            d, v = max((jaro_winkler(w, v), v) for v in T)
            total += S[w] * T[v] * d * (d >= theta)
        return total

    S, T = (weights(set(re.findall(r"\w+", s.lower()))) for s in (a, b))
    if not S or not T:
        return float(S == T)
    return min(1.0, (one_way(S, T) + one_way(T, S)) / 2)


def test_edit_similarity_by_hand():
    assert edit_similarity("kitten", "sitting") == pytest.approx(1 - 3 / 7)
    assert edit_similarity("", "abc") == 0.0
    assert edit_similarity("", "") == 1.0
    assert edit_similarity("Ab", "ab") == 0.5


def test_jaccard_similarity_by_hand():
    sets = [{*"abc"}, {*"bcd"}, {"x"}, set()]
    assert [jaccard_similarity(sets[0], other) for other in sets] == [1.0, 0.5, 0.0, 0.0]
    assert jaccard_similarity(set(), []) == 1.0
    # Repeated elements count once; a string is the set of its words.
    assert jaccard_similarity(["a", "a", "b"], ("b",)) == 0.5
    assert jaccard_similarity("Univ. of Bonn", "univ of Köln, of Köln") == 0.5


def test_soft_tfidf_by_hand():
    """Two strings of two words; 1 + log 2 is the weight of a word of one of them."""
    similarity = SoftTFIDF(["jane smith", "john smith"])
    rare, frequent = 1 + math.log(2), 1.0
    assert similarity("jane smith", "john smith") == pytest.approx(
        frequent**2 / (rare**2 + frequent**2)
    )
    # JW("smith", "smiht") = 0.9733, by the definition of Winkler; an unknown word is rare.
    close = similarity("smith", "smiht")
    assert close == pytest.approx(14 / 15 + 0.1 * 3 * (1 - 14 / 15))
    assert SoftTFIDF(["smith"], theta=0.98)("smith", "smiht") == 0.0
    assert SoftTFIDF(["smith"], theta=1)("smith", "SMITH") == 1.0
    assert similarity("jane", "keiko") == similarity("jane", "") == similarity(",", "jane") == 0.0
    assert similarity("", "") == 1.0


@given(texts, texts)
@settings(deadline=None)
def test_values_are_those_of_the_definitions(a, b):
    longest = max(len(a), len(b), 1)
    assert edit_similarity(a, b) == pytest.approx(1 - edit_distance(a, b) / longest)
    assert SOFT_TFIDF(a, b) == pytest.approx(soft_tfidf(NAMES, a, b))


# ------------------------------------------------------------------------------ invariants


@given(texts, texts)
@settings(deadline=None)
def test_symmetric_bounded_and_1_for_equal_strings(a, b):
    for similarity in SIMILARITIES:
        assert 0.0 <= similarity(a, b) <= 1.0
        assert similarity(a, b) == similarity(b, a)
        assert similarity(a, a) == 1.0
    assert (edit_similarity(a, b) == 1.0) == (a == b)


def test_soft_tfidf_of_the_same_words_is_exactly_1():
    texts = [" ".join(f"w{k}" for k in range(n)) for n in range(1, 9)]
    similarity = SoftTFIDF([*texts, "w0 w2", "w1"])
    for text in texts:
        for other in (text, text.upper(), " ".join(text.split()[::-1])):
            assert similarity(text, other) == similarity(f"{text} x", f"x, {other}") == 1.0


@given(st.lists(texts, min_size=1, max_size=5), texts, texts)
@settings(deadline=None)
def test_order_of_the_strings_does_not_matter(strings, a, b):
    assert SoftTFIDF(strings)(a, b) == SoftTFIDF(strings[::-1])(a, b)
    assert SoftTFIDF(iter(strings))(a, b) == SoftTFIDF(strings)(a, b)


def test_a_typing_error_costs_little_and_another_name_much():
    found = [SOFT_TFIDF("Jane Smith", other) for other in ("Smiht, Jane", *NAMES[2:])]
    assert found[0] > 0.9 > found[1] > found[3] == 0.0


def test_pickles():
    later = pickle.loads(pickle.dumps(SOFT_TFIDF))
    assert [later(a, NAMES[0]) for a in NAMES] == [SOFT_TFIDF(a, NAMES[0]) for a in NAMES]


def test_records_that_are_strings():
    """The similarities are functions of two records of an EntityResolver."""
    resolver = EntityResolver(SIMILARITIES)
    X = resolver.pair_similarities(NAMES)
    pairs = resolver.candidate_pairs(NAMES)
    for k, similarity in enumerate(SIMILARITIES):
        assert_allclose(X[:, k], [similarity(NAMES[i], NAMES[j]) for i, j in pairs])
    resolver.fit(NAMES, ["jane", "jane", "john", "john", "keiko"])
    assert len(np.unique(resolver.predict(NAMES))) > 1


# ------------------------------------------------------------------------------ errors


@pytest.mark.parametrize("value", [None, np.nan, 3, b"abc", ["abc"]])
def test_values_that_are_no_strings(value):
    for similarity in (edit_similarity, SOFT_TFIDF):
        for pair in ((value, "abc"), ("abc", value)):
            with pytest.raises(TypeError, match=r"compares two strings; got .*abc"):
                similarity(*pair)


@pytest.mark.parametrize("value", [None, np.nan, 3, [["a"]]])
def test_values_that_are_no_sets(value):
    with pytest.raises(TypeError, match="jaccard_similarity compares strings or iterables"):
        jaccard_similarity("abc", value)


@pytest.mark.parametrize(
    ("strings", "options", "error", "message"),
    [
        ("Smith", {}, TypeError, "strings must be an iterable of strings; got 'Smith'"),
        (3, {}, TypeError, "strings must be an iterable of strings; got 3"),
        (["Smith", None], {}, TypeError, "strings must contain strings only; got None"),
        ([], {}, ValueError, "strings must not be empty"),
        (["Smith"], {"theta": "0.9"}, TypeError, r"theta must be a number in \[0, 1\]; got '0.9'"),
        (["Smith"], {"theta": 1.5}, ValueError, r"theta must be in \[0, 1\]; got 1.5"),
        (["Smith"], {"theta": np.nan}, ValueError, r"theta must be in \[0, 1\]; got nan"),
    ],
)
def test_invalid_parameters(strings, options, error, message):
    with pytest.raises(error, match=message):
        SoftTFIDF(strings, **options)


def test_missing_rapidfuzz(monkeypatch):
    for name in ("rapidfuzz", "rapidfuzz.distance"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match="edit_similarity needs rapidfuzz: `pip install"):
        edit_similarity("a", "b")
    with pytest.raises(ImportError, match="SoftTFIDF needs rapidfuzz: `pip install rapidfuzz`"):
        SOFT_TFIDF("a", "b")
    assert jaccard_similarity("a", "b") == 0.0
