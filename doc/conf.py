"""Configuration of the documentation; `make doc` builds it."""

import inspect
import os
import re
import sys
import tomllib
from pathlib import Path

import matplotlib
from docutils import nodes
from docutils.parsers.rst import Directive
from numpydoc.docscrape_sphinx import SphinxClassDoc, SphinxDocString
from sphinx_gallery.sorting import ExplicitOrder

matplotlib.use("Agg")

DOC = Path(__file__).resolve().parent
sys.path.insert(0, str(DOC))

from code_map import code_map  # noqa: E402
from gallery_sections import PAGES, SECTIONS  # noqa: E402
from parameter_groups import parameter_list  # noqa: E402

project = "sklearn_online_svm"
copyright = "2026, the sklearn_online_svm developers"
with open(DOC.parent / "pyproject.toml", "rb") as stream:
    release = version = tomllib.load(stream)["project"]["version"]

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx-mathjax-offline",
    "numpydoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
# What is inherited from scikit-learn refers to its glossary.
suppress_warnings = ["ref.term"]
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
default_role = "literal"

# Links into other projects need the network: a build without it must neither wait nor warn.
if os.environ.get("SOSVM_INTERSPHINX", "0") not in ("", "0"):
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "scipy": ("https://docs.scipy.org/doc/scipy", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
        "imblearn": ("https://imbalanced-learn.org/stable", None),
        "joblib": ("https://joblib.readthedocs.io/en/stable", None),
    }

# The page of a class lists its methods itself (_templates/autosummary/class.rst).
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False


def _param_list(self, name, fake_autosummary=False, _original=SphinxDocString._str_param_list):
    if name == "Parameters" and isinstance(self, SphinxClassDoc):
        return parameter_list(self, _original)
    return _original(self, name)


# Of an attribute that is a property numpydoc would show the summary line: the class says more.
SphinxDocString._str_param_list = _param_list

# The sidebar of a class names its methods without the class.
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "sklearn_online_svm"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"(^|[/\\])(demo|_\w*)\.py$",
    "subsection_order": [f"../examples/{section}" for section in SECTIONS],
    "within_subsection_order": ExplicitOrder(PAGES),
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("sklearn_online_svm",),
    "remove_config_comments": True,
    "download_all_examples": False,
    "write_computation_times": False,
    "show_signature": False,
    "image_srcset": ["2x"],
}

_MADE = re.compile(
    r"^( *)\.\. (include|image|figure):: /?((?:benchmarks|auto_examples/\w+/images)/\S+)\n"
    r"(?:\1[ \t]+.*\n|\n(?=\1[ \t]))*",
    re.M,
)


def leave_out_what_was_not_made(app, docname, source):
    """Leave out tables and figures of `make bench`, and pictures of the gallery, if not made."""

    def present(match):
        indent, kind, path = match.groups()
        if (DOC / path).is_file():
            return match.group()
        return f"{indent}*Not measured yet.*\n" if kind == "include" else ""

    source[0] = _MADE.sub(present, source[0])


def leave_out_links_to_scikit_learn(app, what, name, obj, options, lines):
    """Replace links of inherited docstrings to the user guide of scikit-learn by their text."""
    link = r":ref:`(.*?)\s*<(?:metadata_routing|df_output_transform)>`"
    lines[:] = [re.sub(link, r"\1", line) for line in lines]


def move_signature(app, what, name, obj, options, lines):
    """Show the signature of a class below its summary: LASVC has more than twenty parameters."""
    if what == "class" and inspect.signature(obj).parameters and lines:
        of_class = str(inspect.signature(obj)).replace("(*, ", "(").replace(", *, ", ", ")
        end = lines.index("") if "" in lines else len(lines)
        shown = [".. code-block:: python", "", f"   {obj.__name__}{of_class}"]
        lines[end:end] = ["", ".. dropdown:: Signature", "", *("   " + line for line in shown), ""]


class CodeMap(Directive):
    def run(self):
        text = "\n".join(code_map())
        return [nodes.literal_block(text, text, language="none")]


def setup(app):
    app.add_directive("code-map", CodeMap)
    app.connect("source-read", leave_out_what_was_not_made)
    app.connect("autodoc-process-docstring", leave_out_links_to_scikit_learn)
    app.connect("autodoc-process-docstring", move_signature)
    app.connect(
        "autodoc-process-signature", lambda app, what, *of: ("", None) if what == "class" else None
    )
