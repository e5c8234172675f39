"""The version that is installed."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("sklearn-online-svm")
except PackageNotFoundError:  # used from a checkout that was not installed
    __version__ = "0.0.0+unknown"
