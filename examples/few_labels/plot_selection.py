"""
====================================
Active selection of training samples
====================================

All labels are known, but most samples are redundant for a support vector machine.
:class:`~sklearn_online_svm.ActiveLASVC` selects its training samples: its parameter
``selection`` chooses the next training sample before each step, and ``max_labels`` limits their
number. There are four strategies: random order (``"random"``), the sample with the smallest margin
(``"gradient"``), the one nearest to the boundary (``"active"``), and the nearest of the first few
within the margin (``"autoactive"``). The example compares them with and without label noise. See
:ref:`sample_selection`.
"""

# %%
# Support vectors of the four strategies
# ======================================
#
# Three thousand samples in two dimensions, one label in ten is wrong, and each strategy selects
# 150 samples. The resulting support vectors are highlighted, those with a wrong label in red;
# solid and dashed lines are the boundary and the margin.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from sklearn.datasets import load_digits
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.model_selection import train_test_split

from sklearn_online_svm import ActiveLASVC
from sklearn_online_svm.datasets import flip_labels, make_banana_like

BLUE, ORANGE, GREEN, GREY, PURPLE, INK = (
    "#1f6feb", "#d1702a", "#2d9d63", "#8b949e", "#b35fae", "#24292f",
)  # fmt: skip
COLOURS = {"random": GREY, "gradient": ORANGE, "active": BLUE, "autoactive": GREEN}

X, y = make_banana_like(3000, random_state=0)
X_test, y_test = make_banana_like(5000, random_state=1)
y_noisy = flip_labels(y, 0.1, random_state=2)
is_wrong = y_noisy != y


def show_model(axis, model):
    """Plot the samples, the boundary and the margin."""
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
    axis.scatter(*X.T, c=np.where(y == 1, BLUE, ORANGE), s=5, alpha=0.15, linewidth=0)
    axis.set(xticks=[], yticks=[], xlabel="", ylabel="")


figure, axes = plt.subplots(2, 2, figsize=(9.6, 9.0), layout="constrained")
for axis, selection in zip(axes.flat, COLOURS):
    model = ActiveLASVC(C=10, gamma=1.0, selection=selection, max_labels=150, random_state=0)
    model.fit(X, y_noisy)
    show_model(axis, model)
    for kept, ring in ((~is_wrong[model.support_], INK), (is_wrong[model.support_], PURPLE)):
        rows = model.support_[kept]
        fill = np.where(y_noisy[rows] == 1, BLUE, ORANGE)
        axis.scatter(*X[rows].T, c=fill, s=30, edgecolor=ring, linewidth=1.4)
    errors = 1 - model.score(X_test, y_test)
    n_wrong = is_wrong[model.support_].sum()
    axis.set_title(
        f"{selection}: {errors:.1%} error\n{len(model.support_)} support vectors, "
        f"{n_wrong} of them with a wrong label",
        fontsize=11,
    )
rings = [
    Line2D([], [], marker="o", linestyle="", markerfacecolor="white", markeredgecolor=ring)
    for ring in (INK, PURPLE)
]
figure.legend(rings, ("support vector", "with a wrong label"), loc="outside lower center", ncols=2)
plt.show()

# %%
# ``"gradient"`` selects samples that the model misclassifies, and thereby those with wrong labels.
# ``"active"`` and ``"autoactive"`` do not use labels for the selection: the share of wrong labels
# among the selected samples is that of the data set, and the budget is spent along the boundary.
# Random samples are mostly far from it and do not become support vectors.
#
# Sequence of selected samples
# ============================
#
# ``"active"`` with correct labels after 15, 40 and 100 samples: a larger budget begins with the
# samples of a smaller one. Support vectors that are new since the previous panel are dark.

figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.6), layout="constrained")
before = []
for axis, n_labels in zip(axes, (15, 40, 100)):
    model = ActiveLASVC(C=10, gamma=1.0, max_labels=n_labels, random_state=0)
    model.fit(X, y)
    show_model(axis, model)
    is_new = ~np.isin(model.support_, before)
    for rows, colour in ((model.support_[~is_new], GREY), (model.support_[is_new], INK)):
        axis.scatter(*X[rows].T, color=colour, s=18, linewidth=0)
    errors = 1 - model.score(X_test, y_test)
    axis.set_title(f"{n_labels} samples: {errors:.1%} error", fontsize=11)
    before = model.support_
plt.show()

# %%
# The first samples determine the rough position of the boundary, the next ones its bends, and the
# others lie along it.
#
# Learning curves
# ===============
#
# Handwritten digits, even against odd, without noise and with one label in ten wrong. Mean test
# errors over ten splits against the number of training samples. The test labels are correct.

digits, target = load_digits(return_X_y=True)
digits, even = digits / 16, np.where(target % 2 == 0, 1, -1)
N_LABELS = [25, 50, 75, 100, 150, 200, 300, 400, 600, 800]


def errors_of(selection, noise, seed):
    X_train, X_test, y_train, y_test = train_test_split(
        digits, even, test_size=0.4, random_state=seed
    )
    if noise:
        y_train = flip_labels(y_train, noise, random_state=seed)
    errors = []
    for n_labels in N_LABELS:
        model = ActiveLASVC(
            C=10, gamma=0.1, selection=selection, max_labels=n_labels, random_state=seed
        )
        errors.append(1 - model.fit(X_train, y_train).score(X_test, y_test))
    return errors


for noise in (0.0, 0.1):
    figure, axis = plt.subplots(figsize=(5, 4), layout="constrained")
    for selection, colour in COLOURS.items():
        mean = 100 * np.mean([errors_of(selection, noise, seed) for seed in range(10)], axis=0)
        axis.plot(N_LABELS, mean, "o-", color=colour, markersize=4, linewidth=2, label=selection)
        if noise:
            print(f"{selection:10} {mean[N_LABELS.index(200)]:4.1f} % error after 200 labels")
    axis.set_title("correct labels" if noise == 0 else f"{noise:.0%} of the labels wrong")
    axis.set(xlabel="training samples", ylabel="test error (%)", yscale="log", ylim=(1, 50))
    axis.set_yticks([1, 2, 5, 10, 20, 40], labels=[1, 2, 5, 10, 20, 40])
    axis.set_yticks([], minor=True)
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(color="#e6e8eb", linewidth=0.8)
    axis.legend(frameon=False)
plt.show()

# %%
# Without noise, the samples with the smallest margin are the most informative. With noise,
# ``"gradient"`` selects wrong labels first and has a higher error than random order until no more
# of them are left, while ``"active"`` needs at most a third of the samples of ``"random"``.

# sphinx_gallery_thumbnail_number = 4
