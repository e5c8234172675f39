"""Failed allocations: the campaign of ``tests/reliability/allocations.py`` could fail."""

import pytest

from tests.support import allocations


@pytest.mark.skipif(allocations.compiler() is None, reason="needs Linux and a C compiler")
def test_crashes_and_changes_are_detected(tmp_path):
    library, names = allocations.build(tmp_path), ("lasvm: next_chunk",)
    found = allocations.outcomes(library, names, ["package"], most=4, sabotage=True)
    assert [one[3] for one in found] == ["crash 11", "changed"] * 2
    assert not any(map(allocations.is_foreign, found))
