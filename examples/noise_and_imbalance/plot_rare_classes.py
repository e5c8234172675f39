"""
=======================================================
Imbalanced classes: weights, threshold, virtual samples
=======================================================

Two moons, one of which has only one sample in thirty. The example shows how three methods against
imbalance change the decision boundary and the g-mean, and how balanced the support vectors are
with active selection. See :ref:`imbalance`. Virtual samples need imbalanced-learn (``pip install
imbalanced-learn``).
"""

# %%
# Four decision boundaries
# ========================
#
# Minority samples are orange. Without a correction the optimum misclassifies a part of them. Class
# weights increase the cost of these errors, a threshold moves the decision boundary, and virtual
# samples increase the number of minority samples. The g-mean on test samples is high if no class
# is neglected.

import matplotlib.pyplot as plt
import numpy as np
from imblearn.over_sampling import SMOTE, SVMSMOTE
from sklearn.datasets import make_moons
from sklearn.model_selection import TunedThresholdClassifierCV

from sklearn_online_svm import LASVC, ActiveLASVC, VirtualLASVC, VirtualSampler
from sklearn_online_svm.evaluation import geometric_mean_score, geometric_mean_scorer

BLUE, ORANGE, GREEN, PURPLE, GREY, INK = (
    "#1f6feb", "#d1702a", "#2d9d63", "#b35fae", "#8b949e", "#24292f",
)  # fmt: skip


def imbalanced_moons(n_majority, n_minority, seed):
    return make_moons((n_majority, n_minority), noise=0.25, random_state=seed)


X, y = imbalanced_moons(900, 30, seed=3)
X_test, y_test = imbalanced_moons(30_000, 1000, seed=1)

grid = np.stack(np.meshgrid(np.linspace(-2, 3, 200), np.linspace(-1.5, 2, 160)), axis=-1)


def new_model(**options):
    return LASVC(C=1, gamma=1.0, random_state=0, **options)


sampler = VirtualSampler(estimator=new_model(), random_state=0)
X_more, y_more = sampler.fit_resample(X, y)
tuned = TunedThresholdClassifierCV(
    new_model(), scoring=geometric_mean_scorer, response_method="decision_function"
)
models = {
    "no correction": new_model().fit(X, y),
    "class weights": new_model(class_weight="balanced").fit(X, y),
    "threshold": tuned.fit(X, y),
    "virtual samples": new_model().fit(X_more, y_more),
}


def show_samples(axis, X, y, **style):
    for label, colour in enumerate((BLUE, ORANGE)):
        axis.scatter(*X[y == label].T, color=colour, linewidth=0, **style)
    axis.set(xticks=[], yticks=[], xlim=(-2, 3), ylim=(-1.5, 2))


figure, axis = plt.subplots(figsize=(7.2, 4.8), layout="constrained")
show_samples(axis, X, y, s=20)
for (name, model), colour in zip(models.items(), (INK, GREEN, GREY, PURPLE), strict=True):
    svm, threshold = model, 0.0
    if model is tuned:
        svm, threshold = tuned.estimator_, tuned.best_threshold_
    values = svm.decision_function(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    style = dict(colors=colour, linewidths=3, linestyles="solid")
    axis.contour(*np.moveaxis(grid, -1, 0), values, levels=[threshold], **style)
    gmean = geometric_mean_score(y_test, model.predict(X_test))
    axis.plot([], [], color=colour, linewidth=3, label=f"{name}: {gmean:.2f}")
    print(f"{name:15} g-mean {gmean:.2f}, {len(svm.support_)} support vectors")
axis.legend(frameon=False, loc="lower left", title="g-mean")
plt.show()

# %%
# Position of the virtual samples
# ===============================
#
# :class:`~sklearn_online_svm.VirtualSampler` interpolates between a minority support vector and
# its nearest minority samples. In the data set above nearly all of the thirty minority samples are
# support vectors. The following data set has two hundred, half of which lie deep in their own
# class. SMOTE interpolates at any minority sample. SVMSMOTE also uses support vectors, but may
# extrapolate beyond the samples of the class.

X, y = imbalanced_moons(3000, 200, seed=3)
samplers = {
    "VirtualSampler": VirtualSampler(estimator=new_model(), random_state=0),
    "SMOTE": SMOTE(random_state=0),
    "SVMSMOTE": SVMSMOTE(svm_estimator=new_model(), random_state=0),
}
figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.0), layout="constrained")
for axis, (name, sampler) in zip(axes, samplers.items()):
    sampler.set_params(sampling_strategy={1: 600})
    X_more, y_more = sampler.fit_resample(X, y)
    show_samples(axis, X, y, s=3, alpha=0.35)
    axis.scatter(*X_more[len(X) :].T, color=INK, s=4, linewidth=0)
    axis.set_title(name, fontsize=11)
plt.show()

ends = np.unique(samplers["VirtualSampler"].ends_[:, 0])
print(f"{len(ends)} of {np.sum(y == 1)} minority samples are support vectors")

# %%
# Virtual samples during training
# ===============================
#
# :class:`~sklearn_online_svm.VirtualLASVC` generates virtual samples during training. It selects
# the sample nearest to the boundary. If a minority sample becomes a support vector, a virtual
# sample between it and a neighbor is added to the candidates. The panels show the model after an
# increasing number of samples; support vectors are highlighted, virtual ones in black. All of them
# lie along the boundary.

figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.2), layout="constrained")
for axis, n_labels in zip(axes, (40, 120, 400)):
    model = VirtualLASVC(C=1, gamma=1.0, max_labels=n_labels, random_state=0).fit(X, y)
    values = model.decision_function(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    show_samples(axis, X, y, s=3, alpha=0.15)
    is_real = model.support_ >= 0
    show_samples(axis, X[model.support_[is_real]], y[model.support_[is_real]], s=9)
    axis.scatter(*model.virtual_support_vectors_.T, color=INK, s=9, linewidth=0)
    axis.contour(*np.moveaxis(grid, -1, 0), values, levels=[0], colors=INK, linewidths=1.6)
    n_made, n_kept = model.n_virtual_points_, model.virtual_support_vectors_.shape[0]
    title = f"{n_labels} samples\n{n_made} virtual, {n_kept} of them support vectors"
    axis.set_title(title, fontsize=10)
plt.show()

# %%
# Balance of the support vectors
# ==============================
#
# There are 30 majority samples for each minority sample (the dotted line), but the classes are
# more balanced near the boundary, and only samples there become support vectors. In random order
# this ratio is reached only after most samples. Active selection reaches it at once, and its
# g-mean rises accordingly. All models are trained in one pass (``max_iter=1``). Means over five
# seeds.

BUDGETS = [20, 40, 80, 150, 300, 600, 1200, 2500, 6200]
WAYS = {
    "random order": (GREY, ActiveLASVC(selection="random", max_iter=1)),
    "active": (BLUE, ActiveLASVC(pool_size=59, max_iter=1)),
    "virtual samples": (ORANGE, VirtualLASVC()),
}


def ratio_and_gmean(model, seed, n_labels):
    X, y = imbalanced_moons(6000, 200, seed)
    model.set_params(C=1, gamma=1.0, max_labels=n_labels, random_state=seed)
    majority, minority = model.fit(X, y).n_support_
    return majority / max(minority, 1), geometric_mean_score(y_test, model.predict(X_test))


figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained")
for name, (colour, model) in WAYS.items():
    runs = [[ratio_and_gmean(model, seed, n) for n in BUDGETS] for seed in range(5)]
    for axis, mean in zip(axes, np.mean(runs, axis=0).T):
        axis.plot(BUDGETS, mean, "o-", color=colour, markersize=3, label=name)
for axis, title in zip(axes, ("ratio of majority to minority support vectors", "g-mean")):
    axis.set(xscale="log", xlabel="training samples", title=title)
    axis.grid(color="#e6e8eb", linewidth=0.8)
    axis.spines[["top", "right"]].set_visible(False)
axes[0].axhline(30, color=INK, linestyle=":", linewidth=1)
axes[0].set(yscale="log", yticks=[0.5, 1, 2, 5, 10, 30], yticklabels=[0.5, 1, 2, 5, 10, 30])
axes[0].set_yticks([], minor=True)
axes[1].legend(frameon=False)
plt.show()

# %%
# At the right end all samples have been used once. Active selection has processed them in a
# different order, has slightly fewer support vectors, and assigns a larger region to the minority
# class; with further passes (``max_iter="auto"``, the default) both would approach the same
# support vector machine.
