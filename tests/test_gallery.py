"""The programs of the gallery: listed, self-contained, in one set of colours; all of them run."""

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

from doc.gallery_sections import SECTIONS
from tests.support import ROOT

EXAMPLES = ROOT / "examples"
PAGES = sorted(EXAMPLES.rglob("plot_*.py"))
LABELS = {f"sphx_glr_auto_examples_{page.parent.name}_{page.name}" for page in PAGES}
# Blue, orange, green, grey, ink, purple and brown; the grid; two shades for areas.
COLOURS = {
    "#1f6feb", "#d1702a", "#2d9d63", "#8b949e", "#24292f", "#b35fae", "#7a5c00",
    "#e6e8eb", "#9cc3fa", "#f3c6a0", "#ffffff",
}  # fmt: skip
# Reads a module of the repository, as its page says.
NOT_ALONE = {"plot_name_disambiguation.py"}

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def imported_packages(page):
    """Return the names of the packages that a program imports, except in ``try``."""
    names = set()
    for node in ast.parse(page.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module.split(".")[0])
    return names


def test_sections_list_each_page_once():
    listed = [
        EXAMPLES / section / f"plot_{page}.py"
        for section in SECTIONS
        for page in SECTIONS[section]
    ]
    assert sorted(listed) == PAGES


@pytest.mark.parametrize("section", SECTIONS)
def test_section_has_a_heading(section):
    title, line, *_ = (EXAMPLES / section / "README.txt").read_text(encoding="utf-8").split("\n")
    assert title and line == "-" * len(title)


@pages
def test_page_uses_the_colours_of_the_gallery(page):
    used = set(re.findall(r"#[0-9a-f]{6}\b", page.read_text(encoding="utf-8").lower()))
    assert used <= COLOURS


@pages
def test_links_between_pages_exist(page):
    links = re.findall(r"sphx_glr_auto_examples_\w+\.py", page.read_text(encoding="utf-8"))
    assert set(links) <= LABELS


@pages
def test_page_imports_no_module_of_the_repository(page):
    local = {path.stem for path in EXAMPLES.rglob("*.py")} | {"tests", "benchmarks"}
    assert bool(imported_packages(page) & local) == (page.name in NOT_ALONE)


@pytest.mark.slow
@pages
def test_page_runs_alone_in_an_empty_folder(page, tmp_path):
    if page.name in NOT_ALONE:
        pytest.skip("tests/test_name_disambiguation.py runs it")
    missing = [name for name in imported_packages(page) if find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    shutil.copy(page, tmp_path)
    run = subprocess.run(
        [sys.executable, page.name],
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
