"""Pictures on the pages of the documentation."""

import re

import pytest

from tests.support import ROOT

PAGES = sorted((ROOT / "doc").glob("*.rst"))
PICTURE = re.compile(r"^ *\.\. (?:image|figure):: (\S+)\n((?: +\S.*\n)*)", re.M)

pytestmark = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)


def test_pictures_have_alternative_text(path):
    for picture, options in PICTURE.findall(path.read_text()):
        assert re.search(r":alt: \S", options), f"{picture} has no alternative text"


def test_pictures_of_the_gallery_are_drawn_by_an_example(path):
    """A build that does not run the gallery leaves them out, so that it would not warn."""
    for picture, _ in PICTURE.findall(path.read_text()):
        if picture.startswith("auto_examples"):
            found = re.fullmatch(r"auto_examples/(\w+)/images/sphx_glr_(\w+)_\d{3}\.png", picture)
            assert found, f"{picture} is not the name of a picture of the gallery"
            example = ROOT / "examples" / found[1] / f"{found[2]}.py"
            assert example.is_file(), f"{picture} has no example"
