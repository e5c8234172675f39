"""Synthetic author records with known authors, and their similarities.

Used by plot_name_disambiguation.py. The persons are fictional. Family names, initials, and the
proportions of the numbers of records and authors are those of Table 3.4 of the thesis.
"""

from dataclasses import dataclass

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler, Levenshtein
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

# Name: number of records, number of authors.
BLOCKS = {
    "A. Gupta": (506, 44),
    "A. Kumar": (143, 36),
    "C. Chen": (536, 103),
    "D. Johnson": (350, 41),
    "J. Anderson": (327, 43),
    "J. Robinson": (115, 30),
    "J. Smith": (743, 86),
    "K. Tanaka": (53, 20),
    "M. Jones": (352, 53),
    "M. Miller": (230, 34),
}
GIVEN = {
    "A": "Amit Anil Ajay Anita Arun Ashok Aditi Aakash Anjali Arvind",
    "C": "Chao Chen Cheng Chun Chang Catherine Chia Chung Chih Chris",
    "D": "David Daniel Donald Douglas Dennis Diane Debra Derek Dale Donna",
    "J": "John James Jane Julia Jack Joseph Jennifer Jeffrey Jason Jessica",
    "K": "Kenji Kazuo Keiko Koji Kiyoshi Kumiko Katsumi Kaori Kei Ken",
    "M": "Mary Michael Mark Martin Margaret Maria Matthew Megan Max Mona",
}
PLACES = (
    "Ashford Belmont Carrow Dunmore Eastvale Fernley Granby Hollins Ivers Jarrow Kelso Lorne "
    "Marden Norwell Oakham Penrith Quorn Ravenna Selby Tilden Upton Verwood Wexley Yarrow"
)
FIELDS = {
    "cs": ("Computer Science", "Comp. Sci."),
    "ee": ("Electrical Engineering", "Elec. Eng."),
    "math": ("Mathematics", "Math."),
    "stat": ("Statistics", "Stat."),
    "phys": ("Physics", "Phys."),
}
OTHER_FAMILIES = (
    "Abel Brandt Castro Dietz Engel Farkas Garcia Haas Ivanov Jensen Keller Lopez Moreau Novak "
    "Olsen Petrov Quist Rossi Silva Tamm Ueda Vogel Weiss Xu Young Zeller"
)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass
class Record:
    """One author of a paper; fields are empty where the paper has no information."""

    name: str
    affiliation: str
    email: str
    coauthors: list


class Author:
    """A person with a name, consecutive affiliations, and a set of coauthors."""

    def __init__(self, block, rng):
        letter, self.family = block.split(". ")
        self.given = rng.choice(GIVEN[letter].split())
        self.middle = rng.choice(list(LETTERS)).upper() if rng.random() < 0.5 else ""
        self.field = rng.choice(list(FIELDS))
        self.works = rng.choice(PLACES.split(), size=rng.integers(1, 4), replace=False)
        others = OTHER_FAMILIES.split()
        self.circle = [
            f"{rng.choice(list(LETTERS)).upper()}. {rng.choice(others)}" for _ in range(7)
        ]

    def record(self, rng):
        place = rng.choice(self.works)
        n_coauthors = min(len(self.circle), rng.poisson(2.2))
        return Record(
            name=misspelt(self._name(rng), 0.08, rng),
            affiliation=misspelt(self._affiliation(place, rng), 0.15, rng),
            email=misspelt(self._email(place, rng), 0.03, rng),
            coauthors=list(rng.choice(self.circle, n_coauthors, replace=False)),
        )

    def _name(self, rng):
        given = self.given if rng.random() < 0.6 else f"{self.given[0]}."
        middle = f" {self.middle}." if self.middle and rng.random() < 0.6 else ""
        if rng.random() < 0.2:
            return f"{self.family}, {given}{middle}"
        return f"{given}{middle} {self.family}"

    def _affiliation(self, place, rng):
        whole, short = FIELDS[self.field]
        forms = [
            f"Department of {whole}, University of {place}",
            f"Dept. of {short}, Univ. of {place}",
            f"{place} University, {whole}",
            f"University of {place}",
            "",
        ]
        return str(rng.choice(forms, p=[0.35, 0.25, 0.2, 0.1, 0.1]))

    def _email(self, place, rng):
        if rng.random() < 0.3:
            return ""
        who = [f"{self.given[0]}{self.family}", f"{self.given}.{self.family}", self.family]
        who = str(rng.choice(who, p=[0.5, 0.3, 0.2]))
        return f"{who}@{self.field}.{place}.edu".lower()


def misspelt(text, rate, rng):
    """Delete, replace or transpose one letter of a text, with probability ``rate``."""
    if len(text) < 4 or rng.random() >= rate:
        return text
    i = rng.integers(1, len(text) - 1)
    changed = [
        text[:i] + text[i + 1 :],
        text[:i] + str(rng.choice(list(LETTERS))) + text[i + 1 :],
        text[:i] + text[i + 1] + text[i] + text[i + 2 :],
    ]
    return changed[rng.integers(3)]


def make_block(block, scale=0.4, seed=0):
    """Make the records of one name; return them and the index of the author of each."""
    rng = np.random.default_rng([seed, list(BLOCKS).index(block)])
    n_records, n_authors = (max(2, round(scale * n)) for n in BLOCKS[block])
    authors = [Author(block, rng) for _ in range(n_authors)]
    # The number of records per author is skewed; every author has at least one.
    share = rng.pareto(1.2, n_authors) + 0.3
    more = rng.choice(n_authors, n_records - n_authors, p=share / share.sum())
    truth = np.concatenate([np.arange(n_authors), more])
    return [authors[a].record(rng) for a in truth], truth


# ------------------------------------------------------------------------------- similarities

FEATURES = (
    "name: soft TF-IDF",
    "given name: Jaro-Winkler",
    "middle name: agrees, differs",
    "affiliation: Jaccard of tokens",
    "affiliation: known",
    "e-mail: edit distance",
    "e-mail: known",
    "coauthors: Jaccard",
    "coauthors: known",
)


def similarities(records):
    """Compute similarities of all pairs, of shape (n_pairs, 9), in the order of triu_indices."""
    names = [record.name for record in records]
    given, middle = zip(*map(first_names, names))
    affiliations = [record.affiliation for record in records]
    emails = [record.email for record in records]
    coauthors = [" ".join(name.replace(". ", "_") for name in r.coauthors) for r in records]
    parts = (
        soft_tfidf(names),
        process.cdist(given, given, scorer=JaroWinkler.normalized_similarity),
        agreement(middle),
        jaccard(affiliations),
        both(affiliations),
        process.cdist(emails, emails, scorer=Levenshtein.normalized_similarity) * both(emails),
        both(emails),
        jaccard(coauthors),
        both(coauthors),
    )
    pairs = np.triu_indices(len(records), k=1)
    return np.column_stack([part[pairs] for part in parts]).astype(np.float64)


def first_names(name):
    """Return given name and middle initial: "john" and "a" for "Smith, John A."."""
    family_first = "," in name
    tokens = name.replace(".", "").replace(",", "").lower().split()
    tokens = tokens[1:] if family_first else tokens[:-1]
    return (tokens[0] if tokens else "", tokens[1][:1] if len(tokens) > 1 else "")


def both(texts):
    """1 where both texts are non-empty."""
    known = np.array([bool(text) for text in texts], dtype=float)
    return np.outer(known, known)


def agreement(letters):
    """1 where two letters are equal, -1 where they differ, 0 where one is unknown."""
    letters = np.array(letters)
    return np.where(letters[:, None] == letters, 1.0, -1.0) * both(letters)


def jaccard(texts):
    """Jaccard's coefficient: number of common tokens divided by the number of all tokens."""
    tokens = CountVectorizer(token_pattern=r"[^\s,]+", binary=True)
    try:
        counts = tokens.fit_transform(texts).astype(float)
    except ValueError:  # no text has any token
        return np.zeros((len(texts), len(texts)))
    common = (counts @ counts.T).toarray()
    n_tokens = common.diagonal()
    return common / np.maximum(n_tokens[:, None] + n_tokens - common, 1)


def soft_tfidf(texts, threshold=0.9):
    """Soft TF-IDF (Cohen, Ravikumar, Fienberg 2003), averaged over both directions.

    The cosine of the TF-IDF vectors, in which similar tokens (by the Jaro-Winkler similarity)
    count as equal, weighted by their similarity.
    """
    vectorizer = TfidfVectorizer(token_pattern=r"\w+")
    weights = vectorizer.fit_transform(texts)
    tokens = vectorizer.get_feature_names_out()
    alike = process.cdist(tokens, tokens, scorer=JaroWinkler.normalized_similarity)
    alike[alike < threshold] = 0.0
    # For each token and each text: the weight of the closest token of the text.
    closest = np.zeros((len(tokens), len(texts)))
    for j, text in enumerate(weights):
        if text.nnz:
            nearness = alike[:, text.indices]
            best = nearness.argmax(axis=1)
            closest[:, j] = nearness[np.arange(len(tokens)), best] * text.data[best]
    similarity = weights @ closest
    return np.minimum((similarity + similarity.T) / 2, 1.0)


def same_author(truth):
    """Return 1 for pairs of records of the same author, in the order of triu_indices."""
    first, second = np.triu_indices(len(truth), k=1)
    return (truth[first] == truth[second]).astype(int)
