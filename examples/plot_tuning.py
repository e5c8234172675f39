"""
=================================
What a search sees, and may miss
=================================

Many pairs of C and gamma learn one stream. After each stretch of rows they are compared on the
next one, and the worst leave. Few rows of a chessboard say little about its fields: other pairs
look best at first, and those that win in the end may be among the ones that leave. With more rows
before the first comparison they stay.
"""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_online_svm import LASVC
from sklearn_online_svm.model_selection import ProgressiveSearch

# %%
# Twelve by twelve fields, one label in ten wrong.


def chessboard(n_rows, seed):
    rng = np.random.default_rng(seed)
    X = 12 * rng.random((n_rows, 2))
    y = np.floor(X).sum(axis=1) % 2
    return X, np.where(rng.random(n_rows) < 0.1, 1 - y, y)


X, y = chessboard(4000, seed=1)
X_test, y_test = chessboard(4000, seed=99)
grid = {"C": np.logspace(-1, 2, 7), "gamma": np.logspace(-3, 2, 11)}

# %%
# With a place for everybody all stay to the end, which shows what a search does not see: which
# pair is best after each stretch. The first comparison comes after 250 rows, fewer than two for
# each field.

everyone = ProgressiveSearch(LASVC(), grid, min_candidates=77, random_state=1).fit(X, y)
rungs = everyone.cv_results_["rung"]
n_shown = min(4, rungs.max() + 1)
figure, panels = plt.subplots(
    1, n_shown, figsize=(3.2 * n_shown, 3.4), sharey=True, layout="constrained"
)
for panel, rung in zip(panels, np.linspace(0, rungs.max(), n_shown).astype(int)):
    of = rungs == rung
    scores = np.empty(77)
    scores[everyone.cv_results_["candidate"][of]] = everyone.cv_results_["rung_test_score"][of]
    image = panel.pcolormesh(grid["gamma"], grid["C"], scores.reshape(7, 11), vmin=0.5, vmax=0.85)
    best = np.argmax(scores)
    panel.plot(grid["gamma"][best % 11], grid["C"][best // 11], "r*", markersize=12)
    panel.set(xscale="log", yscale="log", xlabel="gamma")
    panel.set_title(f"after {everyone.n_resources_[rung]} rows")
panels[0].set_ylabel("C")
figure.colorbar(image, label="accuracy on the next rows")

# %%
# Two races, one with the default of 250 rows before anybody is compared, one with 500. A line for
# each candidate, from its first comparison to its last.

quick = ProgressiveSearch(LASVC(), grid, random_state=1).fit(X, y)
careful = ProgressiveSearch(LASVC(), grid, min_resources=500, random_state=1).fit(X, y)

figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
for panel, search, name in (
    (panels[0], quick, "250 rows at first"),
    (panels[1], careful, "500 rows"),
):
    results = search.cv_results_
    for number in np.unique(results["candidate"]):
        of = results["candidate"] == number
        wins = number == results["candidate"][search.best_index_]
        panel.plot(
            results["n_resources"][of],
            results["rung_test_score"][of],
            "o-",
            color="C3" if wins else "0.75",
            zorder=2 + wins,
            markersize=3,
        )
    found = f"gamma = {search.best_params_['gamma']:.2g}, {search.score(X_test, y_test):.1%}"
    panel.set(xscale="log", xlabel="rows learnt", title=f"{name}: {found} on test rows")
panels[0].set_ylabel("accuracy on the next rows")
plt.show()
