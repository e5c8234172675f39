"""The campaigns of the page on reliability, in their quick size."""

import pytest

from reliability import CAMPAIGNS, part

QUICK = [name for name in CAMPAIGNS if not hasattr(part(name), "TESTED_IN")]


@pytest.mark.parametrize("name", QUICK)
def test_campaign_finds_nothing(name):
    records = list(part(name).campaign(quick=True))
    assert all(record["cases"] for record in records), records
    assert not [failure for record in records for failure in record["failures"]]
