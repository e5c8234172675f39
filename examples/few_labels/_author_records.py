"""Synthetic author records with known authors, and their similarities.

Used by plot_name_disambiguation.py. The persons are fictional. Family names, initials, and the
proportions of the numbers of records and authors are those of Table 3.4 of the thesis.
"""

from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from rapidfuzz.distance import JaroWinkler

from sklearn_online_svm.active import SoftTFIDF, edit_similarity, jaccard_similarity

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
    """One author of a paper; fields are empty where the paper has no information.

    Papers are listed under a family name and an initial, such as "J. Smith".
    """

    listed_under: str
    name: str
    affiliation: str
    email: str
    coauthors: list


class Author:
    """A person with a name, consecutive affiliations, and a set of coauthors."""

    def __init__(self, block, rng):
        self.block = block
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
            listed_under=self.block,
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


def size_of(block, scale):
    """Return the numbers of records and authors of a name."""
    return [max(2, round(scale * n)) for n in BLOCKS[block]]


def make_block(block, scale=0.4, seed=0):
    """Make the records of one name; return them and the index of the author of each."""
    rng = np.random.default_rng([seed, list(BLOCKS).index(block)])
    n_records, n_authors = size_of(block, scale)
    authors = [Author(block, rng) for _ in range(n_authors)]
    # The number of records per author is skewed; every author has at least one.
    share = rng.pareto(1.2, n_authors) + 0.3
    more = rng.choice(n_authors, n_records - n_authors, p=share / share.sum())
    truth = np.concatenate([np.arange(n_authors), more])
    return [authors[a].record(rng) for a in truth], truth


# ------------------------------------------------------------------------------- similarities


def similarities(records):
    """Return similarities, functions of two records; word weights are those of `records`."""
    of_names = SoftTFIDF([record.name for record in records])
    return [
        partial(compare, of_names, "name"),
        given_name,
        middle_name,
        partial(compare, jaccard_similarity, "affiliation"),
        partial(are_known, "affiliation"),
        partial(compare, edit_similarity, "email"),
        partial(are_known, "email"),
        partial(compare, jaccard_similarity, "coauthors"),
        partial(are_known, "coauthors"),
    ]


def are_known(field, a, b):
    return bool(getattr(a, field) and getattr(b, field))


def compare(similarity, field, a, b):
    """The similarity of a field, 0 where it is unknown in one of the records."""
    return similarity(getattr(a, field), getattr(b, field)) if are_known(field, a, b) else 0.0


@cache
def first_names(name):
    """Return given name and middle initial: "john" and "a" for "Smith, John A."."""
    family_first = "," in name
    parts = name.replace(".", "").replace(",", "").lower().split()
    parts = parts[1:] if family_first else parts[:-1]
    return (parts[0] if parts else "", parts[1][:1] if len(parts) > 1 else "")


def given_name(a, b):
    return JaroWinkler.normalized_similarity(first_names(a.name)[0], first_names(b.name)[0])


def middle_name(a, b):
    """1 where two initials are equal, -1 where they differ, 0 where one is unknown."""
    first, second = first_names(a.name)[1], first_names(b.name)[1]
    return (1 if first == second else -1) if first and second else 0


def same_author(truth, pairs):
    """Return 1 for pairs of records of the same author, otherwise 0."""
    return (truth[pairs[:, 0]] == truth[pairs[:, 1]]).astype(int)
