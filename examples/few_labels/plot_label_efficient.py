"""
==============================
Selective sampling on a stream
==============================

Labeling a stream can be expensive: each e-mail, for example, must be read by a person.
:class:`~sklearn_online_svm.LabelEfficientClassifier` is trained on a stream and queries the label
of a sample only if it is informative. This example shows the accuracy against the number of
queried labels, and the training time.

The algorithms are those of Lu, Zhao and Hoi (2016); see :ref:`label_efficient`.
"""

# %%
# Three query strategies
# ======================
#
# One sample in five is positive, and one label in twenty is wrong. Three models process all
# samples with the same label budget:
#
# - PAA-I queries samples with a small margin and makes the updates of PA-I;
# - PEA queries in the same way and makes the updates of the perceptron, on mistakes only;
# - RPA-I is PAA-I with random queries.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics import f1_score

from sklearn_online_svm import (
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
    SecondOrderPerceptronClassifier,
)
from sklearn_online_svm.active import MarginQuery, RandomQuery
from sklearn_online_svm.evaluation import progressive_validation

X, y = make_classification(
    10_000, 50, n_informative=15, flip_y=0.1, weights=[0.8], class_sep=1.5, random_state=3
)
pa = PassiveAggressiveClassifier(C=0.001)
WAYS = {
    "PAA-I": (pa, MarginQuery),
    "PEA": (PerceptronClassifier(), MarginQuery),
    "RPA-I": (pa, RandomQuery),
}

# %%
# ``rate`` is the share of labels to query; ``MarginQuery`` adapts its parameter to it. Every
# sample is predicted before its label can be queried. These prequential predictions are scored by
# the F-measure of the positive class, over ten orders of the samples.

RATES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99]
N_ORDERS = 10


def f_and_share(learner, query, rate):
    results = []
    for seed in range(N_ORDERS):
        model = LabelEfficientClassifier(learner, query(rate=rate), random_state=seed).fit(X, y)
        share = model.n_queries_ / len(y)
        results.append((f1_score(y, model.online_predictions_), share))
    return np.array(results)


BLUE, ORANGE, GREY, GREEN = "#1f6feb", "#d1702a", "#8b949e", "#2d9d63"
COLOURS = {"PAA-I": BLUE, "PEA": ORANGE, "RPA-I": GREY, "SEL-2nd": GREEN}


def tidy(axis, **options):
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(color="#e6e8eb", linewidth=0.8)
    axis.legend(frameon=False)
    axis.set(**options)


curves = {name: [f_and_share(*way, rate) for rate in RATES] for name, way in WAYS.items()}

figure, axis = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
for name, points in curves.items():
    f, share = np.mean(points, axis=1).T
    spread = np.std(points, axis=1)[:, 0]
    axis.fill_between(share, f - spread, f + spread, color=COLOURS[name], alpha=0.15, linewidth=0)
    axis.plot(share, f, color=COLOURS[name], marker="o", markersize=4, label=name)
tidy(axis, xlabel="share of queried labels", ylabel="F-measure of all predictions", xlim=(0, 1))
plt.show()

# %%
# With the same update rule, margin-based queries are better than random ones: with a tenth of the
# labels PAA-I is as good as RPA-I with a fifth. Both gain little from more labels. The perceptron
# makes no update for a label that confirms its prediction, and a wrong label causes as large an
# update as a correct one: with more than a fifth of the labels its F-measure decreases again.
#
# (The band is one standard deviation over the orders.)

for name, points in curves.items():
    f = [f"{np.mean(points[RATES.index(rate)][:, 0]):.3f}" for rate in (0.05, 0.1, 0.2)]
    print(f"{name:6} F with 5, 10 and 20 % of the labels: {', '.join(f)}")

# %%
# Time
# ====
#
# The same comparison on more samples with more features, with a tenth of the labels.
# ``progressive_validation`` passes the stream to ``partial_fit`` in chunks and measures the time.
# SEL-2nd is a second-order perceptron, which maintains the covariance of its weights and uses it
# for its queries.

X_long, y_long = make_classification(40_000, 100, n_informative=15, flip_y=0.1, random_state=0)
WAYS["SEL-2nd"] = (
    SecondOrderPerceptronClassifier(),
    lambda rate: MarginQuery(rate=rate, confidence="second_order"),
)

figure, axis = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
for name, (learner, query) in WAYS.items():
    model = LabelEfficientClassifier(learner, query(rate=0.1), random_state=0)
    result = progressive_validation(model, X_long, y_long, chunk_size=500)
    axis.plot(result.n_samples, 1000 * result.seconds, color=COLOURS[name], label=name)
    print(
        f"{name:8} {result.n_queries[-1]:5} labels, "
        f"{1e6 * result.seconds[-1] / len(y_long):.2f} microseconds per sample"
    )
tidy(axis, xlabel="samples", ylabel="milliseconds", xlim=(0, len(y_long)), ylim=(0, None))
plt.show()

# %%
# The time is proportional to the number of samples. Most of it is spent on the decision function,
# which is computed whether the label is queried or not. PAA-I therefore takes no longer than a
# perceptron. The covariance of a hundred features has ten thousand entries, all of which are
# multiplied for each sample.
