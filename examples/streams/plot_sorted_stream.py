"""
========================
A stream sorted by class
========================

Data often arrive sorted, for example by file, customer or class. An online model then fits the
latest classes at the expense of earlier ones. ``LASVC`` stores some samples of each class, and
replays them while their class is rarer than before (``replay_size``). :ref:`stream_order` compares
more data sets and orders.
"""

# %%
# The stream
# ==========
#
# Five classes that overlap, one after the other. For comparison, the same samples are shuffled.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC, KernelAROWClassifier

N_CLASSES, N_CHUNKS = 5, 40
X, y = make_classification(
    5500, 10, n_informative=8, n_redundant=0, n_classes=N_CLASSES, random_state=0
)
X = StandardScaler().fit_transform(X)
X, X_test, y, y_test = train_test_split(X, y, train_size=4000, random_state=0)
shuffled, by_class = np.arange(len(y)), np.argsort(y, kind="stable")

# %%
# Training
# ========
#
# ``gamma`` is a number: ``"scale"`` would be computed from the first chunk, which has one class
# only. The warning that a stream is sorted by class is expected here.

streams = {
    "LASVC, shuffled": (LASVC(gamma=0.1), shuffled),
    "LASVC": (LASVC(gamma=0.1), by_class),
    "LASVC, replay_size=0": (LASVC(gamma=0.1, replay_size=0), by_class),
    "SGDClassifier": (SGDClassifier(random_state=0), by_class),
    "KernelAROWClassifier": (KernelAROWClassifier(gamma=0.1, random_state=0), by_class),
}
warnings.filterwarnings("ignore", message="The stream is sorted by class")
curves = {}
for name, (model, order) in streams.items():
    curves[name] = []
    for chunk in np.array_split(order, N_CHUNKS):
        model.partial_fit(X[chunk], y[chunk], classes=np.arange(N_CLASSES))
        curves[name].append(100 * np.mean(model.predict(X_test) != y_test))
    print(f"{name:22s} error {curves[name][-1]:.1f} %")

# %%
# Test error along the stream
# ===========================
#
# The test samples are of all five classes: while some of them have not arrived yet, a model that
# knows the others perfectly has an error of 80, 60, 40 and 20 %. At the end, the error of
# ``LASVC`` is about that of the shuffled stream.

COLOURS = ["#8b949e", "#1f6feb", "#9cc3fa", "#d1702a", "#2d9d63"]

figure, axis = plt.subplots(figsize=(7.2, 4.8), layout="constrained")
seen = len(y) * np.arange(1, N_CHUNKS + 1) / N_CHUNKS
for (name, errors), colour in zip(curves.items(), COLOURS, strict=True):
    line = "--" if name == "LASVC, shuffled" else "-"
    axis.plot(seen, errors, line, color=colour, linewidth=2, label=name)
axis.set(xlabel="samples", ylim=(0, 100))
axis.set_title("Test error (%)", loc="left", fontweight="bold")
axis.spines[["top", "right"]].set_visible(False)
axis.grid(color="#e6e8eb", linewidth=0.8)
axis.legend(frameon=False, ncols=3, loc="upper center")
plt.show()
