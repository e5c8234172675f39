"""The page "Works with" names tests that exist, and a version of each package."""

import doctest
import re

import pytest

from tests.partners.versions import PACKAGES, PAGE, VERSIONS
from tests.support import ROOT


def test_page():
    page = PAGE.read_text()
    named = set(re.findall(r"tests/[\w/]+\.py", page))
    assert all((ROOT / path).exists() for path in named)
    own = {str(path.relative_to(ROOT)) for path in (ROOT / "tests/partners").glob("test_*.py")}
    assert own - named == {"tests/partners/test_page.py"}
    stored = re.findall(r"^\.\. \|([\w-]+)\| replace:: \1 [\d.]+\w*$", VERSIONS.read_text(), re.M)
    assert stored == PACKAGES
    assert set(re.findall(r"\|([\w-]+)\|", page)) == set(PACKAGES)


def test_examples():
    for module in ("cleanlab", "mapie", "river", "skactiveml", "small_text"):
        pytest.importorskip(module, reason=f"{module} is missing")
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=options)
    assert found.attempted > 25
    assert found.failed == 0
