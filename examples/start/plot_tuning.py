"""
===========================================
A search for C and gamma, and what it costs
===========================================

:class:`~sklearn_online_svm.model_selection.ProgressiveSearch` fits all candidates of a grid to a
few samples, eliminates those with low scores, doubles the number of samples, and so on. The best
candidates, and their neighbours in the grid, are compared by cross-validation. This example shows
which candidates survive.
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
# There are a hundred candidates. At each *rung*, a given number of training samples, all of them
# are scored on the same other samples, and the worst are eliminated. When few enough are left,
# they are compared by three folds. Then the neighbours of the best candidate are compared with
# it, and those of a better one, as long as there is one and the budget lasts. With ``verbose=1``
# the search prints a line for each rung and fold.

grid = {"C": np.logspace(-1, 3.5, 10), "gamma": np.logspace(-3, 2, 10)}
model = LASVC(random_state=0)
search = ProgressiveSearch(model, grid, random_state=0, verbose=1).fit(X, y)

# %%
# The left panel shows the learning curves. The thick red curve is the winner, and the five other
# candidates with the highest rank are coloured. Grey curves end with a dot where the candidate
# was eliminated. The points at the right end are means over the folds, in which a candidate is
# fitted to two thirds of the samples. The numbers above the panel count the candidates. The
# vertical axis begins at the median of the first rung, or below the winner, so the curves of poor
# candidates may lie outside.
#
# Many curves cross: the smooth models that are best at first have found the two sides and hardly
# improve afterwards, while flexible ones, the winner among them, need more samples. Therefore the
# rungs eliminate few candidates at first, and the neighbours of the best one are compared at full
# size, also those that had been eliminated: their curves go straight to the right end. The right
# panel shows the last score of each candidate, and the positions of the coloured ones in the grid;
# the star is the winner.

ProgressiveSearchDisplay.from_estimator(search)

# %%
# What it cost
# ============
#
# The winner has been fitted to all samples and is ready to predict. ``cost_`` is the time of the
# search in fits of this winner. The budget is ``max_cost=25`` such fits, or ten seconds if that
# is longer. A grid search with five folds needs 500 fits. ``edges_`` names the parameters whose
# best value is the smallest or the largest one of the grid. Here it is empty; otherwise the grid
# should be extended.

print(f"accuracy on test samples: {search.score(X_test, y_test):.3f}")
print(f"cost: {search.cost_:.1f} fits of the winner")
print(f"parameters at an edge of the grid: {search.edges_}")

# %%
# The fields, and the classes that the winner predicts:

COLOURS = ListedColormap(["#1f6feb", "#d1702a"])
axis = np.linspace(0.01, 11.99, 240)
points = np.column_stack([of.ravel() for of in np.meshgrid(axis, axis)])
column, row = np.floor(points).astype(int).T
for title, classes in (
    ("fields", fields[column, row]),
    ("predicted", search.predict(points)),
):
    figure, panel = plt.subplots(figsize=(5, 4.4), layout="constrained")
    panel.pcolormesh(axis, axis, classes.reshape(240, 240), cmap=COLOURS)
    panel.set_title(title, fontweight="bold", fontsize=16)
    panel.set(xticks=range(0, 13, 3), yticks=range(0, 13, 3))
plt.show()

# sphinx_gallery_thumbnail_number = 3
