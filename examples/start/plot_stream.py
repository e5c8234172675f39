"""
===============================
Online training of a kernel SVM
===============================

A kernel SVM is usually trained on all samples at once. :class:`~sklearn_online_svm.LASVC` can be
trained on a stream: each call of ``partial_fit`` continues from the current model, adds support
vectors near the boundary, and removes those that are no longer needed.

Two crescents overlap in two dimensions, so that even a good classifier misclassifies one sample in
ten. The example shows the model after 50, 200, 1000 and 3000 samples.
"""

# %%
# The stream
# ==========
#
# ``gamma`` is a number, because the variance of the features, which ``gamma="scale"`` needs, is
# not known at the beginning of a stream. ``classes`` must be given in the first call, because a
# chunk does not have to contain all of them.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from sklearn_online_svm import LASVC
from sklearn_online_svm.datasets import make_banana_like

X, y = make_banana_like(3000, random_state=0)
X_test, y_test = make_banana_like(5000, random_state=1)


def new_model(**parameters):
    return LASVC(C=3, gamma=1.0, **parameters)


def train(model, first, last):
    return model.partial_fit(X[first:last], y[first:last], classes=[-1, 1])


def error(model):
    return 1 - model.score(X_test, y_test)


# %%
# The model during the stream
# ===========================
#
# The color shows the decision function, the black line its zero, and the dashed lines the margins,
# where it is -1 and 1. Strong dots are the support vectors; pale ones are samples that are not, or
# no longer, support vectors.

BLUE, ORANGE, GREY = "#1f6feb", "#d1702a", "#8b949e"
SHADES = LinearSegmentedColormap.from_list("", ["#9cc3fa", "#ffffff", "#f3c6a0"])
EDGE = 3.1

side = np.linspace(-EDGE, EDGE, 200)
grid = np.column_stack([axis.ravel() for axis in np.meshgrid(side, side)])


def draw(axis, model, n_rows):
    values = model.decision_function(grid).reshape(len(side), len(side))
    axis.imshow(
        values,
        extent=(-EDGE, EDGE, -EDGE, EDGE),
        origin="lower",
        cmap=SHADES,
        vmin=-1.5,
        vmax=1.5,
        interpolation="bilinear",
        aspect="auto",
    )
    axis.contour(side, side, values, [-1, 1], colors="0.35", linewidths=0.9, linestyles="--")
    axis.contour(side, side, values, [0], colors="black", linewidths=2)

    kept = np.zeros(n_rows, dtype=bool)
    kept[model.support_] = True  # positions in the stream
    seen_X, seen_y = X[:n_rows], y[:n_rows]
    for label, colour in ((-1, BLUE), (1, ORANGE)):
        gone, support = (seen_y == label) & ~kept, (seen_y == label) & kept
        axis.scatter(*seen_X[gone].T, s=8, color=colour, alpha=0.35, linewidths=0)
        axis.scatter(*seen_X[support].T, s=20, color=colour, edgecolors="white", linewidths=0.5)
    axis.set(xticks=[], yticks=[], xlim=(-EDGE, EDGE), ylim=(-EDGE, EDGE))
    axis.set_title(f"after {n_rows} samples", fontweight="bold", fontsize=16)
    axis.set_xlabel(f"{len(model.support_)} support vectors, test error {error(model):.1%}")


model, seen = new_model(), 0
for n_rows in (50, 200, 1000, 3000):
    train(model, seen, n_rows)
    seen = n_rows
    figure, axis = plt.subplots(figsize=(5, 4.4), layout="constrained")
    draw(axis, model, n_rows)
plt.show()

# %%
# After a few hundred samples the boundary has its final shape; further samples change it little.
# Support vectors accumulate where the classes overlap, as in any SVM, because each sample on the
# wrong side of its margin is one. Their number therefore grows with the number of samples, by
# about one in four here.

# %%
# Predictions with and without finishing
# ======================================
#
# During the stream the model makes two small optimization steps for each sample. This is fast, but
# the solution fluctuates: a single sample in a dense region can move the boundary for a while.
# Therefore predictions use a finished copy of the solution, which is computed when it is needed
# and does not change the stream. ``finishing=False`` shows the solution of the stream itself. With
# ``delta_max``, the second step is repeated after each sample until the largest violation in the
# support set is at most this value, which makes the solution more stable.

STEP = 50
model = new_model()
plain, strict = new_model(finishing=False), new_model(finishing=False, delta_max=1.0)
rows, figures = [], {"plain": [], "delta_max": [], "finished": []}
for start in range(0, len(X), STEP):
    rows.append(start + STEP)
    for name, current in (("plain", plain), ("delta_max", strict), ("finished", model)):
        train(current, start, start + STEP)
        figures[name].append((100 * error(current), len(current.support_)))

labels = {
    "plain": ("finishing=False", GREY),
    "delta_max": ("finishing=False, delta_max=1", ORANGE),
    "finished": ("default", BLUE),
}
figure, axes = plt.subplots(1, 2, figsize=(8, 4.2), layout="constrained")
for column, (axis, title) in enumerate(
    zip(axes, ("Test error (%)", "Support vectors"), strict=True)
):
    for name, (label, colour) in labels.items():
        axis.plot(rows, np.array(figures[name])[:, column], color=colour, label=label)
    axis.set_title(title, loc="left", fontweight="bold")
    axis.set_xlabel("training samples")
    axis.set_ylim(bottom=0)
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(color="#e6e8eb", linewidth=0.8)
axes[0].legend(frameon=False)
plt.show()

# sphinx_gallery_thumbnail_number = 3
