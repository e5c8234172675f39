"""
================================
Concept drift with kernel models
================================

Two crescents rotate, by a full turn in 12 000 samples, and jump halfway. Each model has one
parameter that determines how fast old samples are forgotten. A drift detector instead replaces the
model by a new one when the errors increase. This program needs river (``pip install river``).

Each model predicts a sample before it is trained on it; the curves show the error on the latest
500 samples.
"""

# %%
# The stream
# ==========

import matplotlib.pyplot as plt
import numpy as np
from river import drift

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
# A drift detector monitors the errors of the predictions, and raises an alarm when they increase.
# ``progressive_validation`` passes the errors to a detector, here ADWIN of the package river, and
# after an alarm trains a new model on the latest 100 samples (``retrain_window``). The model here
# weights all its samples equally: it forgets only at alarms.

watched = progressive_validation(
    models["kernel AROW, 1.0"],
    X,
    y,
    chunk_size=50,
    drift_detector=drift.ADWIN(),
    retrain_window=100,
)
results["kernel AROW, 1.0, ADWIN"] = watched
print(f"with ADWIN  error {1 - watched.accuracy()[-1]:.1%}, alarms at {watched.drift_alarms}")

# %%
# Comparison
# ==========
#
# Cumulative accuracy would hide how fast the models recover from the jump; ``rolling`` shows it.
# Kernel AROW with a factor of 1.0 weights all samples equally, and soon hardly changes any more.
# ``LASVC`` without a window adds support vectors until the new samples outweigh the old ones; at
# the end it has ten times as many as the others, and their number goes on growing. ADWIN detects
# the jump within a few dozen samples (dotted lines: alarms), and the rotation only after the
# errors have increased for long; meanwhile, the models that forget continuously are better.

COLOURS = ["#d1702a", "#1f6feb", "#2d9d63", "#24292f", "#b35fae", "#7a5c00"]

figure, (above, below) = plt.subplots(
    2, 1, figsize=(8.6, 7.2), sharex=True, height_ratios=[2, 1], layout="constrained"
)
for (name, result), colour in zip(results.items(), COLOURS, strict=True):
    error = 100 * (1 - result.rolling(500).accuracy())
    forgets = name not in ("LASVC", "kernel AROW, 1.0")
    style = dict(color=colour, linewidth=1.8, linestyle="-" if forgets else "--")
    above.plot(result.n_samples, error, label=name, **style)
    below.plot(result.n_samples, result.n_support, **style)
    for alarm in [] if result.drift_alarms is None else result.drift_alarms:
        above.axvline(alarm, color=colour, linewidth=1, linestyle=":")
above.axvline(N_SAMPLES / 2, color="0.7", linewidth=1)
above.set(ylabel="error on the latest 500 samples (%)", ylim=(0, None))
above.legend(frameon=False, loc="upper left")
below.set(xlabel="training samples", ylabel="support vectors", yscale="log")
for axis in (above, below):
    axis.spines[["top", "right"]].set_visible(False)

# %%
# Abrupt changes only
# ===================
#
# Now the crescents do not rotate, but turn by 90 degrees after every 3000 samples. Between two
# changes, a model that weights all samples since the last alarm equally is as accurate as one that
# forgets continuously, without a forgetting factor to be chosen. The window must be small: it
# should not contain many samples from before the change.

X_abrupt, y_abrupt = make_banana_like(N_SAMPLES, noise=0.2, random_state=0)
X_abrupt = rotated(X_abrupt, np.pi / 2 * (np.arange(N_SAMPLES) // 3000))
reactions = {
    "no reaction": (1.0, {}),
    "forgetting_factor=0.999": (0.999, {}),
    "ADWIN, new model of 100 samples": (
        1.0,
        dict(drift_detector=drift.ADWIN(), retrain_window=100),
    ),
    "ADWIN, new model of 500 samples": (
        1.0,
        dict(drift_detector=drift.ADWIN(), retrain_window=500),
    ),
}

figure, axis = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
for (name, (factor, parameters)), colour in zip(reactions.items(), COLOURS, strict=False):
    model = KernelAROWClassifier(**limit, forgetting_factor=factor)
    result = progressive_validation(model, X_abrupt, y_abrupt, chunk_size=50, **parameters)
    print(f"{name:33s} error {1 - result.accuracy()[-1]:.1%}", result.drift_alarms)
    error = 100 * (1 - result.rolling(300).accuracy())
    axis.plot(result.n_samples, error, label=name, color=colour, linewidth=2.5)
for change in range(3000, N_SAMPLES, 3000):
    axis.axvline(change, color="0.7", linewidth=1)
axis.set(xlabel="training samples", ylabel="error on the latest 300 samples (%)", ylim=(0, None))
axis.legend(frameon=False)
axis.spines[["top", "right"]].set_visible(False)
plt.show()

# sphinx_gallery_thumbnail_number = 2
