"""
===========================================
A search for C and gamma, and what it costs
===========================================

:class:`~sklearn_online_svm.model_selection.ProgressiveSearch` trains all candidates of a grid on
a few samples, eliminates those with low present and predicted scores, doubles the number of
samples, and so on. When the candidates left are few enough, cross-validation decides. This example
shows which candidates survive.
"""

# %%
# A boundary with many details
# ============================
#
# The data are points on a board of 12 by 12 fields. The fields on the left belong to one class and
# those on the right to the other, except for about every fifth field, whose class is that of the
# opposite side. A few samples are enough to find the two sides. To find the single fields as well
# takes many samples, and a flexible model. One label in twenty is wrong.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from sklearn_online_svm import LASVC
from sklearn_online_svm.evaluation import ProgressiveSearchDisplay
from sklearn_online_svm.model_selection import ProgressiveSearch

fields = (np.arange(12)[:, None] < 6) ^ (np.random.default_rng(0).random((12, 12)) < 0.2)


def make_fields(n_samples, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 12, (n_samples, 2))
    column, row = np.floor(X).astype(int).T
    return X, (fields[column, row] ^ (rng.random(n_samples) < 0.05)).astype(int)


X, y = make_fields(8000, seed=1)
X_test, y_test = make_fields(4000, seed=2)

# %%
# The search
# ==========
#
# There are a hundred candidates. A quarter of the samples is held out for the scores. At each
# *rung*, a given number of training samples, the candidates are compared and some of them are
# eliminated; the others continue with more samples. As soon as five folds of the candidates left
# take less than about five seconds, they are compared by cross-validation instead. After each
# fold, those leave that are clearly worse. With ``verbose=1`` the search prints its plan and a
# line for each rung and fold.

grid = {"C": np.logspace(-1, 3.5, 10), "gamma": np.logspace(-3, 2, 10)}
search = ProgressiveSearch(LASVC(), grid, random_state=0, verbose=1).fit(X, y)

# %%
# The left panel shows the learning curves. Grey curves end with a dot where the candidate was
# eliminated. The coloured candidates were left at the end; the thick red curve is the winner. The
# folds are at the right end, one above the other, at four fifths of the samples. The numbers above
# the panel count the candidates at each rung. The vertical axis begins
# at the median of the first rung, or below the winner, so the curves of poor candidates may lie
# outside.
#
# Many curves cross: the smooth models that are best on the first rung have found the two sides and
# hardly improve afterwards. Therefore the survivors are, by turns, the next best by present score
# and by *predicted score*: the learning curve extended to the last rung. The right panel shows the
# predicted score of each candidate at the last rung that it reached, and the positions of the
# coloured candidates in the grid; the star is the winner.

ProgressiveSearchDisplay.from_estimator(search)

# %%
# What it cost
# ============
#
# The winner has been trained on all samples, held-out ones included, and is ready to predict.
# ``cost_`` is the time of the search in fits of this winner. It exceeds the budget ``max_cost`` of
# 8 fits, because fits are cheap here: the search may take ``min_seconds`` in any case. A grid
# search with five folds needs 500 fits. ``edges_`` names the parameters whose best value is the
# smallest or the largest one of the grid. Here it is empty; otherwise the grid should be extended.

print(f"accuracy on test samples: {search.score(X_test, y_test):.3f}")
print(f"cost: {search.cost_:.1f} fits of the winner")
print(f"parameters at an edge of the grid: {search.edges_}")

# %%
# The fields, and the classes that the winner predicts:

COLOURS = ListedColormap(["#1f6feb", "#d1702a"])
axis = np.linspace(0.01, 11.99, 240)
points = np.column_stack([of.ravel() for of in np.meshgrid(axis, axis)])
figure, panels = plt.subplots(1, 2, figsize=(6.4, 3.4), sharey=True, layout="constrained")
column, row = np.floor(points).astype(int).T
for panel, title, classes in (
    (panels[0], "fields", fields[column, row]),
    (panels[1], "predicted", search.predict(points)),
):
    panel.pcolormesh(axis, axis, classes.reshape(240, 240), cmap=COLOURS)
    panel.set(title=title, aspect="equal", xticks=range(0, 13, 3), yticks=range(0, 13, 3))
plt.show()

# sphinx_gallery_thumbnail_number = 2
