"""What a bug report needs to say about the machine and the packages."""

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


def _package_versions():
    """Version of each package that matters here, None for those not installed."""
    versions = {}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    return versions


def show_versions():
    """Print the versions, thread pools and instruction set in use.

    The instruction set is the one the inner loops run on in this process; the list beside it
    is what this build and this machine offer.

    Examples
    --------
    >>> from sklearn_online_svm import show_versions
    >>> show_versions()  # doctest: +SKIP
    """
    # Here and not above: a broken or missing build must not hide the rest of the report.
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
        "Packages": _package_versions(),
        "SIMD level": simd,
    }
    for title, rows in sections.items():
        print(f"\n{title}:")
        for name, value in rows.items():
            print(f"{name:>18}: {value}")

    # BLAS libraries are listed once they are loaded, which importing this package does.
    print("\nThread pools:")
    for pool in threadpool_info():
        name = pool.get("prefix") or pool.get("internal_api")
        print(f"{name:>18}: {pool['num_threads']} threads, {pool['user_api']}, {pool['filepath']}")
