"""
===============
Prediction sets
===============

A prediction set contains all classes that are plausible for a sample. The *coverage* is the
fraction of sets that contain the true class; here the target is 90 %. The first part is about a
stream that changes, the second one about a model that is trained once, and sets made without
held-out samples by the packages MAPIE and crepes (``pip install mapie crepes``).
"""

# %%
# A stream that changes
# =====================
#
# Two crescents begin to rotate in the middle of the stream, by a turn in 3000 samples, so that the
# model is always a little late. :class:`~sklearn_online_svm.evaluation.AdaptiveConformalInference`
# corrects the threshold of the sets after each label. For comparison: a threshold that is
# determined from the first 2000 samples, as in split conformal prediction, and kept.

import matplotlib.pyplot as plt
import numpy as np
from crepes import ConformalClassifier
from mapie.classification import SplitConformalClassifier
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

from sklearn_online_svm import LASVC
from sklearn_online_svm.datasets import make_banana_like, make_waveform
from sklearn_online_svm.evaluation import AdaptiveConformalInference, progressive_validation

LEVEL, N_SAMPLES, N_BEGIN = 0.9, 12_000, 2000
X, y = make_banana_like(N_SAMPLES, noise=0.3, random_state=0)
angle = 2 * np.pi * np.maximum(np.arange(N_SAMPLES) - N_SAMPLES // 2, 0) / 3000
cos, sin = np.cos(angle), np.sin(angle)
X = np.column_stack([cos * X[:, 0] - sin * X[:, 1], sin * X[:, 0] + cos * X[:, 1]])


class FixedThreshold(AdaptiveConformalInference):
    """Prediction sets with the threshold of the first samples."""

    def update(self, estimator, X, y):
        sets = self.predict_set(estimator, X)
        if not hasattr(self, "n_samples_seen_") or self.n_samples_seen_ < N_BEGIN:
            super().update(estimator, X, y)
        return sets


ways = {
    "adaptive": AdaptiveConformalInference(confidence_level=LEVEL, step_size=0.02),
    "fixed": FixedThreshold(confidence_level=LEVEL, step_size=0, window_size=N_BEGIN),
}
model = LASVC(gamma=1.0, window_size=1000)
results = {
    name: progressive_validation(model, X, y, chunk_size=50, prediction_sets=sets)
    for name, sets in ways.items()
}
for name, result in results.items():
    half = result.n_sets > N_SAMPLES // 2
    covered, n = (np.ptp(counts[half]) for counts in (result.n_covered, result.n_sets))
    print(f"{name:9s} coverage {result.coverage()[-1]:.1%}, second half {covered / n:.1%}")

# %%
# The sets of the fixed threshold miss the target as soon as the crescents rotate. The guarantee of
# the adaptive sets is for the whole stream: in short periods the coverage varies.

COLOURS = {"adaptive": "#1f6feb", "fixed": "#d1702a"}


def plot_latest(values_of, title):
    """Plot a measure of the latest 500 samples for both ways."""
    figure, axis = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    for name, result in results.items():
        shown = result.n_samples > N_BEGIN
        values = values_of(result.rolling(500))[shown]
        axis.plot(result.n_samples[shown], values, color=COLOURS[name], linewidth=2, label=name)
    axis.axvline(N_SAMPLES / 2, color="0.8", linewidth=1)
    axis.set(xlabel="samples")
    axis.set_title(title, loc="left", fontweight="bold")
    axis.legend(frameon=False, fontsize=11, loc="lower left")
    axis.spines[["top", "right"]].set_visible(False)
    return axis


axis = plot_latest(lambda result: 100 * result.coverage(), "Coverage of the latest 500 sets (%)")
axis.axhline(100 * LEVEL, color="0.5", linewidth=1, linestyle="--")
plt.show()

# %%
# The adaptive sets become larger instead, which shows that the model has become worse.

plot_latest(lambda result: result.set_size(), "Mean size of the latest 500 sets")
plt.show()

# %%
# Without held-out samples
# ========================
#
# MAPIE and crepes compare the scores of a new sample with those of samples that the model has not
# been trained on, usually a held-out part. ``leave_one_out_decision_function`` returns such scores
# for the training samples, so that all of them can be used for training.
#
# crepes takes nonconformity scores: decision values of the other class.


def crepes_sets(scores, y, new_scores):
    sets = ConformalClassifier()
    sets.fit(-y * scores)
    new = np.column_stack([new_scores, -new_scores])
    return sets.predict_set(new, confidence=LEVEL, smoothing=False).astype(bool)


# %%
# MAPIE asks a classifier for probabilities. A classifier that returns what it is given passes on
# any scores, here as numbers between 0 and 1 by a monotone function. Only their order matters.


class Given(ClassifierMixin, BaseEstimator):
    """Classifier whose samples are class probabilities."""

    def __init__(self, classes):
        self.classes = self.classes_ = classes

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.classes[X.argmax(axis=1)]

    def predict_proba(self, X):
        return X


def mapie_sets(scores, y, new_scores):
    def as_probabilities(values):
        return np.column_stack([expit(-values), expit(values)])

    sets = SplitConformalClassifier(Given(np.unique(y)), confidence_level=LEVEL, prefit=True)
    sets.conformalize(as_probabilities(scores), y)
    return sets.predict_set(as_probabilities(new_scores))[1][:, :, 0]


# %%
# Forty training sets of 300 samples each; both packages return the same sets. With the decision
# values of training samples the coverage is far too low. A held-out third has the right coverage
# on average, but the model is trained on 200 samples only, and coverage and size vary more.

X, y = make_waveform(17_000, random_state=0)
X_new, y_new = X[12_000:], y[12_000:]
coverage = {"training values": [], "held-out third": [], "leave-one-out": []}
size = {name: [] for name in coverage}
for first in range(0, 12_000, 300):
    rows, part, rest = (slice(first + a, first + b) for a, b in ((0, 300), (0, 200), (200, 300)))
    whole = LASVC(C=10, random_state=0).fit(X[rows], y[rows])
    smaller = LASVC(C=10, random_state=0).fit(X[part], y[part])
    values = {
        "training values": (whole, whole.decision_function(X[rows]), y[rows]),
        "held-out third": (smaller, smaller.decision_function(X[rest]), y[rest]),
        "leave-one-out": (whole, whole.leave_one_out_decision_function(X[rows], y[rows]), y[rows]),
    }
    for name, (model, scores, labels) in values.items():
        new_scores = model.decision_function(X_new)
        sets = crepes_sets(scores, labels, new_scores)
        assert np.array_equal(sets, mapie_sets(scores, labels, new_scores))
        coverage[name].append(100 * np.where(y_new == 1, sets[:, 1], sets[:, 0]).mean())
        size[name].append(sets.sum(axis=1).mean())

for name, values in coverage.items():
    mean, deviation = np.mean(values), np.std(values)
    print(f"{name:16s} coverage {mean:.1f} % ± {deviation:.1f}, size {np.mean(size[name]):.2f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.6), layout="constrained", sharey=True)
left.axvline(100 * LEVEL, color="0.5", linewidth=1, linestyle="--")
for axis, values, label in ((left, coverage, "coverage (%)"), (right, size, "mean size of a set")):
    for place, (name, colour) in enumerate(zip(values, ("#d1702a", "#8b949e", "#1f6feb"))):
        jitter = place + np.linspace(-0.25, 0.25, len(values[name]))
        axis.plot(values[name], jitter, ".", color=colour, alpha=0.6, markeredgewidth=0)
        axis.plot([np.mean(values[name])] * 2, [place - 0.35, place + 0.35], color=colour)
    axis.set(xlabel=label, yticks=range(3), yticklabels=values)
    axis.spines[["top", "right"]].set_visible(False)
left.invert_yaxis()
plt.show()
