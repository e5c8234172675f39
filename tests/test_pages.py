"""Code and pictures on the pages of the documentation."""

import ast
import builtins
import doctest
import re
from textwrap import dedent

import pytest

from tests.support import ROOT

DOC = ROOT / "doc"
PAGES = [ROOT / "README.rst", *sorted(DOC.glob("*.rst")), *sorted(DOC.glob("reproduction/*.rst"))]
PICTURE = re.compile(r"^ *\.\. (?:image|figure):: /?(\S+)\n((?: +\S.*\n)*)", re.M)
COMMENT = re.compile(r"^( *)\.\.(?: +(?!\S+::|[_\[|]).*)?\n(?:\1 +.*\n|\n(?=\1 ))*", re.M)
CODE_BLOCK = re.compile(r"^( *)\.\. code-block:: python\n((?:\1 +.*\n|\n)*)", re.M)

pytestmark = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)


def test_comments_contain_no_examples(path):
    """Readers do not see them: what they copy would not run, although the doctests pass."""
    comments = [match.group() for match in COMMENT.finditer(path.read_text())]
    assert not [comment for comment in comments if ">>>" in comment]


def test_code_uses_names_defined_before(path):
    """Code blocks are not run, since they need the files or packages of the reader."""
    known, unknown = set(dir(builtins)), []
    for line, code in _code(path.read_text()):
        nodes = list(ast.walk(ast.parse(code)))
        known.update(*map(_names_defined, nodes))
        unknown += [
            f"line {line}: {node.id}"
            for node in nodes
            if isinstance(node, ast.Name) and node.id not in known
        ]
    assert not unknown


def _code(page):
    """Doctests and code blocks, in their order, each with the number of its line."""
    doctests = doctest.DocTestParser().get_examples(page)
    code = [(example.lineno + 1, example.source) for example in doctests]
    for block in CODE_BLOCK.finditer(page):
        code.append((page.count("\n", 0, block.start()) + 1, dedent(block[2])))
    return sorted(code)


def _names_defined(node):
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            return {name}
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
            return {name}
        case ast.ExceptHandler(name=str(name)):
            return {name}
        case ast.alias(name=name, asname=other):
            return {other or name.split(".")[0]}
    return set()


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
