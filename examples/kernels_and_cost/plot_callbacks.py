"""
================================================
Time limit, checkpoint and monitoring of a fit
================================================

The time of a kernel SVM grows faster than the number of samples, so that it is hard to predict.
Callbacks limit it, save the model meanwhile, and record how it changes. They need scikit-learn 1.9
or later; see :ref:`callbacks`.
"""

# %%
# A fit within a time limit
# =========================
#
# Two crescents overlap, and a sample in ten cannot be classified correctly: the number of support
# vectors grows with the number of samples. ``fit`` stops after a tenth of a second, at the end of
# a block of 1024 samples. The checkpoint is written at least at the end.

import tempfile
from pathlib import Path

import joblib
import matplotlib.pyplot as plt

from sklearn_online_svm import LASVC
from sklearn_online_svm.callback import Checkpoint, EarlyStopping, SupportVectorMonitor, TimeLimit
from sklearn_online_svm.datasets import make_banana_like

X, y = make_banana_like(40_000, random_state=0)
X_val, y_val = make_banana_like(2000, random_state=1)

path = Path(tempfile.mkdtemp()) / "model.joblib"
monitor = SupportVectorMonitor()
model = LASVC(C=3, gamma=1.0, random_state=0)
model.set_callbacks(TimeLimit(seconds=0.1), Checkpoint(path), monitor)
model.fit(X, y)
print(f"{model.n_samples_seen_:,} of {len(X):,} samples, accuracy {model.score(X_val, y_val):.3f}")

# %%
# The model predicts, and the model in the file is the same. ``resume`` continues it as if ``fit``
# had not been stopped. Here, the fit continues until the score on held-out samples does not
# improve any more.

stored = joblib.load(path)
stop = EarlyStopping(X_val, y_val, n_iter_no_change=3, tol=0.001, n_tasks=2)
stored.set_callbacks(stop, monitor)
stored.resume(X, y)
print(f"{stored.n_samples_seen_:,} samples, scores {[round(score, 3) for score in stop.scores_]}")

# %%
# What the monitor recorded
# =========================
#
# Kernel evaluations per sample are proportional to the support set, so their total grows
# quadratically. After the last sample, the optimization over the support vectors adds some more.
# The number of samples continues that of the interrupted call.

data = monitor.data_
for name, label in (
    ("n_kernel_evaluations", "Kernel evaluations"),
    ("n_support", "Vectors in the support set"),
):
    figure, axis = plt.subplots(figsize=(5, 3.8), layout="constrained")
    axis.plot(data["n_samples"], data[name], color="#1f6feb", linewidth=3)
    axis.set(xlabel="samples processed")
    axis.set_title(label, loc="left", fontweight="bold", fontsize=14)
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
