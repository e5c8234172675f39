"""
==========================
Which C? A path of models
==========================

How large should ``C`` be? Usually one fits a model for each of many values and looks which is
best. :meth:`~sklearn_online_svm.LASVC.fit_path` makes them one from the other, which costs about
as much as a few fits, however many there are.
"""

# %%
# A path
# ======
#
# Two classes that overlap, with some labels flipped. Half of the rows are learnt, half are there
# to choose. What comes back is a sequence of models, ready to predict.

import numpy as np

from sklearn_online_svm import LASVC
from sklearn_online_svm.datasets import flip_labels, make_banana_like
from sklearn_online_svm.evaluation import SolutionPathDisplay

X, y = make_banana_like(3000, random_state=0)
X_train, X_test, y_test = X[:1500], X[1500:], y[1500:]
y_train = flip_labels(y[:1500], 0.1, random_state=0)

Cs = np.logspace(-2, 3, 21)
path = LASVC(gamma=1.0, random_state=0).fit_path(X_train, y_train, Cs)
print(path)

# %%
# Accuracy, vectors, objective
# ============================
#
# With a small C the model is too smooth, with a large one it believes the flipped labels: accuracy
# on the rows learnt goes on rising, that on the others does not. Support vectors become fewer as C
# rises, and predictions faster.

display = SolutionPathDisplay.from_path(path, X_test, y_test, X_train=X_train, y_train=y_train)

# %%
# The best model
# ==============

scores = path.scores(X_test, y_test)
best = path[scores.argmax()]
print(f"C={best.C:.3g}: {scores.max():.1%} right, {best.n_support_.sum()} support vectors")

# %%
# What it costs
# =============
#
# Kernel values of the path, and of one fit with the largest C.

alone = LASVC(C=Cs[-1], gamma=1.0, random_state=0).fit(X_train, y_train)
print(f"{path.n_kernel_evaluations / alone.n_kernel_evaluations_:.1f} times those of one fit")
