"""
=================
Coming from river
=================

river trains models with ``learn_one`` on single samples, given as dictionaries. This package
trains with ``partial_fit`` on chunks of samples, given as arrays, sparse matrices or data frames.
This tutorial runs the same model in both ways, compares predictions and times, and then trains a
kernel model, which river does not provide. The program needs river (``pip install river``).
"""

# %%
# The loop in river
# =================
#
# 20 000 samples with 20 features. The passive-aggressive classifier predicts each sample before it
# is trained on it.

import time

import matplotlib.pyplot as plt
import numpy as np
from river import drift, linear_model, stream
from sklearn.datasets import make_classification

from sklearn_online_svm import (
    KernelAROWClassifier,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
)
from sklearn_online_svm.active import AllQuery
from sklearn_online_svm.evaluation import progressive_validation

X, y = make_classification(
    20_000, 20, n_informative=6, n_clusters_per_class=3, flip_y=0.02, random_state=5
)
y = y.astype(bool)

start = time.perf_counter()
model = linear_model.PAClassifier(C=0.01, mode=1, learn_intercept=False)
river_predictions = np.zeros(len(y), dtype=bool)
for place, (sample, label) in enumerate(stream.iter_array(X, y)):
    river_predictions[place] = model.predict_one(sample)
    model.learn_one(sample, label)
river_seconds = time.perf_counter() - start
print(f"error {np.mean(river_predictions != y):.2%}, {river_seconds:.2f} s")

# %%
# The same in chunks
# ==================
#
# :func:`~sklearn_online_svm.evaluation.progressive_validation` is the loop of this package: it
# predicts a chunk, and then trains the model on it. With chunks of one sample the predictions are
# those of river. With larger chunks the coefficients are the same at the end of each chunk,
# because ``partial_fit`` processes the samples one after the other; but the predictions within a
# chunk are made by the model at its beginning.


def seconds_and_errors(model, chunk_size):
    start = time.perf_counter()
    result = progressive_validation(model, X, y, chunk_size=chunk_size, classes=[False, True])
    return time.perf_counter() - start, result


pa = PassiveAggressiveClassifier(C=0.01, fit_intercept=False)
times = {"river": river_seconds}
results = {}
for size in (1, 10, 100, 1000):
    name = f"chunks of {size}"
    times[name], results[name] = seconds_and_errors(pa, size)
    error = 1 - results[name].accuracy()[-1]
    print(f"{name:15} error {error:.2%}, {times[name]:.3f} s")

# %%
# A call of ``partial_fit`` checks its input, which takes longer than training on one sample: with
# chunks of one sample, river's loop is the faster one. With chunks of 100, the difference in the
# error is small, and the loop takes a fraction of the time.
#
# If every sample must be predicted by the model just before it, and speed matters as well,
# :class:`~sklearn_online_svm.LabelEfficientClassifier` with ``AllQuery`` uses all labels, and
# stores these predictions within ``partial_fit``.

start = time.perf_counter()
exact = LabelEfficientClassifier(pa, AllQuery()).partial_fit(X, y, classes=[False, True])
times["one call"] = time.perf_counter() - start
same = np.mean(exact.online_predictions_[1:] == river_predictions[1:])
print(f"one call        error {np.mean(exact.online_predictions_ != y):.2%}")
print(f"{same:.2%} of the predictions are those of river")
print(f"{times['river'] / times['one call']:.0f} times as fast as the loop")

# %%
# A kernel model, and river's drift detectors
# ===========================================
#
# The boundary between the classes is not linear. ``KernelAROWClassifier`` is a kernel model with a
# limited number of support vectors, so that its time per sample does not grow. The drift detectors
# of river can be passed to ``progressive_validation``; here, where nothing changes, ADWIN should
# not raise an alarm.

kernel = KernelAROWClassifier(gamma=0.05, max_support_vectors=300)
start = time.perf_counter()
results["kernel"] = progressive_validation(
    kernel, X, y, chunk_size=100, drift_detector=drift.ADWIN()
)
times["kernel AROW"] = time.perf_counter() - start
print(
    f"kernel AROW     error {1 - results['kernel'].accuracy()[-1]:.2%}, "
    f"{times['kernel AROW']:.2f} s, alarms: {len(results['kernel'].drift_alarms)}"
)

BLUE, ORANGE, GREEN, GREY = "#1f6feb", "#d1702a", "#2d9d63", "#8b949e"

figure, axis = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
river_errors = np.convolve(river_predictions != y, np.ones(2000) / 2000, mode="valid")
axis.plot(
    np.arange(2000, len(y) + 1) / 1000,
    100 * river_errors,
    color=ORANGE,
    linewidth=4,
    label="PA, river",
)
for label, name, colour in (
    ("PA, chunks of 100", "chunks of 100", BLUE),
    ("kernel AROW", "kernel", GREEN),
):
    result = results[name].rolling(2000)
    error = 100 * (1 - result.accuracy())
    axis.plot(result.n_samples[20:] / 1000, error[20:], color=colour, linewidth=2, label=label)
axis.set(xlabel="thousand samples", ylim=(0, None))
axis.set_title("Error, latest 2000 samples (%)", loc="left", fontweight="bold")
axis.legend(frameon=False, loc="lower left", fontsize=11)
axis.spines[["top", "right"]].set_visible(False)
axis.grid(color="#e6e8eb", linewidth=0.8)
plt.show()

# %%
# The time of each loop, on a logarithmic axis:

figure, axis = plt.subplots(figsize=(7.2, 3.4), layout="constrained")
names = list(times)[::-1]
colours = [{"river": ORANGE, "kernel AROW": GREEN}.get(name, BLUE) for name in names]
axis.barh(names, [times[name] for name in names], color=colours)
axis.set(xscale="log")
axis.set_title("Time (s)", loc="left", fontweight="bold")
axis.spines[["top", "right"]].set_visible(False)
axis.grid(color="#e6e8eb", linewidth=0.8)
axis.set_axisbelow(True)
plt.show()

# %%
# When to stay with river
# =======================
#
# - The model must be trained on each sample before the next one arrives: river's loop is faster.
# - Features appear and disappear, so that dictionaries are the natural format.
# - The task needs trees, forests, clustering or time series models on streams.
