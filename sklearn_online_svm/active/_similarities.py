"""Similarities of strings and of sets: features of pairs of records."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from numbers import Real

from .._optional import import_optional


def edit_similarity(a, b):
    r"""Compare two strings by their edit distance.

    .. math:: 1 - \frac{d(a, b)}{\max(|a|, |b|)}

    The edit (Levenshtein) distance d is the smallest number of characters to insert, delete or
    replace that turns one string into the other [1]_. Requires rapidfuzz.

    Parameters
    ----------
    a, b : str
        The strings. Case matters.

    Returns
    -------
    similarity : float
        Similarity in [0, 1]; 1 only for equal strings.

    Raises
    ------
    ImportError
        If rapidfuzz is not installed.
    TypeError
        If a or b is not a string.

    See Also
    --------
    EntityResolver : Cluster records by similarities of their attributes.

    References
    ----------
    .. [1] V. I. Levenshtein. Binary codes capable of correcting deletions, insertions, and
       reversals. Soviet Physics Doklady 10, 1966.

    Examples
    --------
    >>> from sklearn_online_svm.active import edit_similarity
    >>> edit_similarity("smith@uni.edu", "smiht@uni.edu")
    0.846...
    """
    _check_strings("edit_similarity", a, b)
    levenshtein = import_optional("rapidfuzz.distance", "edit_similarity").Levenshtein
    return levenshtein.normalized_similarity(a, b)


def jaccard_similarity(a, b):
    r"""Compare two sets, or the words of two strings, by Jaccard's coefficient.

    .. math:: \frac{|A \cap B|}{|A \cup B|}

    Parameters
    ----------
    a, b : str or iterable of hashable elements
        The sets. A string is the set of its words, without case and punctuation.

    Returns
    -------
    similarity : float
        Similarity in [0, 1]; 1 for equal sets, also if both are empty.

    Raises
    ------
    TypeError
        If a or b is neither a string nor an iterable of hashable elements.

    See Also
    --------
    EntityResolver : Cluster records by similarities of their attributes.

    Examples
    --------
    >>> from sklearn_online_svm.active import jaccard_similarity
    >>> jaccard_similarity("Dept. of Mathematics, Bonn", "Mathematics, University of Bonn")
    0.6
    >>> jaccard_similarity(["A. Abel", "B. Tamm"], ["B. Tamm"])
    0.5
    """
    a, b = _elements(a), _elements(b)
    return len(a & b) / len(a | b) if a or b else 1.0


class SoftTFIDF:
    r"""Compare strings by soft TF-IDF, the cosine of TF-IDF vectors in which similar words match.

    Rare words have larger weights than frequent ones, and a word matches the closest word of the
    other string, if their Jaro-Winkler similarity JW is at least :math:`\theta` [1]_. For strings
    with the sets of words S and T,

    .. math::

        \mathrm{sim}(S, T) = \sum_{w \in S,\; JW(w, v_w) \ge \theta} V(w, S)\, V(v_w, T)\,
        JW(w, v_w), \qquad v_w = \arg\max_{v \in T} JW(w, v) ,

    .. math::

        V(w, S) = \frac{V'(w)}{\sqrt{\sum_{u \in S} V'(u)^2}}, \qquad
        V'(w) = 1 + \log \frac{n}{n_w} ,

    where :math:`n_w` of the n given strings contain w. The similarity is the mean of
    :math:`\mathrm{sim}(S, T)` and :math:`\mathrm{sim}(T, S)`, at most 1. Requires rapidfuzz.

    Parameters
    ----------
    strings : iterable of str
        The strings that the frequencies of the words are counted in. Words are compared without
        case and punctuation.
    theta : float, default=0.9
        Least similarity of words that match, in [0, 1]. With 1, only equal words match.

    Raises
    ------
    TypeError
        If ``strings`` is not an iterable of strings, or theta is not a number.
    ValueError
        If ``strings`` is empty, or theta is not in [0, 1].

    See Also
    --------
    EntityResolver : Cluster records by similarities of their attributes.

    Notes
    -----
    An object is a function of two strings, also of others than the given ones: an unknown word has
    the weight of a word that only one string contains. It can be pickled.

    In [1]_ the similarity is :math:`\mathrm{sim}(S, T)`, which is not symmetric; repeated words
    have the factor :math:`\log(1 + \text{count})`; words that all strings contain have the weight
    0 (:math:`\log` instead of :math:`1 + \log`); and JW must be larger than :math:`\theta`.

    References
    ----------
    .. [1] W. W. Cohen, P. Ravikumar, S. E. Fienberg. A Comparison of String Distance Metrics for
       Name-Matching Tasks. IIWeb 2003.

    Examples
    --------
    >>> from sklearn_online_svm.active import SoftTFIDF
    >>> names = ["Jane A. Smith", "Smith, Jane", "John Smith", "Keiko Tanaka"]
    >>> similarity = SoftTFIDF(names)
    >>> similarity("Jane Smith", "Smiht, Jane") > similarity("Jane Smith", "John Smith")
    True
    """

    def __init__(self, strings, theta=0.9):
        if isinstance(strings, str) or not isinstance(strings, Iterable):
            raise TypeError(f"strings must be an iterable of strings; got {strings!r}.")
        strings = list(strings)
        for string in strings:
            if not isinstance(string, str):
                raise TypeError(f"strings must contain strings only; got {string!r}.")
        if not strings:
            raise ValueError("strings must not be empty.")
        if not isinstance(theta, Real):
            raise TypeError(f"theta must be a number in [0, 1]; got {theta!r}.")
        if not 0.0 <= theta <= 1.0:
            raise ValueError(f"theta must be in [0, 1]; got {theta!r}.")
        self.theta = theta
        n_strings = len(strings)
        counts = Counter(word for string in strings for word in _words(string))
        self._weights = {word: 1.0 + math.log(n_strings / n) for word, n in counts.items()}
        self._weight_of_unknown = 1.0 + math.log(n_strings)
        self._vectors = {string: self._vector(string) for string in set(strings)}

    def __call__(self, a, b):
        """Return the similarity of two strings.

        Parameters
        ----------
        a, b : str
            The strings.

        Returns
        -------
        similarity : float
            Similarity in [0, 1]; 1 if both strings have the same words.

        Raises
        ------
        ImportError
            If rapidfuzz is not installed.
        TypeError
            If a or b is not a string.
        """
        _check_strings("SoftTFIDF", a, b)
        first, second = (self._vectors.get(s) or self._vector(s) for s in (a, b))
        have_same_words = first.keys() == second.keys()
        if have_same_words or not first or not second:
            return float(have_same_words)
        return min(1.0, (self._one_way(first, second) + self._one_way(second, first)) / 2.0)

    def _vector(self, string):
        """Return the words of a string with their weights, V."""
        weights = {w: self._weights.get(w, self._weight_of_unknown) for w in _words(string)}
        norm = math.hypot(*weights.values())
        return {word: weight / norm for word, weight in weights.items()}

    def _one_way(self, first, second):
        """Return sim(S, T)."""
        jaro_winkler = import_optional("rapidfuzz.distance", "SoftTFIDF").JaroWinkler
        total = 0.0
        for word, weight in first.items():
            similarity, closest = max(
                (jaro_winkler.normalized_similarity(word, other), other) for other in second
            )
            if similarity >= self.theta:
                total += similarity * weight * second[closest]
        return total


def _words(string):
    """Return the words of a string, each once, in the order of their first occurrence."""
    return dict.fromkeys(re.findall(r"\w+", string.lower()))


def _elements(values):
    """Return a set of elements, of a string those of its words."""
    try:
        return frozenset(_words(values) if isinstance(values, str) else values)
    except TypeError as error:
        raise TypeError(
            "jaccard_similarity compares strings or iterables of hashable elements; "
            f"got {values!r}."
        ) from error


def _check_strings(caller, a, b):
    if not (isinstance(a, str) and isinstance(b, str)):
        raise TypeError(f"{caller} compares two strings; got {a!r} and {b!r}.")
