"""
=================
Coming from modAL
=================

modAL wraps a classifier in an ``ActiveLearner`` that stores the labelled samples and fits the
classifier to all of them after each query. In this package the classifier is updated with the new
label only, and the query strategy is an object of its own. This tutorial translates a loop of
modAL and compares accuracy and time.
"""

# %%
# The loop in modAL
# =================
#
# .. code-block:: python
#
#     from modAL.models import ActiveLearner
#     from modAL.uncertainty import margin_sampling
#
#     learner = ActiveLearner(
#         SVC(probability=True), margin_sampling, X_training=X[first], y_training=y[first]
#     )
#     pool = np.delete(np.arange(len(X)), first)
#     for _ in range(200):
#         chosen, samples = learner.query(X[pool])   # scores all samples of the pool
#         learner.teach(samples, y[pool[chosen]])    # fits the classifier to all labels
#         pool = np.delete(pool, chosen)
#
# modAL 0.4.2.1 does not run with scikit-learn 1.8 and later: ``teach`` raises a ``TypeError``
# because of the removed argument ``force_all_finite``. Therefore this program does the same
# without modAL: it fits ``SVC`` to all labels after each query, and scores the whole pool. (The
# score is the decision value, not a probability.) The pool has 10 000 samples with ten features,
# and one in ten is positive.

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from sklearn_online_svm.active import MarginSampling

X, y = make_classification(
    15_000,
    10,
    n_informative=6,
    n_clusters_per_class=3,
    class_sep=2.0,
    flip_y=0,
    weights=[0.9],
    random_state=0,
)
X, X_test, y, y_test = X[:10_000], X[10_000:], y[:10_000], y[10_000:]
rng = np.random.default_rng(0)
first = np.concatenate([rng.choice(np.flatnonzero(y == label), 5, False) for label in (0, 1)])

N_QUERIES = 200
parameters = dict(C=10, gamma=0.1)


def refit_loop():
    """Yield the model after each query; SVC is fitted to all labels, as in modAL."""
    labelled, pool = list(first), np.delete(np.arange(len(X)), first)
    model = SVC(**parameters).fit(X[labelled], y[labelled])
    for _ in range(N_QUERIES):
        place = np.argmin(np.abs(model.decision_function(X[pool])))
        labelled.append(pool[place])
        pool = np.delete(pool, place)
        model.fit(X[labelled], y[labelled])
        yield model


# %%
# The loop in this package
# ========================
#
# ``query`` returns indices into ``X``, and ``candidates`` is a mask of the samples that can be
# selected, so that the pool is never copied. ``partial_fit`` takes the place of ``teach``.


def update_loop(strategy):
    """Yield the model after each query; LASVC is updated with the new label."""
    model = LASVC(**parameters).partial_fit(X[first], y[first], classes=[0, 1])
    unlabelled = np.ones(len(X), dtype=bool)
    unlabelled[first] = False
    for _ in range(N_QUERIES):
        chosen = strategy.query(model, X, candidates=unlabelled)
        model.partial_fit(X[chosen], y[chosen])
        unlabelled[chosen] = False
        yield model


# %%
# By default :class:`~sklearn_online_svm.active.MarginSampling` draws 59 samples at random and
# selects the one closest to the boundary; ``pool_size="all"`` scores the whole pool, as modAL
# does. ``pool_size=1`` is a random choice.

BLUE, ORANGE, GREEN, GREY = "#1f6feb", "#d1702a", "#2d9d63", "#8b949e"

loops = {
    "SVC fitted again, all scored": (refit_loop(), ORANGE),
    "LASVC updated, all scored": (update_loop(MarginSampling("all", random_state=0)), GREEN),
    "LASVC updated, 59 scored": (update_loop(MarginSampling(random_state=0)), BLUE),
    "LASVC updated, random": (update_loop(MarginSampling(1, random_state=0)), GREY),
}
STEP = 10
n_labels = len(first) + np.arange(STEP, N_QUERIES + 1, STEP)
errors, seconds = {}, {}
for name, (models, _) in loops.items():
    errors[name], elapsed, start = [], [], time.perf_counter()
    for number, model in enumerate(models, start=1):
        elapsed.append(time.perf_counter() - start)
        if number % STEP == 0:
            errors[name].append(100 * (1 - model.score(X_test, y_test)))
        start = time.perf_counter()  # the test is not part of the loop
    seconds[name] = np.cumsum(elapsed)[STEP - 1 :: STEP]
    print(
        f"{name:29} error {np.mean(errors[name][-5:]):.1f} %, "
        f"{1000 * seconds[name][-1] / N_QUERIES:.2f} ms per label"
    )

# %%
# The errors printed are means of the last five measurements.


def plot_loops(values, title, **options):
    figure, axis = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
    for name, (_, colour) in loops.items():
        axis.plot(n_labels, values[name], color=colour, linewidth=3, label=name)
    axis.set(xlabel="labels", **options)
    axis.set_title(title, loc="left", fontweight="bold")
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(color="#e6e8eb", linewidth=0.8)
    axis.legend(frameon=False)
    plt.show()


plot_loops(errors, "Test error (%)", ylim=(0, 16))

# %%
# The time of each loop, on a logarithmic axis:

plot_loops(seconds, "Time of the loop (s)", yscale="log")

# %%
# Translation
# ===========
#
# .. list-table::
#    :header-rows: 1
#    :widths: 45 55
#
#    * - modAL
#      - this package
#    * - ``ActiveLearner(estimator, query_strategy)``
#      - an estimator with ``partial_fit``, and a strategy
#    * - ``learner.query(X_pool)``
#      - ``strategy.query(model, X, candidates=unlabelled)``
#    * - ``learner.teach(X_new, y_new)``
#      - ``model.partial_fit(X_new, y_new)``
#    * - ``uncertainty_sampling``, ``margin_sampling``
#      - ``MarginSampling``
#    * - ``entropy_sampling``
#      - none; the same as margin sampling for two classes
#    * - ``uncertainty_batch_sampling``
#      - ``MarginSampling(diversity=0.5)`` with ``batch_size``
#    * - stream-based sampling
#      - :class:`~sklearn_online_svm.LabelEfficientClassifier`
#    * - ``Committee``, ``BayesianOptimizer``
#      - none
#
# ``MarginSampling`` needs ``decision_function`` instead of probabilities. With an older
# scikit-learn, where modAL runs, :func:`~sklearn_online_svm.active.margin_sampling` can be passed
# to ``ActiveLearner``: it has the signature of modAL's strategies. See :ref:`active_pool` for
# batches, several classes, and a comparison that also contains scikit-activeml.
