"""
====================
Compressing a model
====================

The time of a prediction is proportional to the number of support vectors, which grows with the
number of training samples. ``compress`` returns a model with fewer support vectors and nearly the
same decision function. This example shows the vectors, and how small a model can be without a
higher error. See :ref:`compression`.
"""

# %%
# A smaller model
# ===============
#
# Two overlapping crescents: a tenth of the samples cannot be classified correctly. Every sample on
# the wrong side of its margin is a support vector, so that there are many of them.

import time

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from sklearn_online_svm import LASVC
from sklearn_online_svm.datasets import make_banana_like

X, y = make_banana_like(4000, random_state=0)
X_test, y_test = make_banana_like(20_000, random_state=1)

model = LASVC(C=3, gamma=1.0, random_state=0).fit(X, y)
small = model.compress(max_support_vectors=15)
for name, current in (("original", model), ("compressed", small)):
    start = time.perf_counter()
    error = 1 - current.score(X_test, y_test)
    milliseconds = 1000 * (time.perf_counter() - start)
    print(
        f"{name:11} {current.support_vectors_.shape[0]:4} support vectors, error {error:.2%}, "
        f"{milliseconds:.1f} ms for {len(X_test)} predictions"
    )

# %%
# The color shows the decision function, the black line its zero, and the dashed lines the margins.
# The dots are the support vectors. Those of the compressed model are not training samples: they
# have been moved so that the decision functions agree as well as possible.

BLUE, ORANGE, GREY, INK = "#1f6feb", "#d1702a", "#8b949e", "#24292f"
SHADES = LinearSegmentedColormap.from_list("", ["#9cc3fa", "#ffffff", "#f3c6a0"])
EDGE = 3.1

side = np.linspace(-EDGE, EDGE, 200)
grid = np.column_stack([axis.ravel() for axis in np.meshgrid(side, side)])

for current in (model, small):
    figure, axis = plt.subplots(figsize=(5, 4.4), layout="constrained")
    values = current.decision_function(grid).reshape(len(side), len(side))
    extent = (-EDGE, EDGE, -EDGE, EDGE)
    axis.imshow(
        values, extent=extent, origin="lower", cmap=SHADES, vmin=-1.5, vmax=1.5, aspect="auto"
    )
    axis.contour(side, side, values, [-1, 1], colors="0.35", linewidths=0.9, linestyles="--")
    axis.contour(side, side, values, [0], colors="black", linewidths=2.5)
    vectors, coefficients = current.support_vectors_, current.dual_coef_.ravel()
    axis.scatter(
        *vectors.T,
        s=10 if current is model else 80,
        color=np.where(coefficients > 0, ORANGE, BLUE),
        edgecolors="white",
        linewidths=0.3 if current is model else 1.2,
    )
    axis.set(xticks=[], yticks=[], xlim=(-EDGE, EDGE), ylim=(-EDGE, EDGE))
    axis.set_title(f"{len(vectors)} support vectors", fontweight="bold", fontsize=14)
    axis.set_xlabel(f"test error {1 - current.score(X_test, y_test):.2%}", fontsize=12)
plt.show()

# %%
# Size and error
# ==============
#
# The error for several sizes, and the largest difference of a decision value at the support
# vectors of the original, ``max_difference_``. Decision values are 1 and -1 at the margins.

SIZES = [3, 5, 8, 12, 20, 40, 80, 160]
compressed = [model.compress(max_support_vectors=size) for size in SIZES]
errors = [100 * (1 - current.score(X_test, y_test)) for current in compressed]
differences = [current.max_difference_ for current in compressed]
for size, error, difference in zip(SIZES, errors, differences, strict=True):
    print(f"{size:4} support vectors: error {error:.2f} %, largest difference {difference:.3f}")

figure, axes = plt.subplots(1, 2, figsize=(8, 4.2), layout="constrained")
axes[0].plot(SIZES, errors, "o-", color=BLUE, linewidth=2.5)
axes[0].axhline(100 * (1 - model.score(X_test, y_test)), color=INK, linestyle=":", linewidth=1.2)
axes[0].set(ylim=(0, None))
axes[1].plot(SIZES, differences, "o-", color=BLUE, linewidth=2.5)
axes[1].set(yscale="log")
for axis, title in zip(axes, ("Test error (%)", "Largest difference"), strict=True):
    axis.set(xscale="log", xlabel="support vectors")
    axis.set_title(title, loc="left", fontweight="bold")
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(color="#e6e8eb", linewidth=0.8)
plt.show()

# %%
# The dotted line is the error of the original. A model with few vectors is as accurate, although
# its decision values still differ: most of the differences do not change the sign. This is an easy
# case, with two features and a smooth boundary: :ref:`compression` shows results for other data.

# sphinx_gallery_thumbnail_number = 2
