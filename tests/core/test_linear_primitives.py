"""The SIMD primitives of the linear models at each level of this machine."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_online_svm._core.simd import primitives as simd
from tests.support.programs import FUSED_LEVELS, at_level

# Trains each kind of weights, for each layout and type, and one in so many of the numbers of
# features and of classes, and saves all weights.
PROGRAM = """
import sys
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn_online_svm._core.simd.primitives import simd_level
from sklearn_online_svm.linear import (
    Advice, AdvicePassiveAggressiveClassifier, AROWClassifier, LocalOnlineClassifier,
    PassiveAggressiveClassifier, PassiveAggressiveRegressor, SCWClassifier,
)

MODELS = {
    "plain": PassiveAggressiveClassifier(C=0.3, intercept_scaling=1.0),
    "mean": PassiveAggressiveClassifier(C=0.3, intercept_scaling=1.0, average=3),
    "joint": PassiveAggressiveClassifier(
        C=0.3, intercept_scaling=1.0, average=True, multi_class="crammer_singer"
    ),
    "diagonal": AROWClassifier(),
    "full": SCWClassifier(covariance="full"),
    "homogeneous": AROWClassifier(covariance="full", fit_intercept=False),
    "local": LocalOnlineClassifier(4, C=0.3, n_neighbors=2, average=True),
    "local, scw": LocalOnlineClassifier(6, C=0.3, variant="scw"),
    # A weight with which the scale is multiplied into float32 weights.
    "advice": AdvicePassiveAggressiveClassifier(C=0.3, advice_weight=10.0),
    "refined": AdvicePassiveAggressiveClassifier(C=0.3, advice_weight=0.1, refine=True),
    "regression": PassiveAggressiveRegressor(C=0.3, intercept_scaling=0.5),
}
SHAPES = [
    *((d, 2) for d in [*range(1, 41), 63, 64, 65, 100, 130]),
    *((5, k) for k in [*range(3, 36), 63, 64, 65, 130]),
    *((33, k) for k in (4, 5, 17, 40)),
]

trained = {}
for name, model in MODELS.items():
    for d, k in SHAPES[:: int(sys.argv[2])]:
        if name == "regression" and k > 2 or name in ("full", "homogeneous") and d * k > 600:
            continue
        rng = np.random.default_rng([d, k])
        X = rng.normal(size=(10, d)) / d**0.5
        X[rng.random(X.shape) < (0.5 if d > 1 else 0)] = 0.0
        y = rng.normal(size=10) if name == "regression" else rng.integers(k, size=10)
        for layout in (np.array, csr_matrix):
            for dtype in (np.float64, np.float32):
                more = {} if name == "regression" else {"classes": range(k)}
                model = clone(model)
                if hasattr(model, "advice"):
                    model.advice = [Advice(np.ones((1, d)), [-1.0], 1)]
                model.partial_fit(layout(X.astype(dtype)), y, **more)
                names = ("coef_", "intercept_", "covariance_")
                if name.startswith("local"):
                    names = ("common_coef_", "common_intercept_", "local_coef_", "prototypes_")
                state = [np.ravel(getattr(model, part, 0.0)) for part in names]
                state = np.concatenate(state)
                key = "/".join([name, f"{d}x{k}", layout.__name__, dtype.__name__])
                trained[key] = state.astype(np.float64)
np.savez(sys.argv[1], **trained)
print(simd_level())
"""


def weights_of(level, stride, folder):
    """Return the weights that PROGRAM saves, by name."""
    result = at_level(level, PROGRAM, str(folder / "weights.npz"), str(stride))
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == level
    with np.load(folder / "weights.npz") as arrays:
        return dict(arrays)


# One test, as each process of pytest-xdist would train the models anew.
@pytest.mark.slow
@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_levels_have_the_same_bits_and_layouts_differ_by_rounding(stride, tmp_path):
    """Every seventh shape; divided by the SIMD width, their lengths leave every remainder."""
    trained = {level: weights_of(level, stride, tmp_path) for level in simd.simd_levels()}
    portable = trained["portable"]
    for level in trained:
        assert trained[level].keys() == portable.keys()
        n_different = 0
        for name, weights in trained[level].items():
            model, shape, _, dtype = name.split("/")
            wanted = portable[name]
            accuracy = 1e-4 if dtype == "float32" else 1e-11
            assert_allclose(weights, wanted, rtol=accuracy, atol=accuracy, err_msg=name)
            assert np.abs(wanted[: len(wanted) // 2]).max() > 1e-3 or shape == "1x2"
            n_different += (weights != wanted).any()
            dense = trained[level][f"{model}/{shape}/array/float64"]
            accuracy = 1e-3 if dtype == "float32" else 1e-11
            assert_allclose(weights, dense, rtol=accuracy, atol=accuracy, err_msg=name)
        if level in FUSED_LEVELS:
            assert n_different == 0
        else:
            assert n_different > len(portable) / 10
