"""
==============================================
Concept drift with a budget on support vectors
==============================================

Two crescents rotate, by a full turn in 12 000 samples, and jump halfway. Models with at most a
hundred support vectors are trained on the stream. The budget policy determines which support
vector is removed when there is one too many, and thus what the model remembers.

Each model predicts a sample before it is trained on it; the curves show the error on the latest
500 samples.
"""

# %%
# The stream
# ==========

import matplotlib.pyplot as plt
import numpy as np

from sklearn_online_svm import LASVC, KernelPassiveAggressiveClassifier
from sklearn_online_svm.datasets import make_banana_like

N_ROWS, CHUNK = 12_000, 50


def rotated(X, angle):
    """Rotate each sample by its angle."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.column_stack([cos * X[:, 0] - sin * X[:, 1], sin * X[:, 0] + cos * X[:, 1]])


X, y = make_banana_like(N_ROWS, noise=0.2, random_state=0)
angle = np.linspace(0, 2 * np.pi, N_ROWS) + np.where(np.arange(N_ROWS) < N_ROWS // 2, 0, np.pi / 2)
X = rotated(X, angle)

# %%
# Policies
# ========
#
# ``LASVC`` merges similar support vectors, or removes the oldest one. ``window_size`` removes all
# samples that are too old, and needs no further limit here. The kernel passive-aggressive
# classifier makes one step for each sample; its budget policies are ``"projection"``, the default,
# and ``"oldest"``.

limit = dict(gamma=1.0, max_support_vectors=100)
models = {
    "LASVC, merging": LASVC(**limit),
    "LASVC, oldest": LASVC(**limit, budget_policy="oldest"),
    "LASVC, window_size=1000": LASVC(gamma=1.0, window_size=1000),
    "LASVC, no limit": LASVC(gamma=1.0),
    "kernel PA, projection": KernelPassiveAggressiveClassifier(C=0.3, **limit),
    "kernel PA, oldest": KernelPassiveAggressiveClassifier(C=0.3, **limit, budget_policy="oldest"),
}


def run_stream(model):
    """Return the prequential error on each chunk, and the number of support vectors after it."""
    errors, sizes = [], []
    for first in range(0, N_ROWS, CHUNK):
        rows = slice(first, first + CHUNK)
        if first:
            errors.append(1 - model.score(X[rows], y[rows]))
        model.partial_fit(X[rows], y[rows], classes=[-1, 1])
        sizes.append(len(model.support_))
    return np.array(errors), np.array(sizes)


curves = {name: run_stream(model) for name, model in models.items()}
for name, (errors, sizes) in curves.items():
    print(f"{name:22s}  error {errors.mean():.1%}, at most {sizes.max()} support vectors")

# %%
# Comparison of the policies
# ==========================
#
# The model without a limit keeps support vectors from the whole stream, most of which are
# outdated. Merging represents all past samples, which is the best policy for a stationary stream
# and the wrong one under concept drift. In the latter case a sliding window is better, either of
# support vectors (``"oldest"``) or of samples (``window_size``).

COLOURS = ["#d1702a", "#1f6feb", "#2d9d63", "#24292f", "#b35fae", "#8b949e"]
WINDOW = 500 // CHUNK

figure, (above, below) = plt.subplots(
    2, 1, figsize=(8.6, 7.2), sharex=True, height_ratios=[2, 1], layout="constrained"
)
for (name, (errors, sizes)), colour in zip(curves.items(), COLOURS, strict=True):
    recent = np.convolve(errors, np.full(WINDOW, 1 / WINDOW), mode="valid")
    rows = CHUNK * np.arange(WINDOW + 1, WINDOW + 1 + len(recent))
    style = dict(color=colour, linewidth=1.8, linestyle="--" if "PA" in name else "-")
    above.plot(rows, 100 * recent, label=name, **style)
    below.plot(CHUNK * np.arange(1, 1 + len(sizes)), sizes, **style)
above.axvline(N_ROWS / 2, color="0.7", linewidth=1)
above.set(ylabel="error on the latest 500 samples (%)", ylim=(0, None))
above.legend(frameon=False, loc="upper left")
below.set(xlabel="training samples", ylabel="support vectors", yscale="log")
for axis in (above, below):
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
