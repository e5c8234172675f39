"""
============================
A hyperplane for each region
============================

:class:`~sklearn_online_svm.LocalOnlineClassifier` divides the space into the regions of a few
prototypes and learns a hyperplane for each: a component that all regions have in common, plus one
of their own. It looks at each row once and keeps none. How it works is told in :ref:`local`.
"""

# %%
# One line, twenty lines, no jumps
# ================================
#
# Two crescents, which no line parts. Left the best that one line can do; in the middle twenty
# prototypes (crosses), the borders of their regions (grey), and in each region its own line. Where
# regions meet the boundary may jump. On the right the three nearest prototypes share the decision.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from sklearn_online_svm import LocalOnlineClassifier, PassiveAggressiveClassifier
from sklearn_online_svm.datasets import make_banana_like

X, y = make_banana_like(2000, random_state=0)
X_test, y_test = make_banana_like(5000, random_state=1)

BLUE, RED, GREY = "#0072b2", "#d55e00", "#57606a"
SHADES = LinearSegmentedColormap.from_list("sides", ["#f4c9ad", "#ffffff", "#b5d5ea"])

low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
across, up = np.meshgrid(np.linspace(low[0], high[0], 400), np.linspace(low[1], high[1], 400))
grid = np.column_stack([across.ravel(), up.ravel()])


def draw(axis, model, title):
    """Rows, the sides of the boundary, and the regions if there are any."""
    scores = model.decision_function(grid).reshape(across.shape)
    axis.contourf(across, up, np.tanh(scores), levels=np.linspace(-1, 1, 21), cmap=SHADES)
    shown = slice(0, 400)
    for label, colour in ((-1, RED), (1, BLUE)):
        rows = X[shown][y[shown] == label]
        axis.scatter(*rows.T, s=5, color=colour, alpha=0.5, linewidths=0)
    axis.contour(across, up, scores, levels=[0], colors="black", linewidths=1.4)
    if hasattr(model, "prototypes_"):
        distances = ((grid[:, np.newaxis] - model.prototypes_) ** 2).sum(axis=2)
        nearest = distances.argmin(axis=1).reshape(across.shape)
        for k in range(len(model.prototypes_)):
            axis.contour(across, up, nearest == k, levels=[0.5], colors=GREY, linewidths=0.4)
        axis.plot(*model.prototypes_.T, "x", color="black", markersize=5)
    error = 1 - model.score(X_test, y_test)
    axis.set(title=f"{title}: {error:.1%} errors", xticks=[], yticks=[])


models = {
    "one line": PassiveAggressiveClassifier(average=True),
    "20 regions": LocalOnlineClassifier(20),
    "3 neighbours": LocalOnlineClassifier(20, n_neighbors=3),
}
figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")
for axis, (title, model) in zip(axes, models.items(), strict=True):
    draw(axis, model.partial_fit(X, y, classes=[-1, 1]), title)
plt.show()

# %%
# What is common
# ==============
#
# ``lam`` says how firm the common component is. Near 0 it learns everything, and all regions have
# the same line. At infinity it stays 0, and each region learns from its own rows only: of 150, as
# here, from seven or so. In two dimensions they are enough for a line; with more features what the
# others have learnt is needed.

figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")
for axis, lam in zip(axes, (0.01, 1.0, np.inf), strict=True):
    model = LocalOnlineClassifier(20, lam=lam).partial_fit(X[:150], y[:150], classes=[-1, 1])
    draw(axis, model, f"lam = {lam}")
plt.show()

# %%
# Along the stream
# ================
#
# Errors on other rows, by the rows learnt so far. The line has soon learnt what a line can learn;
# regions go on. A few of them learn quicker, many of them bend the boundary more in the end.

checkpoints = np.unique(np.geomspace(20, len(X), 25).astype(int))
figure, axis = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
for title, model, colour in (
    ("one line", PassiveAggressiveClassifier(average=True), GREY),
    ("5 regions", LocalOnlineClassifier(5), "#e69f00"),
    ("20 regions", LocalOnlineClassifier(20), BLUE),
    ("80 regions", LocalOnlineClassifier(80), RED),
):
    errors, start = [], 0
    for stop in checkpoints:
        model.partial_fit(X[start:stop], y[start:stop], classes=[-1, 1])
        errors.append(1 - model.score(X_test, y_test))
        start = stop
    axis.plot(checkpoints, errors, color=colour, label=title)
axis.set(xlabel="rows learnt", ylabel="errors", xscale="log", ylim=0)
axis.legend(frameon=False)
axis.spines[["top", "right"]].set_visible(False)
plt.show()
