"""
=====================================
Label noise: hinge loss and ramp loss
=====================================

The hinge loss is unbounded, so that every wrong label becomes a support vector with the maximum
coefficient. The ramp loss is bounded: samples that lie too far on the wrong side have no
influence. Three classifiers are compared on the same samples, of which one label in five is wrong:

- :class:`sklearn.svm.SVC`, with the hinge loss;
- ``LASVC(algorithm="lasvm-nc")``, with the ramp loss in one pass over the samples;
- :class:`~sklearn_online_svm.RampSVC`, with the ramp loss solved repeatedly over all samples until
  the set of ignored samples does not change.

:ref:`ramp_loss` describes the algorithms.
"""

# %%
# Data
# ====
#
# Two overlapping crescents with 20 % flipped training labels. The test labels are correct.

import time

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, RampSVC
from sklearn_online_svm.datasets import flip_labels, make_banana_like

X, y = make_banana_like(1500, random_state=0)
X_test, y_test = make_banana_like(5000, random_state=1)
y_noisy = flip_labels(y, 0.2, random_state=1)
wrong = y_noisy != y

parameters = dict(C=10, gamma=1.0)
models = {
    "SVC": SVC(**parameters),
    'LASVC, "lasvm-nc"': LASVC(algorithm="lasvm-nc", **parameters, random_state=0),
    "RampSVC": RampSVC(**parameters, random_state=0),
}


# %%
# Suspect labels
# ==============
#
# The label of a sample is suspect if its margin z = y f(x) is below -1, where the ramp loss is
# flat. ``suspect_labels`` returns these samples, smallest margin first. ``SVC`` has no such
# method, so the example applies the same rule to its decision function.


def suspects_of(model):
    if hasattr(model, "suspect_labels"):
        return model.suspect_labels(X, y_noisy)
    return np.flatnonzero(y_noisy * model.decision_function(X) < -1)


print("                     test  support             suspects,   of them    of all wrong")
print("                    error  vectors   fit time   z < -1       wrong    labels found")
for name, model in models.items():
    start = time.perf_counter()
    model.fit(X, y_noisy)
    seconds = time.perf_counter() - start
    suspects = suspects_of(model)
    print(
        f"{name:18} {1 - model.score(X_test, y_test):6.1%} {len(model.support_):8} "
        f"{1000 * seconds:7.0f} ms {len(suspects):8} {np.mean(wrong[suspects]):11.0%} "
        f"{wrong[suspects].sum() / wrong.sum():15.0%}"
    )

# %%
# Decision boundaries
# ===================
#
# The color shows the decision function, the black line its zero, and the dashed lines the margins.
# Dots have the color of the given label; strong ones are support vectors, pale ones all other
# samples.

BLUE, ORANGE = "#1f6feb", "#d1702a"
SHADES = LinearSegmentedColormap.from_list("", ["#9cc3fa", "#ffffff", "#f3c6a0"])
EDGE = 2.7

side = np.linspace(-EDGE, EDGE, 200)
grid = np.column_stack([axis.ravel() for axis in np.meshgrid(side, side)])


def draw_boundary(model):
    figure, axis = plt.subplots(figsize=(5, 4.4), layout="constrained")
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
    axis.set(xticks=[], yticks=[], xlim=(-EDGE, EDGE), ylim=(-EDGE, EDGE))
    return axis


for name, model in models.items():
    axis = draw_boundary(model)
    kept = np.zeros(len(X), dtype=bool)
    kept[model.support_] = True
    for label, colour in ((-1, BLUE), (1, ORANGE)):
        rest, support = (y_noisy == label) & ~kept, (y_noisy == label) & kept
        axis.scatter(*X[rest].T, s=7, color=colour, alpha=0.35, linewidths=0)
        axis.scatter(*X[support].T, s=16, color=colour, edgecolors="white", linewidths=0.4)
    axis.set_title(f"{name}: {len(model.support_)} support vectors", fontweight="bold")
    axis.set_xlabel(f"test error {1 - model.score(X_test, y_test):.1%}")
plt.show()

# %%
# All three boundaries are similar. (Errors on 5000 samples have an uncertainty of about 0.4
# points, and a different noise sample can change their order.) The number of support vectors
# differs. ``SVC`` keeps wrong labels deep inside the other class, and each of them keeps its
# neighbors within the margin; with the ramp loss they are removed. The remaining support vectors
# are samples near the boundary, and some in places where wrong labels are dense by chance.
#
# The next figures show the suspect samples only: a filled dot has a wrong label, an open one a
# correct label on the wrong side.

for name, model in models.items():
    axis = draw_boundary(model)
    suspects = suspects_of(model)
    suspected = np.zeros(len(X), dtype=bool)
    suspected[suspects] = True
    for label, colour in ((-1, BLUE), (1, ORANGE)):
        rows = suspected & (y_noisy == label)
        axis.scatter(*X[rows & wrong].T, s=20, color=colour, edgecolors="white", linewidths=0.4)
        axis.scatter(
            *X[rows & ~wrong].T, s=20, facecolors="white", edgecolors=colour, linewidths=1.3
        )
    axis.set_title(f"{name}: {len(suspects)} suspects", fontweight="bold")
    axis.set_xlabel(f"{wrong[suspects].sum()} of {wrong.sum()} wrong labels")
plt.show()

# %%
# The models with the ramp loss report more suspect samples: wrong labels contribute to the
# decision function of ``SVC``, and therefore appear less suspect to it. Some of the suspect
# samples have a correct label: where the crescents overlap, a correct label on the wrong side
# cannot be distinguished from a flipped one.

# sphinx_gallery_thumbnail_number = 6
