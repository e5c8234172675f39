"""Failed allocations: the campaign of ``reliability/allocations.py`` could fail."""

import pytest

from tests.support import allocations


@pytest.mark.slow
@pytest.mark.skipif(allocations.compiler() is None, reason="needs Linux and a C compiler")
@pytest.mark.parametrize(("sabotage", "outcome"), [("crash", "crash 11"), ("change", "changed")])
def test_crashes_and_changes_are_detected(tmp_path, sabotage, outcome):
    library, names = allocations.build(tmp_path), ("lasvm: next_chunk",)
    found = allocations.outcomes(library, names, ["package"], most=2, sabotage=sabotage)
    assert [one[3] for one in found] == [outcome] * 2
    assert not any(map(allocations.is_foreign, found))
