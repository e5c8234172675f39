"""
==========================================
Rare classes: weights, a threshold, points
==========================================

Two moons, and of one of them only one row in thirty. Three cures, what each of them does to the
boundary, and what it costs; :ref:`imbalance` tells more. Virtual points need imbalanced-learn
(``pip install imbalanced-learn``).
"""

# %%
# Four boundaries
# ===============
#
# Rare rows are orange, support vectors are ringed. Without a cure it is cheapest to give up a part
# of the rare rows. Class weights make them dear, a threshold moves the cut, virtual points (light)
# make them many. The g-mean, on rows that no model has seen, is high where no class is given up.

import matplotlib.pyplot as plt
import numpy as np
from imblearn.over_sampling import SMOTE, SVMSMOTE
from sklearn.datasets import make_moons
from sklearn.model_selection import TunedThresholdClassifierCV

from sklearn_online_svm import LASVC, VirtualSampler
from sklearn_online_svm.evaluation import gmean_score, gmean_scorer

BLUE, ORANGE, GREY, INK = "#0072b2", "#d55e00", "#8b949e", "#24292f"


def rare_moon(n_usual, n_rare, seed):
    return make_moons((n_usual, n_rare), noise=0.25, random_state=seed)


X, y = rare_moon(900, 30, seed=3)
X_test, y_test = rare_moon(30_000, 1000, seed=1)

grid = np.stack(np.meshgrid(np.linspace(-2, 3, 200), np.linspace(-1.5, 2, 160)), axis=-1)


def new_model(**options):
    return LASVC(C=1, gamma=1.0, random_state=0, **options)


sampler = VirtualSampler(estimator=new_model(), random_state=0)
X_more, y_more = sampler.fit_resample(X, y)
tuned = TunedThresholdClassifierCV(
    new_model(), scoring=gmean_scorer, response_method="decision_function"
)
models = {
    "nothing done": new_model().fit(X, y),
    'class_weight="balanced"': new_model(class_weight="balanced").fit(X, y),
    "a threshold": tuned.fit(X, y),
    "virtual points": new_model().fit(X_more, y_more),
}


def show_rows(axis, X, y, **style):
    for label, colour in enumerate((BLUE, ORANGE)):
        axis.scatter(*X[y == label].T, color=colour, linewidth=0, **style)
    axis.set(xticks=[], yticks=[], xlim=(-2, 3), ylim=(-1.5, 2))


figure, axes = plt.subplots(2, 2, figsize=(9.6, 7.0), layout="constrained")
for axis, (name, model) in zip(axes.flat, models.items()):
    svm, threshold = model, 0.0
    if model is tuned:
        svm, threshold = tuned.estimator_, tuned.best_threshold_
    values = svm.decision_function(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    show_rows(axis, X, y, s=9)
    if name == "virtual points":
        axis.scatter(*X_more[len(X) :].T, color=ORANGE, alpha=0.15, s=9, linewidth=0)
    axis.scatter(*svm.support_vectors_.T, s=22, facecolor="none", edgecolor=INK, linewidth=0.4)
    style = dict(colors=INK, linewidths=1.6, linestyles="solid")
    axis.contour(*np.moveaxis(grid, -1, 0), values, levels=[threshold], **style)
    gmean = gmean_score(y_test, model.predict(X_test))
    n_vectors = len(svm.support_)
    axis.set_title(f"{name}: g-mean {gmean:.2f}, {n_vectors} vectors", fontsize=11)
plt.show()

# %%
# Where the points lie
# ====================
#
# :class:`~sklearn_online_svm.VirtualSampler` draws between a rare support vector and its nearest
# rare rows. Of the thirty above nearly all are support vectors; here are two hundred, and half of
# them lie deep in their own class. SMOTE draws next to any row. SVMSMOTE, too, goes by support
# vectors, but may go beyond the rows of the class.

X, y = rare_moon(3000, 200, seed=3)
samplers = {
    "VirtualSampler": VirtualSampler(estimator=new_model(), random_state=0),
    "SMOTE": SMOTE(random_state=0),
    "SVMSMOTE": SVMSMOTE(svm_estimator=new_model(), random_state=0),
}
figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.0), layout="constrained")
for axis, (name, sampler) in zip(axes, samplers.items()):
    sampler.set_params(sampling_strategy={1: 600})
    X_more, y_more = sampler.fit_resample(X, y)
    show_rows(axis, X, y, s=3, alpha=0.35)
    axis.scatter(*X_more[len(X) :].T, color=INK, s=4, linewidth=0)
    axis.set_title(name, fontsize=11)
plt.show()

ends = np.unique(samplers["VirtualSampler"].ends_[:, 0])
print(f"{len(ends)} of {np.sum(y == 1)} rare rows are support vectors and got company")
