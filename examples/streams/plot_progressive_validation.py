"""
==================================
Prequential evaluation on a stream
==================================

A stream has no separate test set, but each sample can be used for testing before it is used for
training: the model predicts a chunk, receives the labels, is trained on the chunk, and continues
with the next one. This is progressive validation, or prequential (test-then-train) evaluation.
:func:`~sklearn_online_svm.evaluation.progressive_validation` applies it to any classifier that has
``partial_fit``.
"""

# %%
# Two models
# ==========
#
# The stream consists of 1797 handwritten digits, in chunks of 10. Each model is cloned, and the
# clone is trained. The result contains the counts at the end of each chunk, and the metrics
# computed from them.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import SGDClassifier

from sklearn_online_svm import LASVC
from sklearn_online_svm.datasets import make_waveform
from sklearn_online_svm.evaluation import progressive_validation

X, y = load_digits(return_X_y=True)
X = X / 16

models = {
    "LASVC": LASVC(C=10, gamma=0.15, random_state=0),
    "SGDClassifier": SGDClassifier(average=True, random_state=0),
}
results = {
    name: progressive_validation(model, X, y, chunk_size=10) for name, model in models.items()
}
for result in results.values():
    print(result)

# %%
# The accuracy is that of all samples so far, not of the last chunk: early mistakes are included,
# but their share decreases.

BLUE, ORANGE = "#1f6feb", "#d1702a"
COLOURS = (BLUE, ORANGE)


def tidy(axis, **options):
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(color="#e6e8eb", linewidth=0.8)
    axis.legend(frameon=False)
    axis.set(xlabel="Samples", **options)


figure, axis = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
for (name, result), colour in zip(results.items(), COLOURS, strict=True):
    axis.plot(result.n_samples, result.accuracy(), label=name, color=colour, linewidth=3)
tidy(axis, ylabel="Accuracy", ylim=(0, 1))
plt.show()

# %%
# The slope of the number of mistakes is the current error rate, which ``result.rolling(200)``
# computes over the latest 200 samples. (``result.seconds`` is the time of training and prediction,
# ``result.n_queries`` the number of labels used.)

figure, axis = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
for (name, result), colour in zip(results.items(), COLOURS, strict=True):
    axis.plot(result.n_samples, result.mistakes, label=name, color=colour, linewidth=3)
tidy(axis, ylabel="Mistakes", ylim=(0, None))
plt.show()

# %%
# After a hundred digits the kernel model makes almost no mistakes. The curve of the linear model
# has steep and flat parts: the difficulty of the samples varies along the stream, which a test set
# would not show.
#
# Imbalanced classes
# ==================
#
# In the next stream one sample in 33 is positive. The stream is a generator of pairs ``(X_chunk,
# y_chunk)``, which can be used instead of arrays and does not have to fit into memory. In this
# case all classes must be given in advance.
#
# Accuracy is not informative here: a model that never predicts the positive class has an accuracy
# of 97 %. Its g-mean, the geometric mean of the recalls of both classes, is 0. All metrics can be
# computed from the same run.


def stream(n_chunks=30):
    for seed in range(n_chunks):
        yield make_waveform(330, imbalance_ratio=32, random_state=seed)


figure, axes = plt.subplots(1, 2, figsize=(8, 4.2), layout="constrained")
for class_weight, colour in zip((None, "online_balanced"), COLOURS, strict=True):
    model = LASVC(gamma=0.01, class_weight=class_weight, random_state=0)
    result = progressive_validation(model, stream(), classes=[-1, 1])
    style = dict(label=f"class_weight={class_weight!r}", color=colour)
    axes[0].plot(result.n_samples, result.accuracy(), **style)
    axes[1].plot(result.n_samples, result.geometric_mean(), **style)
tidy(axes[0], ylabel="Accuracy", ylim=(0, 1))
tidy(axes[1], ylabel="Geometric mean of the recalls", ylim=(0, 1))
plt.show()

# %%
# Accuracy is higher without class weights. The g-mean shows how that model treats the positive
# samples. With ``class_weight="online_balanced"`` the weight of a sample is larger the less
# frequent its class has been so far.
#
# Metrics can have parameters, such as the costs of the two kinds of errors, and a different cost
# needs no further run. (``result.to_frame()`` is a table of all metrics.) The following is the
# cost per sample of the second model, for several costs of a false negative relative to a false
# positive:

for cost_positive in (1, 10, 50):
    cost = result.cost(costs={1: cost_positive, -1: 1}, normalize=True)
    print(f"cost of a false negative {cost_positive:2}: {cost[-1]:.2f} per sample")
