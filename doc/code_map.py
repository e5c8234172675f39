"""The map of the package, on the page about the architecture.

It has the first line of the docstring of each module, so that it describes what exists.
"""

import re
import textwrap
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "sklearn_online_svm"
ENGINE = PACKAGE / "_core"
WIDTH = 87
# Column of the descriptions.
TEXT_AT = 32


def summary(path):
    """Return the first line of the docstring of a module."""
    text = path.read_text(encoding="utf-8")
    return re.search(r'^r?"""(.+?)(?:"""|\n)', text)[1].replace("``", "")


def code_map(folder=PACKAGE, depth=0):
    """Return the lines of the map of a folder: its modules, then its folders, the engine last.

    The folders of the engine appear without their modules, which the page lists by layers.
    """
    lines = [_line(f"{folder.name}/", folder / "__init__.py", depth)]
    below = sorted(folder.iterdir(), key=lambda path: (path == ENGINE, path.name.lstrip("_")))
    if ENGINE not in folder.parents:
        lines += [_line(path.name, path, depth + 1) for path in below if _is_module(path)]
    for path in below:
        if (path / "__init__.py").is_file() and folder.parent != ENGINE:
            lines += code_map(path, depth + 1)
    return lines


def _is_module(path):
    if path.suffix == ".pxd":
        return not path.with_suffix(".pyx").exists()
    return path.suffix in (".py", ".pyx") and path.name != "__init__.py"


def _line(name, path, depth):
    indent = "  " * depth
    return textwrap.fill(
        summary(path),
        WIDTH,
        initial_indent=f"{indent}{name}".ljust(TEXT_AT - 1) + " ",
        subsequent_indent=" " * TEXT_AT,
        break_long_words=False,
        break_on_hyphens=False,
    )
