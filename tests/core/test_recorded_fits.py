"""Models are bitwise identical to recorded ones."""

import json
import os
import platform
import subprocess
import sys

import pytest

from sklearn_online_svm._core.simd import primitives
from tests.support import ROOT


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64") or os.name == "nt",
    reason="elsewhere compilers fuse multiplications and additions, and bits are others",
)
def test_models_are_bitwise_identical_to_recorded_ones():
    recorded = json.loads((ROOT / "tests" / "support" / "recorded_fits.json").read_text())
    found = subprocess.run(
        [sys.executable, "-m", "tests.support.recorded_fits"],
        cwd=ROOT,
        env={**os.environ, primitives.ENVIRONMENT_VARIABLE: "portable"},
        capture_output=True,
        check=True,
        text=True,
    )
    assert json.loads(found.stdout) == recorded
