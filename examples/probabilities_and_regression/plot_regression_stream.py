"""
================================
Online support vector regression
================================

:class:`~sklearn_online_svm.LASVR` is trained on a stream of samples of a noisy function of one
variable. Samples inside the tube of width ``2 * epsilon`` around the prediction have no loss and
are not needed: the support vectors are outside of the tube or on its edge.
"""

# %%
# The stream
# ==========
#
# ``gamma`` and ``epsilon`` are numbers, because ``gamma="scale"`` and ``epsilon="auto"`` would be
# computed from the first chunk alone.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_online_svm import LASVR
from sklearn_online_svm.evaluation import progressive_validation

NOISE = 0.2


def function(x):
    return np.sin(3 * x) * np.exp(-0.3 * x**2) + 0.3 * x


def make_samples(n_samples, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3, 3, n_samples)
    return x[:, np.newaxis], function(x) + NOISE * rng.normal(size=n_samples)


X, y = make_samples(2000, seed=0)
X_test, y_test = make_samples(5000, seed=1)


def new_model(epsilon):
    return LASVR(C=10, gamma=2.0, epsilon=epsilon)


# %%
# The model during the stream
# ===========================
#
# Black: the prediction; grey: the tube; dashed: the function without noise. Strong dots are the
# support vectors, pale ones all other samples so far. ``epsilon`` is 1.5 times the standard
# deviation of the noise.

BLUE, ORANGE, GREEN, GREY = "#1f6feb", "#d1702a", "#2d9d63", "#8b949e"
EPSILON = 1.5 * NOISE

grid = np.linspace(-3, 3, 400)


def draw(axis, model, n_seen):
    f = model.predict(grid[:, np.newaxis])
    is_support = np.zeros(n_seen, dtype=bool)
    is_support[model.support_] = True  # positions in the stream
    x, target = X[:n_seen, 0], y[:n_seen]
    axis.fill_between(grid, f - EPSILON, f + EPSILON, color="0.9", linewidth=0)
    axis.scatter(x[~is_support], target[~is_support], s=8, color=BLUE, alpha=0.3, linewidths=0)
    axis.scatter(
        x[is_support], target[is_support], s=20, color=BLUE, edgecolors="white", linewidths=0.5
    )
    axis.plot(grid, function(grid), color=ORANGE, linestyle="--", linewidth=1.5)
    axis.plot(grid, f, color="black", linewidth=2)
    axis.set(xlim=(-3, 3), ylim=(-2.2, 2.2))
    axis.set_title(f"after {n_seen} samples", fontweight="bold", fontsize=16)
    score = model.score(X_test, y_test)
    axis.set_xlabel(f"{len(model.support_)} support vectors, test R2 {score:.3f}")
    axis.spines[["top", "right"]].set_visible(False)


model, first = new_model(EPSILON), 0
for n_seen in (20, 100, 500, 2000):
    model.partial_fit(X[first:n_seen], y[first:n_seen])
    first = n_seen
    figure, axis = plt.subplots(figsize=(5.4, 4), layout="constrained")
    draw(axis, model, n_seen)
plt.show()

# %%
# R2 over the stream
# ==================
#
# ``progressive_validation`` predicts each chunk before it trains the model on it, and ``rolling``
# restricts R2 to the latest 500 predictions. A tube that is narrow compared with the noise has
# hardly any advantage in R2, but the number of support vectors then grows nearly as fast as the
# number of samples. With the widest tube it hardly grows, but the tube then contains functions of
# very different shape. The dotted line is the R2 of the function without noise on the test
# samples, the best to be expected.

figure, axes = plt.subplots(1, 2, figsize=(8, 4.2), layout="constrained")
for factor, colour in ((0.2, GREY), (0.5, GREEN), (1.5, BLUE), (4.0, ORANGE)):
    result = progressive_validation(new_model(factor * NOISE), X, y, chunk_size=50).rolling(500)
    label = f"epsilon = {factor:g} × noise"
    print(f"{label}: R2 {result.r2()[-1]:.3f}, {result.n_support[-1]} support vectors")
    axes[0].plot(result.n_samples, result.r2(), color=colour, label=label)
    axes[1].plot(result.n_samples, result.n_support, color=colour, label=label)

best = 1 - np.mean((y_test - function(X_test[:, 0])) ** 2) / np.var(y_test)
axes[0].axhline(best, color="0.3", linewidth=1, linestyle=":")
for axis, title in zip(axes, ("R2 of the latest 500 predictions", "Support vectors"), strict=True):
    axis.set_title(title, loc="left", fontweight="bold")
    axis.set_xlabel("samples")
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(color="#e6e8eb", linewidth=0.8)
axes[1].legend(frameon=False)
plt.show()

# sphinx_gallery_thumbnail_number = 3
