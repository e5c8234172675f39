"""
===============
Coming from SVC
===============

:class:`~sklearn_online_svm.LASVC` solves the same problem as :class:`sklearn.svm.SVC`, with the
same parameters. This tutorial replaces one by the other, compares the results and the times, and
shows what ``LASVC`` can do in addition: continue the training. :doc:`/migrating_from_svc` lists
all parameters and attributes.
"""

# %%
# The replacement
# ===============
#
# The data are Breiman's waveforms: 21 features, one class against the other two.

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from sklearn_online_svm.datasets import make_waveform

X, y = make_waveform(8000, random_state=0)
X_test, y_test = make_waveform(3000, random_state=1)

parameters = dict(C=1, gamma=0.05, cache_size=500)
models = {
    "SVC": SVC(**parameters),
    "LASVC": LASVC(**parameters, random_state=0),
    "LASVC(max_iter=-1)": LASVC(**parameters, max_iter=-1, random_state=0),
}
for name, model in models.items():
    start = time.perf_counter()
    model.fit(X, y)
    middle = time.perf_counter()
    error = 1 - model.score(X_test, y_test)
    end = time.perf_counter()
    print(
        f"{name:19} error {error:.1%}, {len(model.support_)} support vectors, "
        f"fit {middle - start:.2f} s, predict {end - middle:.2f} s"
    )

# %%
# Up to 5000 samples, ``LASVC`` finds the solution of ``SVC``, within ``tol``. With more, as here,
# it makes a pass over the samples, optimizes over the support vectors that it has found, and
# repeats both until another pass would change little. ``max_iter=-1`` repeats them until the
# solution is that of ``SVC`` in any case. How far apart are the decision values?

BLUE, ORANGE, GREY, INK = "#1f6feb", "#d1702a", "#8b949e", "#24292f"

reference = models["SVC"].decision_function(X_test)
figure, axes = plt.subplots(1, 2, figsize=(7.6, 4.2), sharey=True, layout="constrained")
for (name, model), colour, axis in zip(
    list(models.items())[1:], (ORANGE, BLUE), axes, strict=True
):
    values = model.decision_function(X_test)
    axis.plot([-4, 4], [-4, 4], color=GREY, linewidth=1)
    axis.scatter(reference, values, s=6, color=colour, alpha=0.4, linewidths=0)
    axis.set(xlabel="decision value of SVC", xlim=(-3, 3), ylim=(-3, 3))
    axis.set_title(name, loc="left", fontweight="bold")
    axis.set_aspect("equal")
    axis.spines[["top", "right"]].set_visible(False)
    same = np.mean(np.sign(values) == np.sign(reference))
    print(
        f"{name:19} largest difference {np.abs(values - reference).max():.4f}, "
        f"same predictions for {same:.2%} of the test samples"
    )
axes[0].set_ylabel("decision value of LASVC")
plt.show()

# %%
# Pipelines and searches
# ======================
#
# ``LASVC`` is a scikit-learn classifier, so that the code around it does not change. A grid search
# over nine candidates with both models:

grid = {"C": [0.1, 0.3, 1], "gamma": [0.03, 0.1, 0.3]}
for model in (SVC(), LASVC(random_state=0)):
    name = type(model).__name__
    pipeline = make_pipeline(StandardScaler(), model)
    search = GridSearchCV(
        pipeline, {f"{name.lower()}__{key}": values for key, values in grid.items()}, cv=3
    )
    start = time.perf_counter()
    search.fit(X[:3000], y[:3000])
    print(f"{name:6} {search.best_params_}, {time.perf_counter() - start:.1f} s")

# %%
# For larger grids, :class:`~sklearn_online_svm.model_selection.ProgressiveSearch` fits all
# candidates to a few samples first, and only the better ones to more:
# :ref:`sphx_glr_auto_examples_start_plot_tuning.py`.
#
# New samples
# ===========
#
# Now 250 new samples arrive at a time, and a model is needed after each of these chunks. ``SVC``
# must be fitted to all samples again; ``LASVC`` is trained on the new ones with ``partial_fit``.

STEP = 250
n_samples = np.arange(STEP, 4001, STEP)
online = LASVC(**parameters)
seconds, errors = {"SVC": [], "LASVC": []}, {"SVC": [], "LASVC": []}
for n in n_samples:
    start = time.perf_counter()
    batch = SVC(**parameters).fit(X[:n], y[:n])
    middle = time.perf_counter()
    online.partial_fit(X[n - STEP : n], y[n - STEP : n], classes=[-1, 1])
    end = time.perf_counter()
    seconds["SVC"].append(middle - start)
    seconds["LASVC"].append(end - middle)
    for name, model in (("SVC", batch), ("LASVC", online)):
        errors[name].append(100 * (1 - model.score(X_test, y_test)))

total = {name: np.cumsum(values) for name, values in seconds.items()}
for values, title in ((total, "Training time so far (s)"), (errors, "Test error (%)")):
    figure, axis = plt.subplots(figsize=(5, 4), layout="constrained")
    for name, colour in (("SVC", ORANGE), ("LASVC", BLUE)):
        axis.plot(n_samples, values[name], color=colour, linewidth=3, label=name)
    axis.set(xlabel="samples", ylim=(0, None))
    axis.set_title(title, loc="left", fontweight="bold")
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(color="#e6e8eb", linewidth=0.8)
    axis.legend(frameon=False, fontsize=12)
plt.show()

ratio = sum(seconds["SVC"]) / sum(seconds["LASVC"])
print(f"{len(n_samples)} models: SVC takes {ratio:.0f} times as long as LASVC")

# %%
# What differs
# ============
#
# - **multi_class** is a parameter only of ``LASVC``. By default it trains one problem per pair of
#   classes (one-vs-one), as ``SVC``; ``multi_class="ovr"`` trains one per class (one-vs-rest).
# - **max_iter** counts passes over the samples, not steps of the solver.
# - **random_state** determines the order of the samples. With more than 5000 samples, the model
#   depends on it.

# sphinx_gallery_thumbnail_number = 2
