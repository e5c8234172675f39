"""
========================================================
Coming from scikit-learn's passive-aggressive classifier
========================================================

scikit-learn has deprecated its ``PassiveAggressiveClassifier`` and removes it in version 1.10.
This package has a class of the same name with the same parameters. This tutorial compares the two,
and both with :class:`~sklearn_online_svm.AROWClassifier`, which is more accurate if labels are
noisy. :doc:`/migrating_from_passive_aggressive` lists all differences.
"""

# %%
# The replacement
# ===============
#
# Only the import changes:
#
# .. code-block:: python
#
#     from sklearn.linear_model import PassiveAggressiveClassifier    # before
#     from sklearn_online_svm import PassiveAggressiveClassifier      # after
#
# In this program, ``SGDClassifier`` with the learning rate ``"pa1"``, which scikit-learn
# recommends instead, takes the place of the old class. It makes the same updates.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import SGDClassifier

from sklearn_online_svm import AROWClassifier, PassiveAggressiveClassifier
from sklearn_online_svm.evaluation import progressive_validation


def scikit_learn(C=1.0, **options):
    """Return the replacement that scikit-learn recommends."""
    return SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", eta0=C, **options)


X, y = make_classification(
    20_000, 50, n_informative=20, n_classes=3, class_sep=2.0, flip_y=0.1, random_state=0
)
print(X.shape, np.bincount(y))

# %%
# Without an intercept and without shuffling, both have the same coefficients:

options = dict(fit_intercept=False, shuffle=False, max_iter=1, tol=None)
old = scikit_learn(C=0.1, **options).fit(X, y)
new = PassiveAggressiveClassifier(C=0.1, **options).fit(X, y)
print(f"largest difference of the coefficients: {np.abs(old.coef_ - new.coef_).max():.0e}")

# %%
# With an intercept they differ slightly, because the update of scikit-learn does not count the
# intercept in the length of a step.
#
# Chunks
# ======
#
# ``partial_fit`` of this package never shuffles, so that the model does not depend on how the
# stream is divided into chunks. In scikit-learn each chunk is shuffled unless ``shuffle=False``.

for name, model in (
    ("scikit-learn", scikit_learn(random_state=0)),
    ("this package", PassiveAggressiveClassifier()),
):
    coefficients = []
    for size in (100, 1000):
        model = clone(model)
        for start in range(0, 4000, size):
            chunk = slice(start, start + size)
            model.partial_fit(X[chunk], y[chunk], classes=[0, 1, 2])
        coefficients.append(model.coef_)
    difference = np.abs(coefficients[0] - coefficients[1]).max()
    print(f"{name}: chunks of 100 and of 1000 differ by {difference:.2g}")

# %%
# Noisy labels
# ============
#
# A tenth of the labels in this stream was drawn at random. With the default ``C=1`` the model is
# changed until it fits the current sample, even if the label is wrong, and the error remains high.
# A smaller ``C`` limits the steps, but its value must be found by a search. ``AROWClassifier``
# maintains a confidence for each weight and makes smaller steps as it grows; it has its default
# parameters here. Each chunk of 200 samples is predicted before it is used for training.

BLUE, ORANGE, GREEN, GREY = "#1f6feb", "#d1702a", "#2d9d63", "#8b949e"

models = {
    "scikit-learn, C=1": (scikit_learn(random_state=0), GREY),
    "this package, C=1": (PassiveAggressiveClassifier(), ORANGE),
    "this package, C=0.001": (PassiveAggressiveClassifier(C=0.001), GREEN),
    "AROWClassifier": (AROWClassifier(), BLUE),
}
figure, axis = plt.subplots(figsize=(7.2, 4.8), layout="constrained")
for name, (model, colour) in models.items():
    result = progressive_validation(model, X, y, chunk_size=200)
    error = 100 * (1 - result.rolling(2000).accuracy())
    axis.plot(result.n_samples, error, color=colour, linewidth=2.5, label=name)
    print(
        f"{name:22} error {1 - result.accuracy()[-1]:.1%}, "
        f"{1000 * result.seconds[-1]:.0f} ms for training and prediction"
    )
axis.set(xlabel="samples", ylim=(0, None))
axis.set_title("Error on the latest 2000 samples (%)", loc="left", fontweight="bold")
axis.spines[["top", "right"]].set_visible(False)
axis.grid(color="#e6e8eb", linewidth=0.8)
axis.legend(frameon=False, fontsize=12, loc="lower left")
plt.show()

# %%
# With ``C=1`` the errors are far above those of the other two models, with either package; here
# scikit-learn's are lower. The smaller ``C`` is better from the start. AROW needs a few thousand
# samples until it is better than ``C=0.001``.
#
# The times are those of small chunks. :doc:`/benchmarks` compares training times.
