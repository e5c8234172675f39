"""
==========================
Pool-based active learning
==========================

All samples are available, and each label has a cost.
:class:`~sklearn_online_svm.active.MarginSampling` draws a few samples at random and queries the
one about which the classifier is least certain; :class:`~sklearn_online_svm.LASVC` is updated with
its label by ``partial_fit``. This example shows which samples are queried, and how many labels
this saves. See :ref:`active_pool`.
"""

# %%
# Queried samples
# ===============
#
# A two-dimensional pool with five initial labels for each class, and sixty queries: the sample
# closest to the hyperplane among 59 random ones, or a random sample (a random subset of size one).
# Queried samples are highlighted; solid and dashed lines are the boundary and the margin.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, make_moons
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.model_selection import train_test_split

from sklearn_online_svm import LASVC
from sklearn_online_svm.active import MarginSampling

BLUE, ORANGE, GREY, INK = "#1f6feb", "#d1702a", "#8b949e", "#24292f"
COLOURS = np.array([BLUE, ORANGE])


def query_labels(model, X, y, strategy, first, n_labels, step=1):
    """Query labels; yield the indices of all queried samples after each query."""
    model.partial_fit(X[first], y[first], classes=np.unique(y))
    without_label = np.ones(len(y), dtype=bool)
    without_label[first] = False
    asked = []
    for _ in range(0, n_labels, step):
        chosen = strategy.query(model, X, batch_size=step, candidates=without_label)
        model.partial_fit(X[chosen], y[chosen])
        without_label[chosen] = False
        asked.extend(chosen)
        yield asked


def some_of_each(y, n, seed=0):
    rng = np.random.default_rng(seed)
    rows = [rng.choice(np.flatnonzero(y == c), n, replace=False) for c in np.unique(y)]
    return np.concatenate(rows)


def show(axis, model, X, y, asked):
    """Plot the pool, the queried samples, the boundary and the margin."""
    DecisionBoundaryDisplay.from_estimator(
        model,
        X,
        response_method="decision_function",
        plot_method="contour",
        levels=[-1, 0, 1],
        colors=INK,
        linestyles=["--", "-", "--"],
        linewidths=[0.8, 1.4, 0.8],
        ax=axis,
    )
    axis.scatter(*X.T, c=COLOURS[y], s=6, alpha=0.18, linewidth=0)
    axis.scatter(*X[asked].T, c=COLOURS[y[asked]], s=34, edgecolor=INK, linewidth=0.9)
    axis.set(xticks=[], yticks=[], xlabel="", ylabel="")
    axis.set_aspect("equal")


X, y = make_moons(2000, noise=0.2, random_state=1)
first = some_of_each(y, 5)
figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.7), layout="constrained")
for axis, pool_size, title in zip(axes, (59, 1), ("closest of 59", "at random")):
    model = LASVC(C=10, gamma=1.0)
    strategy = MarginSampling(pool_size, random_state=0)
    *_, asked = query_labels(model, X, y, strategy, first, 60)
    show(axis, model, X, y, asked)
    axis.set_title(f"60 queries, {title}: {1 - model.score(X, y):.1%} error", fontsize=11)
plt.show()

# %%
# Margin sampling queries samples along the boundary, where labels are informative. Most of the
# randomly queried samples are far from it.
#
# Batches of fifteen
# ==================
#
# With few labels and batches of fifteen queries, the samples closest to the hyperplane are also
# close to each other. ``diversity`` selects samples for a batch that differ from each other, as
# measured by their angle in kernel space.

start = LASVC(C=10, gamma=1.0).partial_fit(X[first], y[first], classes=[0, 1])
figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.7), layout="constrained")
for axis, diversity in zip(axes, (0.0, 0.5)):
    strategy = MarginSampling("all", diversity=diversity)
    batch = strategy.query(start, X, batch_size=15)
    show(axis, start, X, y, batch)
    axis.set_title(f"diversity={diversity}", fontsize=11)
plt.show()

# %%
# Learning curves
# ===============
#
# Handwritten digits, ten classes. ``LASVC`` has a decision function for each pair of classes, and
# the samples with the smallest absolute value among the pairs of the predicted class are queried.
# Twenty initial labels; test errors over ten splits.

X, y = load_digits(return_X_y=True)
X = X / 16
N_LABELS, STEP, N_SPLITS = 280, 10, 10
WAYS = {
    "closest of all": dict(pool_size="all"),
    "closest of 59": dict(pool_size=59),
    "at random": dict(pool_size=1),
}


def errors(seed, **options):
    X_pool, X_test, y_pool, y_test = train_test_split(X, y, test_size=0.4, random_state=seed)
    model = LASVC(C=10, gamma=0.1)
    strategy = MarginSampling(**options, random_state=seed)
    first = some_of_each(y_pool, 2, seed)
    steps = query_labels(model, X_pool, y_pool, strategy, first, N_LABELS)
    counts = enumerate(steps, start=1)
    return [1 - model.score(X_test, y_test) for n, _ in counts if n % STEP == 0]


n_labels = 20 + np.arange(STEP, N_LABELS + 1, STEP)
figure, axis = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
curves = {}
for (name, options), colour in zip(WAYS.items(), (ORANGE, BLUE, GREY)):
    runs = 100 * np.array([errors(seed, **options) for seed in range(N_SPLITS)])
    mean, spread = runs.mean(axis=0), runs.std(axis=0)
    curves[name] = mean
    axis.fill_between(
        n_labels, mean - spread, mean + spread, color=colour, alpha=0.15, linewidth=0
    )
    axis.plot(n_labels, mean, color=colour, label=name)
    after_100 = mean[n_labels == 100][0]
    print(f"{name:15} {after_100:.1f} % error after 100 labels, {mean[-1]:.1f} % after 300")

everything = []
for seed in range(N_SPLITS):
    X_pool, X_test, y_pool, y_test = train_test_split(X, y, test_size=0.4, random_state=seed)
    model = LASVC(C=10, gamma=0.1, random_state=0).fit(X_pool, y_pool)
    everything.append(100 * (1 - model.score(X_test, y_test)))
axis.axhline(np.mean(everything), color=INK, linewidth=0.9, linestyle=":")
axis.text(22, np.mean(everything), f"all {len(y_pool)} labels", va="bottom", color=INK)
axis.spines[["top", "right"]].set_visible(False)
axis.grid(color="#e6e8eb", linewidth=0.8)
axis.legend(frameon=False)
axis.set(xlabel="labels", ylabel="test error (%)", xlim=(20, 300), ylim=(0, None))
plt.show()

# %%
# The band is one standard deviation over the splits. Drawing 59 samples is as good as searching
# the whole pool, and 100 queried labels give the same error as 300 random ones.

# sphinx_gallery_thumbnail_number = 3
