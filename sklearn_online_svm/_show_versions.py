"""Versions and system information for bug reports."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from threadpoolctl import threadpool_info

_PACKAGES = (
    "sklearn-online-svm",
    "scikit-learn",
    "numpy",
    "scipy",
    "joblib",
    "threadpoolctl",
    "Cython",
)


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def show_versions():
    """Print the versions, thread pools and instruction set in use.

    The instruction set is that of the inner loops in this process; the available ones are those
    that this build and this machine support.

    Examples
    --------
    >>> from sklearn_online_svm import show_versions
    >>> show_versions()  # doctest: +SKIP
    """
    # Imported here so that a broken build does not prevent the rest of the report.
    try:
        from ._core.simd.primitives import simd_level, simd_levels

        simd = {"in use": simd_level(), "available": ", ".join(map(str, simd_levels()))}
    except ImportError as error:
        simd = {"not available": error}

    sections = {
        "System": {
            "python": sys.version.replace("\n", " "),
            "executable": sys.executable,
            "machine": platform.platform(),
        },
        "Packages": {name: _version(name) for name in _PACKAGES},
        "SIMD level": simd,
    }
    for title, entries in sections.items():
        print(f"\n{title}:")
        for name, value in entries.items():
            print(f"{name:>18}: {value}")

    print("\nThread pools:")
    for pool in threadpool_info():
        name = pool.get("prefix") or pool.get("internal_api")
        print(f"{name:>18}: {pool['num_threads']} threads, {pool['user_api']}, {pool['filepath']}")
