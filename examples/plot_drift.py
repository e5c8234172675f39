"""
================================
Concept drift with kernel models
================================

Two crescents rotate, by a full turn in 12 000 samples, and jump halfway. Each model has one
parameter that determines how fast old samples are forgotten.

Each model predicts a sample before it is trained on it; the curves show the error on the latest
500 samples.
"""

# %%
# The stream
# ==========

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone

from sklearn_online_svm import (
    LASVC,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
)
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.evaluation import progressive_validation

N_SAMPLES = 12_000


def rotated(X, angle):
    """Rotate each sample by its angle."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.column_stack([cos * X[:, 0] - sin * X[:, 1], sin * X[:, 0] + cos * X[:, 1]])


X, y = make_banana_like(N_SAMPLES, noise=0.2, random_state=0)
angle = np.linspace(0, 2 * np.pi, N_SAMPLES) + np.where(
    np.arange(N_SAMPLES) < N_SAMPLES // 2, 0, np.pi / 2
)
X = rotated(X, angle)

# %%
# Models
# ======
#
# ``KernelAROWClassifier`` forgets exponentially: with ``forgetting_factor=0.999``, the weight of a
# sample is halved after 700 samples. The default of 0.99999 suits much slower changes, and 1.0
# weights all samples equally. ``LASVC`` is trained on a sliding window, ``window_size``. The
# kernel passive-aggressive classifier has no such parameter: ``C`` is the largest step, and each
# step partly replaces what was learned before.

limit = dict(gamma=1.0, max_support_vectors=100)
models = {
    "kernel AROW, 0.999": KernelAROWClassifier(**limit, forgetting_factor=0.999),
    "kernel AROW, 1.0": KernelAROWClassifier(**limit, forgetting_factor=1.0),
    "LASVC, window_size=1000": LASVC(gamma=1.0, window_size=1000),
    "LASVC": LASVC(gamma=1.0),
    "kernel PA": KernelPassiveAggressiveClassifier(C=0.3, **limit),
}

results = {
    name: progressive_validation(model, X, y, chunk_size=50) for name, model in models.items()
}
for name, result in results.items():
    error, size = 1 - result.accuracy()[-1], result.n_support.max()
    print(f"{name:22s}  error {error:.1%}, at most {size} support vectors")

# %%
# A drift detector
# ================
#
# Abrupt changes can also be detected, so that a new model is trained from then on. The drift
# detection method (DDM; Gama et al., 2004) compares the error rate since the last restart with its
# minimum. The packages river and frouros have further detectors.


def restarted(model, X, y, chunk_size=50):
    """Predict and train chunk by chunk; train a new model after each detected change."""
    predictions, n_restarts = [], 0
    errors, lowest, limit = [], np.inf, np.inf
    for first in range(0, len(y), chunk_size):
        chunk = slice(first, first + chunk_size)
        if first:
            predictions.append(model.predict(X[chunk]))
            errors.extend(predictions[-1] != y[chunk])
            rate = np.mean(errors)
            deviation = np.sqrt(rate * (1 - rate) / len(errors))
            if len(errors) >= 500 and rate + deviation < lowest:
                lowest, limit = rate + deviation, rate + 3 * deviation
            if rate + deviation > limit:
                model, n_restarts = clone(model), n_restarts + 1
                errors, lowest, limit = [], np.inf, np.inf
        model.partial_fit(X[chunk], y[chunk], classes=[-1, 1])
    return np.concatenate(predictions), n_restarts


predictions, n_restarts = restarted(models["kernel AROW, 1.0"], X, y)
error = np.mean(predictions != y[-len(predictions) :])
print(f"kernel AROW, restarted {n_restarts} times: error {error:.1%}")

# %%
# Comparison
# ==========
#
# Cumulative accuracy would hide how fast the models recover from the jump; ``rolling`` shows it.
# Kernel AROW with a factor of 1.0 weights all samples equally, and soon hardly changes any more.
# ``LASVC`` without a window adds support vectors until the new samples outweigh the old ones; at
# the end it has ten times as many as the others, and their number goes on growing.

COLOURS = ["#d1702a", "#1f6feb", "#2d9d63", "#24292f", "#b35fae"]

figure, (above, below) = plt.subplots(
    2, 1, figsize=(8.6, 7.2), sharex=True, height_ratios=[2, 1], layout="constrained"
)
for (name, result), colour in zip(results.items(), COLOURS, strict=True):
    error = 100 * (1 - result.rolling(500).accuracy())
    forgets = name not in ("LASVC", "kernel AROW, 1.0")
    style = dict(color=colour, linewidth=1.8, linestyle="-" if forgets else "--")
    above.plot(result.n_samples, error, label=name, **style)
    below.plot(result.n_samples, result.n_support, **style)
above.axvline(N_SAMPLES / 2, color="0.7", linewidth=1)
above.set(ylabel="error on the latest 500 samples (%)", ylim=(0, None))
above.legend(frameon=False, loc="upper left")
below.set(xlabel="training samples", ylabel="support vectors", yscale="log")
for axis in (above, below):
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
