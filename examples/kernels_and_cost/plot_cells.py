"""
====================================
Cells: a model for each part of data
====================================

The training time of one kernel SVM grows faster than the number of samples.
:class:`~sklearn_online_svm.cells.CellClassifier` divides the feature space into cells and
fits a small model in each; :ref:`cells` describes the method.
"""

# %%
# Cells, and the decision boundary of their models
# ================================================
#
# Samples of two classes form a wavy chessboard. Each cut goes through the median of the samples of
# a part, along their first principal direction. The samples near a cut belong to both sides, where
# predictions are weighted means; the decision boundary (black) therefore continues across the
# borders of the cells (green).

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from sklearn_online_svm import LASVC
from sklearn_online_svm.cells import CellClassifier

BLUE, ORANGE, GREEN = "#1f6feb", "#d1702a", "#2d9d63"
SHADES = LinearSegmentedColormap.from_list("", ["#f3c6a0", "#ffffff", "#9cc3fa"])


def draw_samples(n, seed):
    """Return samples of a wavy chessboard; 5 % of the labels are random."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-4, 4, (n, 2))
    y = (np.floor(X[:, 0] + np.sin(X[:, 1])) + np.floor(X[:, 1])).astype(int) % 2
    return X, np.where(rng.random(n) < 0.05, rng.integers(0, 2, n), y)


X, y = draw_samples(8000, seed=0)
svm = LASVC(C=10, gamma=4.0, random_state=0)
model = CellClassifier(svm, cell_size=1200, random_state=0).fit(X, y)

sides = np.linspace(-4, 4, 200)
grid = np.stack(np.meshgrid(sides, sides), axis=-1).reshape(-1, 2)
shares = np.zeros((len(grid), model.n_cells_))
for cell, samples, weights in model.tree_.parts(grid):
    shares[samples, cell] = weights
cells = shares.argmax(axis=1)
decision = model.decision_function(grid).reshape(200, 200)

figure, axis = plt.subplots(figsize=(6, 5), layout="constrained")
axis.pcolormesh(sides, sides, decision, cmap=SHADES, vmin=-1.5, vmax=1.5)
axis.scatter(*X.T, c=np.where(y == 1, BLUE, ORANGE), s=3, alpha=0.3, linewidths=0)
axis.contour(sides, sides, decision, levels=[0], colors="black", linewidths=2)
for cell in range(model.n_cells_):
    inside = (cells == cell).reshape(200, 200)
    axis.contour(sides, sides, inside, levels=[0.5], colors=GREEN, linewidths=2.5)
axis.set_title(f"{model.n_cells_} cells and the decision boundary", fontweight="bold")
axis.set(xticks=[], yticks=[])
plt.show()

# %%
# Time and error over the number of samples
# =========================================
#
# With cells of a constant size, the time grows in proportion to the number of samples.

X_test, y_test = draw_samples(5000, seed=1)
sizes = [2000, 5000, 10_000, 20_000, 40_000]
curves = {"one LASVC": [], "cells of 1200": []}
for n in sizes:
    X, y = draw_samples(n, seed=2)
    for title, estimator in zip(curves, (svm, CellClassifier(svm, cell_size=1200)), strict=True):
        start = perf_counter()
        estimator.fit(X, y)
        curves[title].append((perf_counter() - start, 1 - estimator.score(X_test, y_test)))

figure, axes = plt.subplots(1, 2, figsize=(8.6, 4.2), layout="constrained")
for (title, points), color in zip(curves.items(), (BLUE, ORANGE), strict=True):
    for axis, values in zip(axes, np.transpose(points), strict=True):
        axis.plot(sizes, values, "o-", color=color, label=title)
axes[0].set(xlabel="samples", ylabel="time to fit (seconds)", xscale="log", yscale="log")
axes[1].set(xlabel="samples", ylabel="test error", xscale="log", ylim=0)
for axis in axes:
    axis.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axis.minorticks_off()
    axis.spines[["top", "right"]].set_visible(False)
axes[0].legend(frameon=False)
plt.show()
