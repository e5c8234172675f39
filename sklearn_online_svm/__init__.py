"""Online, active and robust support vector machines with the scikit-learn interface."""

from importlib.metadata import PackageNotFoundError, version

from ._show_versions import show_versions
from .kernel import LASVC, RampSVC

try:
    __version__ = version("sklearn-online-svm")
except PackageNotFoundError:  # used from a checkout that was not installed
    __version__ = "0.0.0+unknown"

__all__ = ["LASVC", "RampSVC", "__version__", "show_versions"]
