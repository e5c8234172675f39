"""Failed allocations: each call raises MemoryError and leaves the model unchanged."""

from collections import Counter

import pytest

from tests.support import allocations

pytestmark = pytest.mark.skipif(
    allocations.compiler() is None, reason="needs Linux and a C compiler"
)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return allocations.build(tmp_path_factory.mktemp("allocations"))


def check(outcomes):
    bad = [
        found[:4]
        for found in outcomes
        if found[2] not in ("clean", "survived") and not allocations.is_foreign(found)
    ]
    assert not bad, "\n".join(map(str, bad[:20]))
    return Counter(found[2] for found in outcomes)


# Kind, cases, every so many of the allocations, how many of them fail cleanly at least.
QUICK = [
    # Of these calls the first believed the new size of a buffer for which there was no memory; the
    # second lost the solution that decisions came from; the third took rows of the call before for
    # those gone through.
    (
        "arrays",
        ("lasvm: next_chunk", "lasvm, 3 classes: predict", "labels, arow: next_chunk"),
        2,
        80,
    ),
    # Errors in code without the interpreter's lock were printed and passed over.
    ("objects", ("lasvm, callable, sparse: next_chunk",), 4, 60),
    # Samples were counted that had not been used.
    ("package", ("lasvm, balanced: next_chunk", "lasvm, 3 classes: next_chunk"), 1, 20),
    # Copies of vectors for which there is no memory are made before the next block.
    ("package", ("lasvm, pairs: next_chunk",), 1, 5),
    ("arrays", ("lasvm, pairs: next_chunk",), 2, 5),
]


@pytest.mark.parametrize(("kind", "names", "stride", "least"), QUICK)
def test_failed_allocations_leave_models_unchanged(library, kind, names, stride, least):
    counts = check(allocations.outcomes(library, kind, names, stride=stride))
    assert counts["clean"] >= least, counts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "names", "stride"),
    [
        ("package", (), 7),
        ("arrays", ("lasvm:", "lasvm, sparse, 3 classes:", "pa:", "labels, arow:"), 13),
        ("objects", ("lasvm:", "pa:", "labels, arow:"), 3),
    ],
)
def test_failed_allocations_leave_many_models_unchanged(library, kind, names, stride):
    counts = check(allocations.outcomes(library, kind, names, stride=stride))
    assert counts["clean"] > 400, counts


def test_crashes_and_changes_are_detected(library):
    """The tests here could fail."""
    names = ("lasvm: next_chunk",)
    found = allocations.outcomes(library, "package", names, most=4, sabotage=True)
    assert [one[2] for one in found] == ["crash 11", "changed"] * 2
    assert not any(map(allocations.is_foreign, found))
