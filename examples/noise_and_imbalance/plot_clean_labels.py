"""
==================
Wrong labels found
==================

Real training sets contain wrong labels. This tutorial finds them among images of handwritten
digits: the samples whose labels a model contradicts most are reviewed by a person, most suspicious
first, and the model is trained again. It shows how many wrong labels a review of a given length
finds, when the ranking fails, and what the corrections gain.

:ref:`sphx_glr_auto_examples_noise_and_imbalance_plot_label_noise.py` shows in two dimensions how a
model with the ramp loss differs. If cleanlab is installed (``pip install cleanlab``), its ranking
is compared.
"""

# %%
# Data
# ====
#
# The digits of scikit-learn, three quarters of them for training. One training label in ten is
# replaced by another class at random. The test labels are not changed.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, cross_val_predict, train_test_split

from sklearn_online_svm import LASVC

try:
    from cleanlab.rank import get_label_quality_scores
except ImportError:
    get_label_quality_scores = None

X, y = load_digits(return_X_y=True)
X = X / 16
X, X_test, y, y_test = train_test_split(X, y, test_size=0.25, random_state=0)
rng = np.random.default_rng(0)
wrong = rng.random(len(y)) < 0.1
given = np.where(wrong, (y + rng.integers(1, 10, len(y))) % 10, y)
print(f"{wrong.sum()} of {len(y)} training labels are wrong")

# %%
# Choose C and gamma
# ==================
#
# A model with a large ``C`` fits every label, wrong ones included, and then contradicts none of
# them. Cross-validation on the given labels prevents this: a model that fits wrong labels predicts
# other samples less well. (The validation labels are partly wrong, too, so that no accuracy above
# 90 % can be expected. This concerns all candidates alike.)

grid = {"C": [0.3, 1, 3, 10, 30, 100], "gamma": [0.02, 0.05, 0.1]}
search = GridSearchCV(LASVC(random_state=0), grid).fit(X, given)
best = search.best_params_
print(best, f"accuracy on the given labels {search.best_score_:.1%}")

# %%
# Rank the samples
# ================
#
# ``suspect_labels`` returns the samples that the model places far on the wrong side of their
# margin. For the training samples, ``LASVC`` uses leave-one-out values: each label is judged by a
# model without it.

model = LASVC(**best, random_state=0).fit(X, given)
suspects = model.suspect_labels(X, given)
print(f"{len(suspects)} suspects, {wrong[suspects].sum()} of them have a wrong label")

# %%
# The first eight suspects, with the given label and, after the arrow, the prediction of the model:

figure, axes = plt.subplots(1, 8, figsize=(7.6, 1.5), layout="constrained")
for place, axis in zip(suspects[:8], axes, strict=True):
    axis.imshow(X[place].reshape(8, 8), cmap="Greys")
    prediction = model.predict(X[place : place + 1])[0]
    axis.set_title(f"{given[place]} → {prediction}", color="#d1702a", fontweight="bold")
    axis.set(xticks=[], yticks=[])
plt.show()

# %%
# With ``n_suspects``, the ranking continues below this threshold. Samples are sorted by their
# margin, which is the smallest among the pairs of the given class with the others. For comparison,
# the same ranking is computed with the ramp loss, ``algorithm="lasvm-nc"``, with which samples far
# on the wrong side have no influence on the model, and that of cleanlab from probabilities of a
# calibrated ``LASVC``, which are predicted by cross-validation. All three are repeated with
# ``C=100``.


def rankings(C, gamma):
    """Return the order of review for each of the methods."""
    hinge = LASVC(C=C, gamma=gamma, random_state=0)
    ramp = LASVC(C=C, gamma=gamma, algorithm="lasvm-nc", random_state=0)
    orders = {
        "leave-one-out": hinge.fit(X, given).suspect_labels(X, given, n_suspects=len(y)),
        "ramp loss": ramp.fit(X, given).suspect_labels(X, given, n_suspects=len(y)),
    }
    if get_label_quality_scores is not None:
        calibrated = CalibratedClassifierCV(hinge, ensemble=False)
        probabilities = cross_val_predict(calibrated, X, given, method="predict_proba")
        orders["cleanlab"] = np.argsort(get_label_quality_scores(given, probabilities))
    return orders


n_wrong = wrong.sum()
orders = {C: rankings(C, best["gamma"]) for C in (best["C"], 100)}
for C, by_method in orders.items():
    for name, order in by_method.items():
        found = wrong[order[:n_wrong]].sum()
        print(f"C={C:<4} {name:13} {found} wrong labels among the first {n_wrong} samples")

# %%
# The number of wrong labels found against the number of reviewed samples. A perfect ranking
# follows the dotted line.

BLUE, ORANGE, GREEN, INK = "#1f6feb", "#d1702a", "#2d9d63", "#24292f"
COLOURS = {"leave-one-out": BLUE, "ramp loss": ORANGE, "cleanlab": GREEN}

for C, by_method in orders.items():
    figure, axis = plt.subplots(figsize=(5, 3.8), layout="constrained")
    for name, order in by_method.items():
        found = np.cumsum(wrong[order])[:300]
        axis.plot(np.arange(1, 301), found, color=COLOURS[name], linewidth=3, label=name)
    axis.plot([0, n_wrong, 300], [0, n_wrong, n_wrong], ":", color=INK, linewidth=1.5)
    axis.set(xlabel="reviewed samples", xlim=(0, 300), ylim=(0, None))
    axis.set_title(f"Wrong labels found, C={C:g}", loc="left", fontweight="bold", fontsize=14)
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(color="#e6e8eb", linewidth=0.8)
    axis.legend(frameon=False, loc="lower right", fontsize=12)
plt.show()

# %%
# With the ``C`` of the search, all rankings find nearly all wrong labels. With a ``C`` that is
# much too large, the model is fitted to most wrong labels, and the ranking by its own decision
# values fails, also with the ramp loss. Values of models without the sample, whether left out one
# by one or in the folds of cleanlab, still find most.
#
# Correct, and train again
# ========================
#
# A person reviews the first samples of the ranking and corrects their labels. Samples can also be
# removed without a review, but then some samples with correct labels are lost.

order = orders[best["C"]]["leave-one-out"]


def test_error(samples, labels):
    search = GridSearchCV(LASVC(random_state=0), grid).fit(samples, labels)
    return f"test error {1 - search.score(X_test, y_test):.1%} with {search.best_params_}"


print(f"given labels                  {test_error(X, given)}")
kept = np.setdiff1d(np.arange(len(y)), order[:150])
print(f"150 samples removed           {test_error(X[kept], given[kept])}")
for n_reviewed in (75, 150):
    corrected = given.copy()
    corrected[order[:n_reviewed]] = y[order[:n_reviewed]]
    print(f"{n_reviewed:3} samples reviewed          {test_error(X, corrected)}")
print(f"all labels correct            {test_error(X, y)}")

# %%
# After 150 reviews, a ninth of the training set, the model is as good as with correct labels
# only. Removing the samples without a review helps less. All differences are small: with a
# suitable ``C`` this model tolerates random wrong labels well, and the test set has 450 samples,
# so that one sample is 0.2 percentage points. Wrong labels that are not random, such as two
# classes that were often confused, are not part of this experiment.

# sphinx_gallery_thumbnail_number = 3
