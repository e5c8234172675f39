"""
=======================
New classes in a stream
=======================

A classifier in operation sometimes has to distinguish classes that did not exist when its training
began. In this stream of handwritten digits, only 0 to 6 occur at first; 7, 8 and 9 appear later.
They are added by a call of ``partial_fit`` with more ``classes`` than before, without new training
on the earlier samples. :ref:`new_classes` describes what happens to each model.
"""

# %%
# The stream
# ==========
#
# The training samples are sorted so that the first 600 contain only the digits 0 to 6. All digits
# follow in random order.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from sklearn_online_svm import LASVC

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X / 16, y, test_size=0.25, random_state=0)
early = np.flatnonzero(y < 7)[:600]
late = np.setdiff1d(np.arange(len(y)), early)
late = np.random.default_rng(0).permutation(late)
print(f"{len(early)} samples of 7 classes, then {len(late)} samples of 10 classes")

# %%
# Training
# ========
#
# One model gets its three additional classes when they appear. For comparison, another one was
# given all ten classes in its first call.

grown = LASVC(C=10, gamma=0.1).partial_fit(X[early], y[early], classes=range(7))
prepared = LASVC(C=10, gamma=0.1).partial_fit(X[early], y[early], classes=range(10))
new = y_test >= 7


def accuracies(model):
    right = model.predict(X_test) == y_test
    return right[~new].mean(), right[new].mean()


seen, curves = [0], {"added": [accuracies(grown)], "known": [accuracies(prepared)]}
for start in range(0, len(late), 20):
    chunk = late[start : start + 20]
    grown.partial_fit(X[chunk], y[chunk], classes=range(10))
    prepared.partial_fit(X[chunk], y[chunk])
    seen.append(start + len(chunk))
    curves["added"].append(accuracies(grown))
    curves["known"].append(accuracies(prepared))
for name, values in curves.items():
    print(f"classes {name}: accuracy on 0-6 {values[-1][0]:.1%}, on 7-9 {values[-1][1]:.1%}")

# %%
# The test accuracy on both groups of classes against the number of samples since the new digits
# appeared. Dashed: the model that was given all classes in its first call.

BLUE, ORANGE = "#1f6feb", "#d1702a"

figure, axis = plt.subplots(figsize=(7.2, 4.8), layout="constrained")
for name, style in (("added", "-"), ("known", "--")):
    values = 100 * np.array(curves[name])
    for column, (colour, digits) in enumerate(((BLUE, "digits 0-6"), (ORANGE, "digits 7-9"))):
        label = digits if name == "added" else None
        width = 3 if name == "added" else 1.5
        axis.plot(seen, values[:, column], style, color=colour, linewidth=width, label=label)
axis.set(xlabel="samples after the first new digit", ylim=(0, 102))
axis.set_title("Test accuracy (%)", loc="left", fontweight="bold")
axis.spines[["top", "right"]].set_visible(False)
axis.grid(color="#e6e8eb", linewidth=0.8)
axis.legend(frameon=False, loc="lower right", fontsize=13)
plt.show()

# %%
# The matrix of the final model: labels in rows, predictions in columns.

print(confusion_matrix(y_test, grown.predict(X_test)))
