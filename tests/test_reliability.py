"""The campaigns of the page on reliability, in their quick size."""

import pytest

from reliability import CAMPAIGNS, part

# They kill processes, wait for those that stand still, or refuse memory at each allocation.
LONG = {"allocations", "hangs", "storage"}
QUICK = [
    pytest.param(name, marks=[pytest.mark.slow] if name in LONG else [])
    for name in CAMPAIGNS
    if not hasattr(part(name), "TESTED_IN")
]


@pytest.mark.parametrize("name", QUICK)
def test_campaign_finds_nothing(name):
    records = list(part(name).campaign(quick=True))
    assert all(record["cases"] for record in records), records
    assert not [failure for record in records for failure in record["failures"]]
