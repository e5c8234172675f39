"""Write the versions of the partners' packages in this environment into the documentation::

    python -m tests.partners.versions

``make test-partners`` does so after the tests. The page "Works with" includes the file.
"""

from importlib.metadata import version
from pathlib import Path

PAGE = Path(__file__).parents[2] / "doc" / "partners.rst"
VERSIONS = PAGE.with_name("partners_versions.inc")
PACKAGES = [
    "asreview",
    "cleanlab",
    "crepes",
    "dask",
    "imbalanced-learn",
    "joblib",
    "MAPIE",
    "mlflow-skinny",
    "modAL-python",
    "onnxruntime",
    "optuna",
    "pandas",
    "polars",
    "river",
    "scikit-activeml",
    "scikit-learn",
    "skl2onnx",
    "skops",
    "small-text",
    "venn-abers",
]


def substitutions():
    """Lines of reStructuredText: ``|river|`` is replaced by its name and version."""
    return "".join(f".. |{name}| replace:: {name} {version(name)}\n" for name in PACKAGES)


if __name__ == "__main__":
    VERSIONS.write_text(substitutions())
