"""
===================================
A limited memory in a moving world
===================================

Two crescents turn around each other, a full turn in 12 000 rows, and halfway they jump. Models
that keep at most a hundred vectors learn the rows as they come. What a model lets go when there is
one too many, its policy, decides what it remembers.

Each model predicts a row before it learns it; the curves are the errors on the latest 500 rows.
"""

# %%
# The stream
# ==========

import matplotlib.pyplot as plt
import numpy as np

from sklearn_online_svm import LASVC, KernelPassiveAggressiveClassifier
from sklearn_online_svm.datasets import make_banana_like

N_ROWS, CHUNK = 12_000, 50


def turned(X, angle):
    """Rows, each turned by its angle."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.column_stack([cos * X[:, 0] - sin * X[:, 1], sin * X[:, 0] + cos * X[:, 1]])


X, y = make_banana_like(N_ROWS, noise=0.2, random_state=0)
angle = np.linspace(0, 2 * np.pi, N_ROWS) + np.where(np.arange(N_ROWS) < N_ROWS // 2, 0, np.pi / 2)
X = turned(X, angle)

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


def learn(model):
    """Errors on each chunk before it is learnt, and how many vectors there are then."""
    errors, sizes = [], []
    for first in range(0, N_ROWS, CHUNK):
        rows = slice(first, first + CHUNK)
        if first:
            errors.append(1 - model.score(X[rows], y[rows]))
        model.partial_fit(X[rows], y[rows], classes=[-1, 1])
        sizes.append(len(model.support_))
    return np.array(errors), np.array(sizes)


curves = {name: learn(model) for name, model in models.items()}
for name, (errors, sizes) in curves.items():
    print(f"{name:22s}  error {errors.mean():.1%}, at most {sizes.max()} vectors")

# %%
# What it costs to remember
# =========================
#
# The model without a limit remembers everything, and what it remembers has long ceased to be true.
# Merging keeps a sample of all that was: the best memory of a world that stays, and the wrong one
# of a world that moves. There a window is better, of vectors (``"oldest"``) or of rows
# (``window_size``).

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
above.set(ylabel="error on the latest 500 rows (%)", ylim=(0, None))
above.legend(frameon=False, loc="upper left")
below.set(xlabel="rows learnt", ylabel="vectors", yscale="log")
for axis in (above, below):
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
