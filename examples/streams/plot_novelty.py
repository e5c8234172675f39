"""
======================================
Novelty detection in a drifting stream
======================================

The normal samples form a crescent that moves along half a circle within 20 000 samples; one sample
in a hundred is an outlier. A ``OneClassLASVM`` with a window of 2000 samples follows the crescent.
Two thresholds of its scores are compared: ``offset_``, and a quantile of the scores of recent
samples. The page on :ref:`novelty` describes the model.
"""

# %%
# The stream
# ==========

import matplotlib.pyplot as plt
import numpy as np

from sklearn_online_svm import OneClassLASVM
from sklearn_online_svm.datasets import make_banana_like

N_SAMPLES, CHUNK, RECENT = 20_000, 250, 1000


def rotated(X, angle):
    """Rotate each sample by its angle."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.column_stack([cos * X[:, 0] - sin * X[:, 1], sin * X[:, 0] + cos * X[:, 1]])


X, y = make_banana_like(3 * N_SAMPLES, noise=0.2, random_state=0)
X = X[y == 1][:N_SAMPLES]
X = rotated(X - X.mean(axis=0) + [2, 0], np.linspace(0, np.pi, N_SAMPLES))
rng = np.random.default_rng(0)
outliers = rng.random(N_SAMPLES) < 0.01
X[outliers] = rng.uniform(-4, 4, size=(outliers.sum(), 2))

# %%
# Training
# ========
#
# Each chunk is scored before the model is trained on it. The second threshold is computed from
# the latest 1000 samples, scored by the current model: scores of an earlier model are not
# comparable, because the level of the scores changes with the model.

NU = 0.02
models = {
    "window_size=2000": OneClassLASVM(nu=NU, gamma=0.6, window_size=2000),
    "no window": OneClassLASVM(nu=NU, gamma=0.6),
}
MOMENTS = [5000, 12_500, 20_000]
grid_x, grid_y = np.meshgrid(np.linspace(-5, 5, 150), np.linspace(-3, 5, 150))
grid = np.column_stack([grid_x.ravel(), grid_y.ravel()])


def quantile(model, n_seen):
    """Return the threshold below which the share NU of the recent samples lies."""
    return np.quantile(model.score_samples(X[max(0, n_seen - RECENT) : n_seen]), NU)


rejected = {name: [] for name in models}
boundaries = {}
for name, model in models.items():
    for start in range(0, N_SAMPLES, CHUNK):
        chunk = X[start : start + CHUNK]
        if start >= RECENT:
            scores = model.score_samples(chunk)
            thresholds = model.offset_, quantile(model, start)
            rejected[name].append([start, *(np.mean(scores < t) for t in thresholds)])
        model.partial_fit(chunk)
        n_seen = start + CHUNK
        if n_seen in MOMENTS:
            scores = model.score_samples(grid).reshape(grid_x.shape)
            boundaries[name, n_seen] = scores, quantile(model, n_seen)
    share = np.mean(rejected[name], axis=0)[1:]
    print(
        f"{name:17s} {len(model.support_)} support vectors, rejected: {share[0]:.1%} by offset_, "
        f"{share[1]:.1%} by the quantile"
    )

# %%
# The boundary at three moments
# =============================
#
# Dots are the latest 1000 samples, and the boundary is that of the quantile. With the window, it
# moves with the crescent. Without a window, it also encloses the places of earlier samples.

COLOURS = {"window_size=2000": "#1f6feb", "no window": "#d1702a"}

for n_seen in MOMENTS:
    figure, axis = plt.subplots(figsize=(5, 4.2), layout="constrained")
    recent = X[n_seen - RECENT : n_seen]
    axis.plot(*recent.T, ".", color="0.6", markersize=3)
    for name, colour in COLOURS.items():
        scores, threshold = boundaries[name, n_seen]
        axis.contour(grid_x, grid_y, scores, [threshold], colors=colour, linewidths=2.5)
        axis.plot([], [], color=colour, linewidth=2.5, label=name)
    axis.set_title(f"after {n_seen} samples", fontweight="bold", fontsize=16)
    axis.set(xlim=(-4.5, 4.5), ylim=(-3, 4), aspect="equal", xticks=[], yticks=[])
    axis.legend(frameon=False, loc="lower right")
plt.show()

# %%
# The share rejected
# ==================
#
# At the optimum, at most the share ``nu`` of the training samples is below ``offset_``. With a
# window that holds some 40 support vectors, more new samples are rejected.
# Without a window, the drift carries new samples across the boundary. With the quantile, the share
# is close to ``nu``, although the scores are the same. It is slightly larger, because the model
# has been trained on the samples of which the quantile is computed.

figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.6), sharey=True, layout="constrained")
for axis, (name, colour) in zip(axes, COLOURS.items(), strict=True):
    start, by_offset, by_quantile = np.transpose(rejected[name])
    axis.plot(start, 100 * by_offset, color=colour, alpha=0.45, label="offset_")
    axis.plot(start, 100 * by_quantile, color=colour, linewidth=1.8, label="quantile")
    axis.axhline(100 * NU, color="0.3", linestyle="--", linewidth=1, label="nu")
    axis.set(title=name, xlabel="samples seen", ylim=(0, None))
    axis.legend(frameon=False)
    axis.spines[["top", "right"]].set_visible(False)
axes[0].set(ylabel="new samples rejected (%)")
plt.show()

# sphinx_gallery_thumbnail_number = 3
