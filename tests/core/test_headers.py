"""Our headers compile without warnings, alone and whatever was included before."""

import shutil
import subprocess
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "sklearn_online_svm" / "_core"
COMPILER = next(filter(None, map(shutil.which, ("gcc", "clang"))), None)
# Included several times over by others, which are here.
PARTS = {
    "primitives_level.h", "primitives_linear.h", "primitives_manhattan.h", "primitives_pairs.h",
    "primitives_real.h",
    "primitives_solver.h", "primitives_vectors.h", "primitives_wide.h",
}  # fmt: skip
HEADERS = sorted(path for path in CORE.rglob("*.h") if path.name not in PARTS)
# Functions that are there to be called must be.
CALLS = {
    "primitives_levels.h": "const simd_table *tables[SIMD_MAX_LEVELS]; "
    "(void)simd_available(tables);"
}


@pytest.mark.skipif(COMPILER is None, reason="there is no gcc or clang")
@pytest.mark.parametrize(
    "header",
    [
        pytest.param(path, marks=[pytest.mark.slow] * (path.name in CALLS), id=path.name)
        for path in HEADERS  # the levels take ten seconds
    ],
)
def test_headers_have_no_warnings(header, tmp_path):
    program = tmp_path / "program.c"
    call = CALLS.get(header.name, "")
    program.write_text(
        f'#include "{header}"\n#include "{header}"\nint main(void) {{ {call} return 0; }}\n'
    )
    rooms = [f"-I{CORE / room}" for room in ("simd", "kernel/rows", "linear", "threads")]
    flags = ["-std=gnu99", "-O1", "-Wall", "-Wextra", "-Werror"]
    command = [COMPILER, *flags, *rooms, "-c", str(program), "-o", str(tmp_path / "program.o")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_headers_are_found():
    assert {"primitives.h", "primitives_levels.h", "row_pool.h", "rules.h"} <= {
        p.name for p in HEADERS
    }
