"""
=====================================
Tables: irrelevant features and dates
=====================================

In a kernel, the scale of a feature is its weight, whether or not it is relevant.
:class:`~sklearn_online_svm.KernelMetric` learns the scales first. :doc:`/tables` describes how,
and compares it on real tables.
"""

# %%
# Irrelevant features
# ===================
#
# Five uniform features determine the class, the others are noise. In this draw the error of
# ``SVC`` grows with their number, that of gradient boosting less, and that of ``LASVC`` with the
# metric least.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, LASVR, KernelMetric

BLUE, ORANGE, GREY, LIGHT = "#1f6feb", "#d1702a", "#8b949e", "#9cc3fa"


def draw(n, n_features, seed):
    """Return samples, and whether a function of the first five features is above its median."""
    X = np.random.RandomState(seed).uniform(size=(n, n_features))
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    f += 10 * X[:, 3] + 5 * X[:, 4]
    return X, f > 14.4  # about the median


def with_metric(model=LASVC, **params):
    """Return a pipeline of a metric and a support vector machine."""
    return make_pipeline(
        KernelMetric(random_state=0, **params),
        model(kernel="laplacian", gamma=1.0, C=8.0, random_state=0),
    )


MODELS = {
    "SVC": (make_pipeline(StandardScaler(), SVC(C=8)), GREY),
    "gradient boosting": (HistGradientBoostingClassifier(random_state=0), ORANGE),
    "LASVC, equal widths": (with_metric(shrinkage=np.inf), LIGHT),
    "LASVC, learned widths": (with_metric(), BLUE),
}
n_features = [5, 10, 20, 50, 100]
figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for name, (model, colour) in MODELS.items():
    errors = []
    for d in n_features:
        (X, y), (X_test, y_test) = draw(2000, d, 0), draw(4000, d, 1)
        errors.append(100 * (1 - model.fit(X, y).score(X_test, y_test)))
    axis.plot(n_features, errors, "o-", color=colour, label=name)
    print(f"{name:22} errors {np.round(errors, 1)} %")
axis.set_xscale("log")
axis.set_xticks(n_features, n_features)
axis.set_xlabel("features, of which 5 are relevant")
axis.set_ylabel("test error (%)")
axis.set_ylim(0, None)
axis.legend(frameon=False)
plt.show()

# %%
# Importances
# ===========
#
# The share of each feature in the mean distance of two samples, here with 20 features. The last
# fifteen have little influence on the kernel.

metric = KernelMetric(random_state=0).fit(*draw(2000, 20, 0))
figure, axis = plt.subplots(figsize=(7, 3), layout="constrained")
colours = [BLUE] * 5 + [GREY] * 15
axis.bar(np.arange(20), 100 * metric.feature_importances_, color=colours)
axis.set_xticks(range(20))
axis.set_xlabel("feature")
axis.set_ylabel("importance (%)")
plt.show()

# %%
# In order of time
# ================
#
# A price depends on two features and on a trend that wanders in time. With a random split, the
# date is the most important feature: the model interpolates between days before and after. Trained
# on the first days and tested on the last ones, it does not help: later dates are treated as the
# last one of the training samples. Evaluate such a table with a chronological split.

rng = np.random.RandomState(0)
day = np.arange(4000) / 4
features = rng.normal(size=(4000, 6))
trend = np.cumsum(rng.normal(size=1000))[day.astype(int)] / 5
price = features[:, 0] + np.abs(features[:, 1]) + trend + 0.2 * rng.normal(size=4000)
table = np.column_stack([day, features])
shuffled = rng.permutation(4000)
for split, order in (("random", shuffled), ("in order of time", np.arange(4000))):
    train, test = order[:3000], order[3000:]
    scale = price[train].std()
    for name, params in (("equal widths", dict(shrinkage=np.inf)), ("learned widths", {})):
        model = with_metric(LASVR, **params).fit(table[train], price[train] / scale)
        score = model.score(table[test], price[test] / scale)
        date = model[0].feature_importances_[0]
        print(f"{split:17} {name:15} R2 {score:5.2f}, importance of the date {date:.0%}")
