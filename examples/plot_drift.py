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


results = {
    name: progressive_validation(model, X, y, chunk_size=50) for name, model in models.items()
}
for name, result in results.items():
    error, size = 1 - result.accuracy()[-1], result.n_support.max()
    print(f"{name:22s}  error {error:.1%}, at most {size} support vectors")

# %%
# Comparison of the policies
# ==========================
#
# The model without a limit keeps support vectors from the whole stream, most of which are
# outdated. Merging represents all past samples, which is the best policy for a stationary stream
# and the wrong one under concept drift. In the latter case a sliding window is better, either of
# support vectors (``"oldest"``) or of samples (``window_size``).

COLOURS = ["#d1702a", "#1f6feb", "#2d9d63", "#24292f", "#b35fae", "#8b949e"]

figure, (above, below) = plt.subplots(
    2, 1, figsize=(8.6, 7.2), sharex=True, height_ratios=[2, 1], layout="constrained"
)
for (name, result), colour in zip(results.items(), COLOURS, strict=True):
    error = 100 * (1 - result.rolling(500).accuracy())
    style = dict(color=colour, linewidth=1.8, linestyle="--" if "PA" in name else "-")
    above.plot(result.n_samples, error, label=name, **style)
    below.plot(result.n_samples, result.n_support, **style)
above.axvline(N_SAMPLES / 2, color="0.7", linewidth=1)
above.set(ylabel="error on the latest 500 samples (%)", ylim=(0, None))
above.legend(frameon=False, loc="upper left")
below.set(xlabel="training samples", ylabel="support vectors", yscale="log")
for axis in (above, below):
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
