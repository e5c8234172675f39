"""
===========================
First model in five minutes
===========================

This tutorial trains a classifier, measures its error, continues the training with new samples, and
stores the model in a file. The samples are images of handwritten digits, which are part of
scikit-learn.
"""

# %%
# Data
# ====
#
# 1797 images of 8 x 8 pixels: 64 features with values from 0 to 16, and ten classes. A quarter of
# the samples is the test set. Of the others, the model will see 200 first and the rest later.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from sklearn_online_svm import LASVC
from sklearn_online_svm.export import load_model, save_model

X, y = load_digits(return_X_y=True)
X = X / 16
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=0)
print(len(X_train), "training samples,", len(X_test), "test samples")

# %%
# Fit and predict
# ===============
#
# :class:`~sklearn_online_svm.LASVC` is a support vector classifier with the parameters of
# :class:`sklearn.svm.SVC`. ``C`` limits the influence of a single sample, and ``gamma`` determines
# the width of the rbf kernel. The features were divided by 16 above because this kernel depends on
# distances between samples: all features should have a similar range.

model = LASVC(C=10, gamma=0.1, random_state=0)
model.fit(X_train[:200], y_train[:200])
print("predictions:", model.predict(X_test[:10]))
print("labels:     ", y_test[:10])
print(f"test error: {1 - model.score(X_test, y_test):.1%}")

# %%
# Continue the training
# =====================
#
# ``partial_fit`` trains the model on further samples, and does not need the earlier ones. Here
# they arrive in chunks of 50; after each chunk the test error is measured.

n_samples, errors = [200], [1 - model.score(X_test, y_test)]
for start in range(200, len(X_train), 50):
    chunk = slice(start, start + 50)
    model.partial_fit(X_train[chunk], y_train[chunk])
    n_samples.append(model.n_samples_seen_)
    errors.append(1 - model.score(X_test, y_test))
print(f"{n_samples[-1]} samples, test error {errors[-1]:.1%}")
print(f"{len(model.support_)} of them are support vectors")

# %%
# The test error during the training. The test set has 450 samples, so that one sample is 0.2
# percentage points.

BLUE, ORANGE = "#1f6feb", "#d1702a"

figure, axis = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
axis.plot(n_samples, 100 * np.array(errors), color=BLUE, linewidth=3)
axis.set(xlabel="training samples", ylim=(0, None))
axis.set_title("Test error (%)", loc="left", fontweight="bold")
axis.spines[["top", "right"]].set_visible(False)
axis.grid(color="#e6e8eb", linewidth=0.8)
plt.show()

# %%
# Test images with label and prediction: those that the final model misclassifies (orange; at most
# four) and others (blue).

predictions = model.predict(X_test)
wrong = np.flatnonzero(predictions != y_test)
right = np.flatnonzero(predictions == y_test)
shown = np.append(wrong[:4], right)[:7]

figure, axes = plt.subplots(1, 7, figsize=(7.2, 1.6), layout="constrained")
for place, axis in zip(shown, axes, strict=True):
    axis.imshow(X_test[place].reshape(8, 8), cmap="Greys")
    colour = BLUE if predictions[place] == y_test[place] else ORANGE
    axis.set_title(f"{y_test[place]} → {predictions[place]}", color=colour, fontweight="bold")
    axis.set(xticks=[], yticks=[])
plt.show()

# %%
# Store the model
# ===============
#
# :func:`~sklearn_online_svm.export.save_model` writes a file without pickle. The model that
# :func:`~sklearn_online_svm.export.load_model` returns makes the same predictions, and its
# training can be continued.

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "digits.skops"
    save_model(model, path)
    print(f"{path.stat().st_size / 1024:.0f} KB")
    loaded = load_model(path)
print("same predictions:", np.array_equal(loaded.predict(X_test), predictions))

# %%
# What next?
# ==========
#
# - ``C`` and ``gamma`` were chosen in advance here.
#   :ref:`sphx_glr_auto_examples_start_plot_tuning.py` searches for them.
# - :ref:`sphx_glr_auto_examples_start_plot_csv_to_served_model.py` starts from a file with
#   numbers, categories and missing values.
# - :ref:`sphx_glr_auto_examples_migration_plot_from_svc.py` compares the model with ``SVC``.
# - :doc:`/user_guide` says which estimator suits which problem.
