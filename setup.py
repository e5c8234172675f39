"""Build the Cython extensions; everything else is declared in pyproject.toml.

Environment variables
---------------------
SOSVM_DEBUG=1
    Check bounds and initialisation of memoryviews, keep C assertions, add debug symbols. The
    next build without it needs ``build_ext --force`` (``make test-debug`` sees to that).
SOSVM_NO_EXTENSIONS=1
    Build no extension. The Makefile installs the metadata this way and compiles in place
    afterwards, so that only what changed is compiled again.
"""

import os
import sys
from glob import glob
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

CORE = "sklearn_online_svm/_core"
# An extension with the code of memoryviews, which would otherwise be compiled into each of them.
SHARED = f"{CORE}/_cyutility"
ROOMS_WITH_HEADERS = ("simd", "kernel/rows", "linear", "threads")
DEBUG = os.environ.get("SOSVM_DEBUG", "0") not in ("", "0")
NO_EXTENSIONS = os.environ.get("SOSVM_NO_EXTENSIONS", "0") not in ("", "0")

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": False,
    "initializedcheck": DEBUG,
    "cdivision": True,
}

# Never -ffast-math: it removes the rounding constant of the polynomial exp and breaks NaN
# checks. Never -march=native: wheels must run anywhere; primitives.h dispatches at run time.
# Without -ffp-contract=off, whether a product and a sum are rounded once or twice would depend on
# the instruction set.
FLOATING_POINT = ["-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"]
COMPILE_ARGS = {
    "unix": ["-O3", "-g0", *FLOATING_POINT],
    "mingw32": ["-O3", "-g0", *FLOATING_POINT],
    "msvc": ["/O2"],
}
DEBUG_COMPILE_ARGS = {
    "unix": ["-O1", "-g", "-UNDEBUG", *FLOATING_POINT],
    "mingw32": ["-O1", "-g", "-UNDEBUG", *FLOATING_POINT],
    "msvc": ["/Od", "/Zi", "/UNDEBUG"],
}


class BuildExt(build_ext):
    """Choose the flags once the compiler is known and compile the extensions in parallel."""

    def finalize_options(self):
        super().finalize_options()
        if self.parallel is None:
            self.parallel = os.cpu_count() or 1

    def build_extensions(self):
        args = DEBUG_COMPILE_ARGS if DEBUG else COMPILE_ARGS
        for extension in self.extensions:
            extension.extra_compile_args += args.get(self.compiler.compiler_type, [])
        super().build_extensions()


def extensions():
    """One extension per .pyx of the core; all see the headers and the contracts (.pxd)."""
    # The module with the loops for all instruction sets takes longest to compile, so it is first.
    sources = sorted(
        glob(f"{CORE}/**/*.pyx", recursive=True), key=lambda path: ("/simd/" not in path, path)
    )
    if NO_EXTENSIONS or not sources:
        return []

    # Only here: a build that compiles nothing needs no Cython.
    from Cython.Build import cythonize

    depends = [name for end in ("h", "pxd") for name in glob(f"{CORE}/**/*.{end}", recursive=True)]
    modules = [
        Extension(
            _module_name(source),
            sources=[source],
            include_dirs=[f"{CORE}/{room}" for room in ROOMS_WITH_HEADERS],
            depends=sorted(depends),
        )
        for source in sources
    ]
    shared = Extension(_module_name(SHARED), sources=[f"{SHARED}.c"])
    return cythonize(
        [shared, *modules],
        shared_utility_qualified_name=shared.name,
        compiler_directives=DIRECTIVES,
        nthreads=os.cpu_count() or 1,
        # Cython compares dates, not directives: C generated for the other kind of build would
        # be taken for current.
        force=DEBUG or "--force" in sys.argv,
    )


def _module_name(source):
    return ".".join(Path(source).with_suffix("").parts)


# The processes of Cython import this file where processes are not forked.
if __name__ == "__main__":
    setup(ext_modules=extensions(), cmdclass={"build_ext": BuildExt})
