"""
===================
Kernels in pictures
===================

The kernel determines which shapes a decision boundary can have. This example shows the boundaries
of several kernels on the same samples, and a case where the kernel decides about the error: a
table with numbers and categories. :doc:`/kernels` lists all kernels with their formulas.
"""

# %%
# Four kernels
# ============
#
# Two moons with noise. The title of each figure contains the error on 5000 test samples. ``C`` and
# ``gamma`` were chosen by cross-validation for each kernel.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from sklearn_online_svm import LASVC, ColumnKernel

BLUE, ORANGE, GREY = "#1f6feb", "#d1702a", "#8b949e"
SHADES = LinearSegmentedColormap.from_list("", ["#9cc3fa", "#ffffff", "#f3c6a0"])

X, y = make_moons(500, noise=0.25, random_state=0)
X_test, y_test = make_moons(5000, noise=0.25, random_state=1)
GRID = {"C": [0.3, 1, 10, 100], "gamma": [0.3, 1, 3]}
KERNELS = {
    "linear": dict(kernel="linear"),
    "poly, degree 3": dict(kernel="poly", degree=3, coef0=1),
    "rbf": dict(kernel="rbf"),
    "laplacian": dict(kernel="laplacian"),
}

x_side, y_side = np.linspace(-1.8, 2.8, 220), np.linspace(-1.4, 1.9, 160)
grid = np.column_stack([axis.ravel() for axis in np.meshgrid(x_side, y_side)])
for name, options in KERNELS.items():
    figure, axis = plt.subplots(figsize=(5, 3.7), layout="constrained")
    search = GridSearchCV(LASVC(**options, random_state=0), GRID, cv=3).fit(X, y)
    values = search.decision_function(grid).reshape(len(y_side), len(x_side))
    extent = (x_side[0], x_side[-1], y_side[0], y_side[-1])
    axis.imshow(
        values, extent=extent, origin="lower", cmap=SHADES, vmin=-1.5, vmax=1.5, aspect="auto"
    )
    axis.contour(x_side, y_side, values, [0], colors="black", linewidths=2.5)
    axis.scatter(*X.T, s=16, color=np.where(y == 1, ORANGE, BLUE), linewidths=0)
    error = 1 - search.score(X_test, y_test)
    axis.set_title(f"{name}: {error:.1%}", fontweight="bold", fontsize=18)
    axis.set(xticks=[], yticks=[])
    print(f"{name:15} error {error:.1%}, {search.best_params_}")
plt.show()

# %%
# No straight line separates the moons. The polynomial and the rbf kernel have smooth boundaries
# and the same error. The Laplacian kernel has an irregular boundary; it suits functions that are
# less smooth.
#
# Numbers and categories
# ======================
#
# The next table has two numbers and two categories, with 12 and 8 values. The class depends on the
# numbers in a different way for each value of the first category: in some categories the sum of
# the numbers must be positive, in others the difference. A
# :class:`~sklearn_online_svm.ColumnKernel` combines a kernel for each group of columns. "overlap"
# is the share of equal categories.

rng = np.random.default_rng(0)
n = 6000
numbers = rng.normal(size=(n, 2))
categories = np.column_stack([rng.integers(0, 12, n), rng.integers(0, 8, n)])
sign = np.where(rng.random(12) < 0.5, 1, -1)[categories[:, 0]]
labels = np.where(numbers[:, 0] + sign * numbers[:, 1] + 0.4 * rng.normal(size=n) > 0, 1, 0)
table = np.column_stack([numbers, categories])

codes = make_column_transformer((StandardScaler(), [0, 1]), (OrdinalEncoder(), [2, 3]))
one_hot = make_column_transformer(
    (StandardScaler(), [0, 1]), (OneHotEncoder(sparse_output=False), [2, 3])
)
groups = [("rbf", [0, 1], 0.5), ("overlap", [2, 3])]
WAYS = {
    "category numbers, rbf": (codes, dict(gamma=0.5)),
    "one-hot, rbf": (one_hot, dict(gamma=0.2)),
    "ColumnKernel, sum": (codes, dict(kernel=ColumnKernel(groups, combine="sum"))),
    "ColumnKernel, product": (codes, dict(kernel=ColumnKernel(groups, combine="product"))),
}
SIZES = [250, 500, 1000, 2000]
figure, axis = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
for (name, (encoder, options)), colour in zip(
    WAYS.items(), (GREY, ORANGE, "#2d9d63", BLUE), strict=True
):
    errors = []
    for size in SIZES:
        search = GridSearchCV(
            make_pipeline(encoder, LASVC(**options, random_state=0)),
            {"lasvc__C": [0.3, 1, 3, 10, 30]},
            cv=3,
        )
        search.fit(table[:size], labels[:size])
        errors.append(100 * (1 - search.score(table[3000:], labels[3000:])))
    axis.plot(SIZES, errors, "o-", color=colour, linewidth=2.5, label=name)
    print(f"{name:22} error with {SIZES[-1]} samples {errors[-1]:.1f} %")
axis.set(xlabel="training samples", ylim=(0, 32))
axis.set_title("Test error (%)", loc="left", fontweight="bold")
axis.spines[["top", "right"]].set_visible(False)
axis.grid(color="#e6e8eb", linewidth=0.8)
axis.legend(frameon=False, fontsize=11, ncols=2, loc="upper right")
plt.show()

# %%
# - **Category numbers** have an order and distances without a meaning, and need more samples.
# - **The sum** adds an effect of the numbers and an effect of the categories. It cannot represent
#   that one depends on the other, with any number of samples.
# - **The product** and **one-hot encoding** can, and have similar errors here. No model can be
#   better than about 9 %, because of the noise in the labels.

# sphinx_gallery_thumbnail_number = 3
