"""
====================
Reliability diagrams
====================

Among the samples that a model gives a probability of 0.8, four out of five should be positive. A
reliability diagram shows whether they are: samples are grouped by their probability, and the
frequency of the positive class in each group is plotted against it.

Probabilities of a support vector machine come from a map fitted to decision values. The diagram
depends on which values these are.
"""

# %%
# Maps fitted once
# ================
#
# Two overlapping classes in 21 dimensions, with 5 % of the labels flipped. With ``C=10``, LASVC
# classifies nearly all of its training samples correctly.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import log_loss

from sklearn_online_svm import LASVC, AROWClassifier
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.datasets import flip_labels, make_waveform

X, y = make_waveform(23_000, random_state=0)
y = flip_labels(y, 0.05, random_state=0)
X_train, y_train, X_test, y_test = X[:3000], y[:3000], X[3000:], y[3000:]

model = LASVC(C=10, random_state=0).fit(X_train, y_train)
print(f"accuracy: {model.score(X_train, y_train):.1%} in training, ", end="")
print(f"{model.score(X_test, y_test):.1%} on test samples")

# %%
# - *Training values*: the map is fitted to the decision values of the training samples, which are
#   larger than those of new samples. The probabilities are too extreme.
# - *Five folds*: ``CalibratedClassifierCV`` computes values of samples that are left out, with
#   five further models.
# - ``probability=True`` computes values of samples that are left out from the solution.

ways = {
    "training values": CalibratedClassifierCV(FrozenEstimator(model)),
    "five folds": CalibratedClassifierCV(LASVC(C=10, random_state=0), ensemble=False),
    "probability=True": LASVC(C=10, probability=True, random_state=0),
}
probabilities = {}
for name, way in ways.items():
    probabilities[name] = way.fit(X_train, y_train).predict_proba(X_test)[:, 1]
    print(f"{name:16s}  log-loss {log_loss(y_test, probabilities[name]):.3f}")

# %%
# A curve below the diagonal on the right, and above it on the left, belongs to probabilities that
# are too extreme. The histogram shows how many samples have which probability; the curve leaves
# out groups of fewer than 50.

COLOURS = {
    "training values": "#d1702a",
    "five folds": "#8b949e",
    "probability=True": "#1f6feb",
    "map of the first 3000 samples": "#d1702a",
    "OnlineCalibratedClassifier": "#1f6feb",
}


def reliability(p, y_true, n_groups=12):
    """Return the mean probability and the frequency of the positive class of each group."""
    group = np.minimum((p * n_groups).astype(int), n_groups - 1)
    sizes = np.bincount(group, minlength=n_groups)
    kept = sizes >= 50
    sums = (np.bincount(group, values, n_groups)[kept] for values in (p, y_true == 1))
    return [total / sizes[kept] for total in sums]


def diagram(probabilities, y_true, title):
    """Plot reliability curves and histograms of the probabilities."""
    _, curve = plt.subplots(figsize=(5, 4), layout="constrained")
    _, histogram = plt.subplots(figsize=(5, 4), layout="constrained")
    curve.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--")
    for name, p in probabilities.items():
        style = dict(color=COLOURS[name], linewidth=2.5)
        curve.plot(*reliability(p, y_true), marker="o", markersize=6, label=name, **style)
        histogram.hist(p, bins=24, range=(0, 1), histtype="step", **style)
    curve.set(ylabel="frequency of the positive class", ylim=(0, 1))
    curve.legend(frameon=False, loc="upper left")
    histogram.set(ylabel="samples")
    for axis in (curve, histogram):
        axis.set(xlabel="predicted probability", title=title, xlim=(0, 1))
        axis.spines[["top", "right"]].set_visible(False)


diagram(probabilities, y_test, "LASVC, 3000 training samples")

# %%
# A map that follows a stream
# ===========================
#
# :class:`~sklearn_online_svm.calibration.OnlineCalibratedClassifier` scores each sample before it
# trains its base estimator on it, and fits the map to the scores of the last 2000 samples. In this
# stream a quarter of the labels are flipped from the middle on. For comparison, a map of the first
# 3000 samples is kept, for the same model, which continues to be trained.

n, chunk = len(y), 500
noisy = np.arange(n) > n // 2
y_stream = np.where(noisy, flip_labels(y, 0.25, random_state=1), y)

online = OnlineCalibratedClassifier(AROWClassifier(r=10), window_size=2000)
online.partial_fit(X[:3000], y_stream[:3000], classes=[-1, 1])
kept = CalibratedClassifierCV(FrozenEstimator(online.estimator_)).fit(X[:3000], y_stream[:3000])

found = {"map of the first 3000 samples": [], "OnlineCalibratedClassifier": []}
for first in range(3000, n, chunk):
    rows = slice(first, first + chunk)
    found["map of the first 3000 samples"].append(kept.predict_proba(X[rows])[:, 1])
    found["OnlineCalibratedClassifier"].append(online.predict_proba(X[rows])[:, 1])
    online.partial_fit(X[rows], y_stream[rows])

last = slice(-8000, None)
found = {name: np.concatenate(parts)[last] for name, parts in found.items()}
for name, p in found.items():
    print(f"{name:30s} log-loss {log_loss(y_stream[last], p):.3f}")
diagram(found, y_stream[last], "The last 8000 samples of a noisy stream")
plt.show()
