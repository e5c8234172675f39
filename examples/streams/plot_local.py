"""
================================================
Local online learning: one hyperplane per region
================================================

:class:`~sklearn_online_svm.LocalOnlineClassifier` partitions the feature space by a few prototypes
and learns a hyperplane for each region: the sum of a component shared by all regions and a local
one. It processes each sample once and stores none. :ref:`local` describes the method.
"""

# %%
# One hyperplane, twenty regions, smoothing
# =========================================
#
# The two crescents are not linearly separable. The first figure shows a single hyperplane. The
# second one shows twenty prototypes (crosses), the borders of their regions (gray), and one
# hyperplane in each region; the boundary can be discontinuous between regions. In the third figure
# the three nearest prototypes are combined.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from sklearn_online_svm import LocalOnlineClassifier, PassiveAggressiveClassifier
from sklearn_online_svm.datasets import make_banana_like

X, y = make_banana_like(2000, random_state=0)
X_test, y_test = make_banana_like(5000, random_state=1)

BLUE, ORANGE, GREY = "#1f6feb", "#d1702a", "#8b949e"
SHADES = LinearSegmentedColormap.from_list("sides", ["#f3c6a0", "#ffffff", "#9cc3fa"])

low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
across, up = np.meshgrid(np.linspace(low[0], high[0], 400), np.linspace(low[1], high[1], 400))
grid = np.column_stack([across.ravel(), up.ravel()])


def draw(axis, model, title):
    """Plot samples, decision function, boundary, and regions if there are any."""
    scores = model.decision_function(grid).reshape(across.shape)
    axis.contourf(across, up, np.tanh(scores), levels=np.linspace(-1, 1, 21), cmap=SHADES)
    shown = slice(0, 400)
    for label, colour in ((-1, ORANGE), (1, BLUE)):
        points = X[shown][y[shown] == label]
        axis.scatter(*points.T, s=12, color=colour, alpha=0.5, linewidths=0)
    axis.contour(across, up, scores, levels=[0], colors="black", linewidths=2)
    if hasattr(model, "prototypes_"):
        distances = ((grid[:, np.newaxis] - model.prototypes_) ** 2).sum(axis=2)
        nearest = distances.argmin(axis=1).reshape(across.shape)
        for k in range(len(model.prototypes_)):
            axis.contour(across, up, nearest == k, levels=[0.5], colors=GREY, linewidths=0.4)
        axis.plot(*model.prototypes_.T, "x", color="black", markersize=5)
    error = 1 - model.score(X_test, y_test)
    axis.set_title(f"{title}: {error:.1%} error", fontweight="bold")
    axis.set(xticks=[], yticks=[])


models = {
    "one hyperplane": PassiveAggressiveClassifier(average=True),
    "20 regions": LocalOnlineClassifier(20),
    "3 neighbors": LocalOnlineClassifier(20, n_neighbors=3),
}
for title, model in models.items():
    figure, axis = plt.subplots(figsize=(5, 4), layout="constrained")
    draw(axis, model.partial_fit(X, y, classes=[-1, 1]), title)
plt.show()

# %%
# The shared component
# ====================
#
# ``lam`` controls the shared component. Near 0 only this component is trained, and all regions
# have the same hyperplane. With an infinite value it remains 0, and each region is trained on its
# own samples only: with 150 training samples, as here, on about seven. In two dimensions these are
# sufficient for a line; with more features, the information of the other regions is needed.

figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.8), layout="constrained")
for axis, lam in zip(axes, (0.01, 1.0, np.inf), strict=True):
    model = LocalOnlineClassifier(20, lam=lam).partial_fit(X[:150], y[:150], classes=[-1, 1])
    draw(axis, model, f"lam = {lam}")
plt.show()

# %%
# Learning curves
# ===============
#
# Test error against the number of training samples. The single hyperplane converges early, while
# the local models continue to improve. A small number of regions converges faster; a large one
# gives a more flexible boundary in the end.

checkpoints = np.unique(np.geomspace(20, len(X), 25).astype(int))
figure, axis = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
for title, model, colour in (
    ("one hyperplane", PassiveAggressiveClassifier(average=True), GREY),
    ("5 regions", LocalOnlineClassifier(5), "#2d9d63"),
    ("20 regions", LocalOnlineClassifier(20), BLUE),
    ("80 regions", LocalOnlineClassifier(80), ORANGE),
):
    errors, start = [], 0
    for stop in checkpoints:
        model.partial_fit(X[start:stop], y[start:stop], classes=[-1, 1])
        errors.append(1 - model.score(X_test, y_test))
        start = stop
    axis.plot(checkpoints, errors, color=colour, linewidth=2, label=title)
axis.set(xlabel="training samples", ylabel="test error", xscale="log", ylim=0)
axis.legend(frameon=False)
axis.spines[["top", "right"]].set_visible(False)
plt.show()

# sphinx_gallery_thumbnail_number = 3
