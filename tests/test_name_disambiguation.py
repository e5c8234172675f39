"""The example of author records: its pieces against definitions, and all of it on small data."""

import contextlib
import functools
import io
import runpy
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.support import ROOT

pytest.importorskip("rapidfuzz", reason="the example of author records measures with rapidfuzz")
pytest.importorskip("matplotlib", reason="the examples plot")

import matplotlib.pyplot as plt  # noqa: E402
from rapidfuzz.distance import OSA  # noqa: E402

EXAMPLES = ROOT / "examples" / "few_labels"


@contextlib.contextmanager
def imported(patch):
    """Import the module as the program does."""
    patch.syspath_prepend(str(EXAMPLES))
    patch.delitem(sys.modules, "_author_records", raising=False)
    import _author_records

    yield _author_records
    del sys.modules["_author_records"]


@pytest.fixture
def pieces(monkeypatch):
    with imported(monkeypatch) as module:
        yield module


# ---------------------------------------------------------------------------- records


def test_blocks_are_those_of_the_table(pieces):
    assert sum(records for records, _ in pieces.BLOCKS.values()) == 3355
    assert sum(authors for _, authors in pieces.BLOCKS.values()) == 490


def test_a_block_has_its_records_and_authors(pieces):
    for block, (n_records, n_authors) in pieces.BLOCKS.items():
        records, truth = pieces.make_block(block, scale=0.2)
        assert len(records) == len(truth) == round(0.2 * n_records)
        assert_array_equal(np.unique(truth), np.arange(round(0.2 * n_authors)))
    assert pieces.make_block(block, 0.2)[0] == pieces.make_block(block, 0.2)[0]
    assert pieces.make_block(block, 0.2)[0] != pieces.make_block(block, 0.2, seed=1)[0]


def test_records_vary(pieces):
    records, truth = pieces.make_block("J. Smith", scale=0.3)
    most = np.bincount(truth).argmax()
    names = {record.name for record, author in zip(records, truth) if author == most}
    assert len(names) > 3
    assert any(name.endswith(" Smith") for name in names)
    assert any(name.startswith("Smith, ") for name in names)
    for known in ([r.email for r in records], [r.affiliation for r in records]):
        assert 0 < sum(text == "" for text in known) < len(known) / 2


def test_misspelt_is_one_edit_away(pieces):
    rng = np.random.default_rng(0)
    changed = [pieces.misspelt("university", 1.0, rng) for _ in range(99)]
    distances = [OSA.distance("university", text) for text in changed]
    assert set(distances) <= {0, 1}
    assert np.mean(distances) > 0.8
    assert pieces.misspelt("university", 0.0, rng) == "university"


# ---------------------------------------------------------------------------- similarities


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Jane Smith", ("jane", "")),
        ("Jane A. Smith", ("jane", "a")),
        ("Smith, J. A.", ("j", "a")),
        ("Smith, Jane", ("jane", "")),
        ("Smith", ("", "")),
    ],
)
def test_first_names(pieces, name, expected):
    assert pieces.first_names(name) == expected


def record(pieces, **fields):
    empty = dict(listed_under="J. Smith", name="", affiliation="", email="", coauthors=())
    return pieces.Record(**{**empty, **fields})


def test_middle_names_by_hand(pieces):
    names = ("Jane A. Smith", "Smith, John A.", "Jane B. Smith", "Jane Smith")
    records = [record(pieces, name=name) for name in names]
    assert [pieces.middle_name(records[0], other) for other in records] == [1, 1, -1, 0]


def test_attributes_that_are_unknown(pieces):
    """Their similarity is 0, and a feature of its own says so."""
    functions = pieces.similarities([record(pieces, name="Jane Smith")])
    known = record(pieces, name="Jane Smith", email="a@b.edu", affiliation="X", coauthors=["Y"])
    values = [f(known, record(pieces, name="Jane Smith")) for f in functions]
    assert values[0] == pytest.approx(1.0)
    assert values[3:] == [0.0, False, 0.0, False, 0.0, False]
    assert [f(known, known) for f in functions][3:] == [1.0, True, 1.0, True, 1.0, True]


def test_similarities(pieces):
    records, truth = pieces.make_block("M. Jones", scale=0.1)
    functions = pieces.similarities(records)
    pairs = np.column_stack(np.triu_indices(len(records), 1))
    same = pieces.same_author(truth, pairs)
    assert_array_equal(same, truth[pairs[:, 0]] == truth[pairs[:, 1]])
    for function in functions:
        found = np.array([function(records[i], records[j]) for i, j in pairs], dtype=float)
        turned = [function(records[j], records[i]) for i, j in pairs]
        assert_allclose(found, turned, atol=1e-12)
        assert -1 <= found.min() <= found.max() <= 1
        if getattr(function, "func", None) is not pieces.are_known:
            assert found[same == 0].mean() < found[same == 1].mean()


# ---------------------------------------------------------------------------- all of it


@pytest.fixture(scope="module")
def everything():
    """What the program leaves behind, with a quarter of the pairs, and what it prints."""
    printed = io.StringIO()
    plt.switch_backend("agg")
    with (
        contextlib.redirect_stdout(printed),
        pytest.MonkeyPatch.context() as patch,
        imported(patch) as pieces,
    ):
        patch.setattr(plt, "show", lambda: plt.close("all"))
        patch.setattr(pieces, "make_block", functools.partial(pieces.make_block, scale=0.2))
        left = runpy.run_path(str(EXAMPLES / "plot_name_disambiguation.py"))
    return left, printed.getvalue()


@pytest.mark.slow
def test_clusters_and_continued_training(everything):
    left, printed = everything
    n_labels = left["n_labels"][left["stop"]]
    assert n_labels < 0.5 * len(left["y_pairs"])
    # Chosen labels are worth more than as many that were not chosen, and give a smaller model
    # than all of them do.
    error_svc, error_active, error_random, _, _ = np.mean(left["table"], axis=0)
    assert error_active < error_random
    assert error_active < error_svc + 0.5
    assert left["n_vectors"]["active"] < 0.7 * left["n_vectors"]["SVC"]
    # Clusters are better than the decisions that they were made of.
    f1_pairs, f1, rand, homogeneity, completeness = np.mean(left["quality"], axis=0)
    assert f1 > f1_pairs
    assert min(rand, homogeneity, completeness) > 0.6
    for name in left["TEST"]:
        assert len(left["found"][name]) == len(left["truth"][name])
    # The stored model has learnt a hundred pairs more than the one that was stored.
    later, model = left["later"].estimator_, left["model"]
    assert later.n_samples_seen_ == model.n_samples_seen_ + 100 == n_labels + 100
    assert "records to their authors" in printed
