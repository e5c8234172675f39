"""
==========================================
Rare classes: weights, a threshold, points
==========================================

Two moons, and of one of them only one row in thirty. Three cures, what each of them does to the
boundary, and what it costs; then what becomes of the classes when the model chooses its rows.
:ref:`imbalance` tells more. Virtual points need imbalanced-learn
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

from sklearn_online_svm import LASVC, VirtualLASVC, VirtualSampler
from sklearn_online_svm.evaluation import geometric_mean_score, geometric_mean_scorer

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
    new_model(), scoring=geometric_mean_scorer, response_method="decision_function"
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
    gmean = geometric_mean_score(y_test, model.predict(X_test))
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

# %%
# Points made on the way
# ======================
#
# :class:`~sklearn_online_svm.VirtualLASVC` makes its points while it learns: it chooses the row
# nearest to the boundary, and a rare one that becomes a support vector gets a point between itself
# and a neighbour, which may be chosen later. The model after more and more rows; its support
# vectors stand out, virtual ones in black. All of them lie along the boundary.

figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.2), layout="constrained")
for axis, n_labels in zip(axes, (40, 120, 400)):
    model = VirtualLASVC(C=1, gamma=1.0, max_labels=n_labels, random_state=0).fit(X, y)
    values = model.decision_function(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    show_rows(axis, X, y, s=3, alpha=0.15)
    is_real = model.support_ >= 0
    show_rows(axis, X[model.support_[is_real]], y[model.support_[is_real]], s=9)
    axis.scatter(*model.virtual_support_vectors_.T, color=INK, s=9, linewidth=0)
    axis.contour(*np.moveaxis(grid, -1, 0), values, levels=[0], colors=INK, linewidths=1.6)
    n_made, n_kept = model.n_virtual_points_, len(model.virtual_support_vectors_)
    axis.set_title(f"{n_labels} rows: {n_made} points, {n_kept} are vectors", fontsize=11)
plt.show()

# %%
# Even support vectors
# ====================
#
# There are 30 usual rows for each rare one (the dotted line), but near the boundary the classes
# are more even, and only rows there become support vectors. In rows as they come that shows when
# most have been seen. Active selection goes there at once, and the g-mean rises with it. Means
# over five seeds.

BUDGETS = [20, 40, 80, 150, 300, 600, 1200, 2500, 6200]
WAYS = {
    "rows as they come": (GREY, LASVC(selection="random")),
    "active": (BLUE, LASVC(selection="active", pool_size=59)),
    "virtual points": (ORANGE, VirtualLASVC()),
}


def ratio_and_gmean(model, seed, n_labels):
    X, y = rare_moon(6000, 200, seed)
    model.set_params(C=1, gamma=1.0, max_labels=n_labels, random_state=seed)
    usual, rare = model.fit(X, y).n_support_
    return usual / max(rare, 1), geometric_mean_score(y_test, model.predict(X_test))


figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained")
for name, (colour, model) in WAYS.items():
    runs = [[ratio_and_gmean(model, seed, n) for n in BUDGETS] for seed in range(5)]
    for axis, mean in zip(axes, np.mean(runs, axis=0).T):
        axis.plot(BUDGETS, mean, "o-", color=colour, markersize=3, label=name)
for axis, title in zip(axes, ("usual to rare support vectors", "g-mean")):
    axis.set(xscale="log", xlabel="rows learnt", title=title)
    axis.grid(color="#e6e8eb", linewidth=0.8)
    axis.spines[["top", "right"]].set_visible(False)
axes[0].axhline(30, color=INK, linestyle=":", linewidth=1)
axes[0].set(yscale="log", yticks=[0.5, 1, 2, 5, 10, 30], yticklabels=[0.5, 1, 2, 5, 10, 30])
axes[0].set_yticks([], minor=True)
axes[1].legend(frameon=False)
plt.show()

# %%
# At the right end all rows have been learnt, once. Active selection has met them in another order,
# has kept somewhat fewer, and gives more room to the rare class; a second pass (``max_iter=2``)
# would bring both to the same support vector machine.
