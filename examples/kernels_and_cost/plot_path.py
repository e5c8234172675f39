"""
==========================
Regularization path over C
==========================

The usual way to choose ``C`` is to fit a model for each of many values and to select the best one.
:meth:`~sklearn_online_svm.LASVC.fit_path` computes each of these models from the previous one.
"""

# %%
# Computing a path
# ================
#
# Two overlapping classes with some flipped labels. Half of the samples are used for training, the
# other half for model selection. The result is a sequence of models that are ready to predict.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_online_svm import LASVC
from sklearn_online_svm.datasets import flip_labels, make_banana_like

X, y = make_banana_like(3000, random_state=0)
X_train, X_test, y_test = X[:1500], X[1500:], y[1500:]
y_train = flip_labels(y[:1500], 0.1, random_state=0)

Cs = np.logspace(-2, 3, 21)
path = LASVC(gamma=1.0, random_state=0).fit_path(X_train, y_train, Cs)
print(path)

# %%
# Accuracy, support vectors, objective
# ====================================
#
# With a small C the model underfits, with a large one it fits the flipped labels: the training
# accuracy continues to increase, that of the test samples does not.

BLUE, ORANGE = "#1f6feb", "#d1702a"
scores = path.scores(X_test, y_test)

figure, axis = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
axis.plot(Cs, path.scores(X_train, y_train), "o-", color=BLUE, label="training samples")
axis.plot(Cs, scores, "o-", color=ORANGE, label="test samples")
axis.set(xlabel="C", ylabel="Accuracy", xscale="log")
axis.legend(frameon=False)
plt.show()

# %%
# The number of support vectors decreases with C, which makes predictions faster. The dual
# objective increases.

figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
axes[0].plot(Cs, path.n_support, "o-", color=BLUE)
axes[0].set(xlabel="C", ylabel="Support vectors", xscale="log")
axes[1].plot(Cs, path.dual_objective.sum(axis=1), "o-", color=BLUE)
axes[1].set(xlabel="C", ylabel="Dual objective", xscale="log", yscale="log")
plt.show()

# %%
# The best model
# ==============

best = path[scores.argmax()]
print(f"C={best.C:.3g}: accuracy {scores.max():.1%}, {best.n_support_.sum()} support vectors")

# %%
# Cost
# ====
#
# The number of kernel evaluations of the path, compared with one fit with the largest C.

alone = LASVC(C=Cs[-1], gamma=1.0, random_state=0).fit(X_train, y_train)
print(f"{path.n_kernel_evaluations / alone.n_kernel_evaluations_:.1f} times those of one fit")
