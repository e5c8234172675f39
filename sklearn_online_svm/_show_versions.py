"""Versions and system information for bug reports."""

import sklearn

from ._core.simd.primitives import simd_level, simd_levels
from ._version import __version__


def show_versions():
    """Print the versions, thread pools and instruction set in use.

    The instruction set is that of the inner loops in this process; the available ones are those
    that this build and this machine support. The rest is printed by
    :func:`sklearn.show_versions`.

    Examples
    --------
    >>> from sklearn_online_svm import show_versions
    >>> show_versions()  # doctest: +SKIP
    """
    levels = ", ".join(map(str, simd_levels()))
    print(f"\nsklearn-online-svm: {__version__}")
    print(f"SIMD level: {simd_level()} (available: {levels})")
    sklearn.show_versions()
