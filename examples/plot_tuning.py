"""
===========================================
A search for C and gamma, and what it costs
===========================================

:class:`~sklearn_online_svm.model_selection.ProgressiveSearch` trains all candidates of a grid on
a few samples, eliminates those with the worst prospects, doubles the number of samples, and so
on. This example shows which candidates survive, and what changes with a larger budget.
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
# eliminated; the others continue with more samples. With ``verbose=1`` the search prints its plan
# and a line for each rung.

grid = {"C": np.logspace(-1, 3.5, 10), "gamma": np.logspace(-3, 2, 10)}
search = ProgressiveSearch(LASVC(), grid, random_state=0, verbose=1).fit(X, y)

# %%
# The left panel shows the learning curves. Grey curves end with a dot where the candidate was
# eliminated. The coloured candidates were trained up to the last rung; the thick red curve is the
# winner. The numbers above the panel count the candidates at each rung. The vertical axis begins
# at the median of the first rung, or below the winner, so the curves of poor candidates may lie
# outside.
#
# Many curves cross: the smooth models that are best on the first rung have found the two sides and
# hardly improve afterwards. Therefore it is not the present score that decides which candidates
# survive but a *predicted score*: the learning curve extended to the last rung. The right panel
# shows the predicted score of each candidate at its last rung, and the positions of the coloured
# candidates in the grid; the star is the winner.

ProgressiveSearchDisplay.from_estimator(search)

# %%
# What it cost
# ============
#
# The winner has been trained on all samples, held-out ones included, and is ready to predict.
# ``cost_`` is the cost of the whole search in fits of this winner; a grid search with five folds
# needs 500 fits. ``edges_`` names the parameters whose best value is the smallest or the largest
# one of the grid. Here it is empty; otherwise the grid should be extended.

print(f"accuracy on test samples: {search.score(X_test, y_test):.3f}")
print(f"cost: {search.cost_:.1f} fits of the winner")
print(f"parameters at an edge of the grid: {search.edges_}")

# %%
# A larger budget
# ===============
#
# The first rungs have fewer than three samples for each field. Models with a large ``gamma`` are
# hardly better than chance there, and their learning curves do not show yet what they achieve with
# more samples. With a larger budget, ``max_cost``, candidates are eliminated later.

larger = ProgressiveSearch(LASVC(), grid, max_cost=32, random_state=0).fit(X, y)
ProgressiveSearchDisplay.from_estimator(larger)

# %%
# The new winner is close to chance on the first rungs and the best at the end. The first search
# had eliminated it. The winner of the first search is almost as good, though, and was found in a
# fraction of the time. The costs cannot be compared directly, because each is given in fits of its
# own winner, and a fit with a larger ``gamma`` takes longer.

for name, model in (("max_cost=8", search), ("max_cost=32", larger)):
    C, gamma = model.best_params_["C"], model.best_params_["gamma"]
    # Seconds so far of each candidate, at its last rung.
    seconds = dict(zip(model.cv_results_["candidate"], model.cv_results_["mean_fit_time"]))
    print(
        f"{name}: C={C:.3g}, gamma={gamma:.3g}, accuracy on test samples "
        f"{model.score(X_test, y_test):.3f}, cost {model.cost_:.1f} fits of the winner, "
        f"training of the candidates {sum(seconds.values()):.1f} s"
    )

# %%
# The fields, and the classes that the two models predict:

axis = np.linspace(0.01, 11.99, 240)
points = np.column_stack([of.ravel() for of in np.meshgrid(axis, axis)])
figure, panels = plt.subplots(1, 3, figsize=(9, 3.2), sharey=True, layout="constrained")
column, row = np.floor(points).astype(int).T
for panel, title, classes in (
    (panels[0], "fields", fields[column, row]),
    (panels[1], "max_cost=8", search.predict(points)),
    (panels[2], "max_cost=32", larger.predict(points)),
):
    panel.pcolormesh(axis, axis, classes.reshape(240, 240), cmap=ListedColormap(["C0", "C1"]))
    panel.set(title=title, aspect="equal", xticks=range(0, 13, 3), yticks=range(0, 13, 3))
plt.show()
