"""
================================
Test, then train: along a stream
================================

A stream has no test set. But every row can be one before it is learnt: the model predicts a chunk,
is told the labels, learns the chunk, and goes on to the next. This is progressive validation, and
:func:`~sklearn_online_svm.evaluation.progressive_validation` does it with any classifier that has
``partial_fit``.
"""

# %%
# Two models
# ==========
#
# The stream is of handwritten digits, 1797 of them, in chunks of 10. Each model is cloned, and the
# clone learns. The result has the counts at the end of each chunk, and the measures that are made
# of them.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import SGDClassifier

from sklearn_online_svm import LASVC
from sklearn_online_svm.datasets import make_waveform
from sklearn_online_svm.evaluation import (
    ProgressiveValidationDisplay,
    progressive_validation,
)

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
# Two displays on the same axes compare the models. Accuracy, on the left, is about all rows so far
# and not about the last chunk: the first mistakes are never forgotten, but their share shrinks. On
# the right are the mistakes themselves: the steeper the curve, the more of them at that time.
# (``against="seconds"`` draws the same over the time of learning and predicting,
# ``against="n_queries"`` over the labels used.)

BLUE, ORANGE = "#1f6feb", "#d1702a"
COLOURS = (BLUE, ORANGE)


def tidy(axis, **limits):
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(color="#e6e8eb", linewidth=0.8)
    axis.legend(frameon=False)
    axis.set(**limits)


figure, axes = plt.subplots(1, 2, figsize=(10, 3.9), layout="constrained")
for (name, result), colour in zip(results.items(), COLOURS, strict=True):
    for axis, metric in zip(axes, ("accuracy", "mistakes"), strict=True):
        ProgressiveValidationDisplay.from_result(
            result, name=name, ax=axis, metric=metric, color=colour
        )
tidy(axes[0], ylim=(0, 1))
tidy(axes[1], ylim=(0, None))
plt.show()

# %%
# After a hundred digits the kernel model hardly errs any more. The curve of the linear one is
# steep in some stretches and flat in others: rows of a stream are not alike, and a test set would
# not have shown it.
#
# A rare class
# ============
#
# In the next stream one row in 33 is positive, and the stream is made while it is read: a
# generator of pairs ``(X_chunk, y_chunk)`` is as good as arrays, and need not fit into memory. All
# labels must then be named beforehand.
#
# Accuracy is of no use here: never saying "positive" would be right in 97 % of all cases. The
# g-mean, the geometric mean of the recalls of both classes, would be 0 then. Any measure can be
# made of the same run.


def stream(n_chunks=30):
    for seed in range(n_chunks):
        yield make_waveform(330, imbalance_ratio=32, random_state=seed)


figure, axes = plt.subplots(1, 2, figsize=(10, 3.9), layout="constrained")
for class_weight, colour in zip((None, "online_balanced"), COLOURS, strict=True):
    model = LASVC(gamma=0.01, class_weight=class_weight, random_state=0)
    result = progressive_validation(model, stream(), classes=[-1, 1])
    for axis, metric in zip(axes, ("accuracy", "gmean"), strict=True):
        ProgressiveValidationDisplay.from_result(
            result, name=f"class_weight={class_weight!r}", ax=axis, metric=metric, color=colour
        )
for axis in axes:
    tidy(axis, ylim=(0, 1))
plt.show()

# %%
# Accuracy prefers the model without class weights. The g-mean shows what that model does with the
# positive rows. With ``class_weight="online_balanced"`` a row weighs the more, the rarer its class
# has been so far.
#
# The measures have parameters, such as the prices of the two kinds of mistakes, and another price
# does not take another run. (``result.to_frame()`` is a table of all measures.) Here is the cost
# per row of the second model, by how many false alarms a lost positive row is worth:

for price in (1, 10, 50):
    cost = result.cost(cost_p=price, cost_n=1, normalize=True)
    print(f"price {price:2}: {cost[-1]:.2f}")
