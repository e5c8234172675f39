"""Models are bitwise identical to recorded ones, at each SIMD level and with each BLAS."""

import json
import os
import subprocess
import sys

import pytest

from sklearn_online_svm._core.simd import primitives
from tests.support import ROOT
from tests.support.programs import FUSED_LEVELS

# Other loops of BLAS and of NumPy, and other functions of the C library, as on an older processor.
OLD_PROCESSOR = {
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX2 FMA3 AVX512F",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable",
    "OPENBLAS_NUM_THREADS": "2",
}


@pytest.mark.parametrize(
    "environment",
    [
        *(
            pytest.param(
                {primitives.ENVIRONMENT_VARIABLE: level}, id=level, marks=pytest.mark.slow
            )
            for level in FUSED_LEVELS
        ),
        pytest.param(
            {primitives.ENVIRONMENT_VARIABLE: FUSED_LEVELS[0], **OLD_PROCESSOR}, id="libraries"
        ),
    ],
)
def test_models_are_bitwise_identical_to_recorded_ones(environment):
    recorded = json.loads((ROOT / "tests" / "support" / "recorded_fits.json").read_text())
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.support.recorded_fits"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
        text=True,
    )
    assert json.loads(found.stdout) == recorded
