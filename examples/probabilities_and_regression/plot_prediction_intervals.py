"""
====================
Prediction intervals
====================

``LASVR(intervals=True)`` predicts intervals that contain a new target with a given frequency, here
90 %. Their width follows the noise, which is not the same everywhere.
"""

# %%
# One width or a local one
# ========================
#
# The noise is small on the left and large on the right. Leave-one-out residuals
# (:meth:`~sklearn_online_svm.LASVR.leave_one_out_predict`) give one width for all x.
# ``predict_interval`` first divides these residuals by the typical residual of samples nearby.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_online_svm import LASVR

LEVEL = 0.9
BLUE, ORANGE, GREY = "#1f6feb", "#d1702a", "#8b949e"


def make_samples(n_samples, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3, 3, n_samples)
    noise = 0.08 + 0.5 / (1 + np.exp(-4 * x))
    return x[:, np.newaxis], np.sin(2 * x) + noise * rng.normal(size=n_samples)


X, y = make_samples(400, seed=0)
X_test, y_test = make_samples(20_000, seed=1)
model = LASVR(C=10, gamma=1.0, epsilon=0.1, intervals=True).fit(X, y)

residuals = np.abs(y - model.leave_one_out_predict(X, y))
width = np.sort(residuals)[int(np.ceil(LEVEL * (len(y) + 1))) - 1]


def of_one_width(X):
    return model.predict(X) - width, model.predict(X) + width


def of_local_width(X):
    return model.predict_interval(X, confidence_level=LEVEL).T


# %%
# Both contain about 90 % of the new targets. With one width, nearly all misses are on the right.

ways = {"one width": of_one_width, "a local width": of_local_width}
grid = np.linspace(-3, 3, 400)[:, np.newaxis]
for way, ends_of in ways.items():
    lower, upper = ends_of(grid)
    figure, axis = plt.subplots(figsize=(5, 3.8), layout="constrained")
    axis.fill_between(grid[:, 0], lower, upper, color=BLUE, alpha=0.2, linewidth=0)
    axis.plot(grid[:, 0], model.predict(grid), color=BLUE, linewidth=2.5)
    axis.scatter(X[:, 0], y, s=10, color="0.3", alpha=0.6, linewidths=0)
    axis.set_title(way, loc="left", fontweight="bold", fontsize=16)
    axis.set(xlabel="x", ylim=(-3, 3))
    axis.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The coverage for ranges of x, on 20 000 test samples:

bins = np.linspace(-3, 3, 13)
bin_of = np.digitize(X_test[:, 0], bins[1:-1])
figure, axis = plt.subplots(figsize=(7.2, 3.8), layout="constrained")
for (way, ends_of), shift, colour in zip(ways.items(), (-0.1, 0.1), (ORANGE, BLUE), strict=True):
    lower, upper = ends_of(X_test)
    covered = (lower <= y_test) & (y_test <= upper)
    print(f"{way}: coverage {covered.mean():.1%}, mean width {np.mean(upper - lower):.2f}")
    by_bin = [100 * covered[bin_of == b].mean() for b in range(len(bins) - 1)]
    axis.bar((bins[:-1] + bins[1:]) / 2 + shift, by_bin, width=0.18, color=colour, label=way)
axis.axhline(100 * LEVEL, color=GREY, linewidth=1, linestyle="--")
axis.set(ylim=(60, 102), xlabel="x", ylabel="coverage (%)")
axis.legend(frameon=False, loc="upper right")
axis.spines[["top", "right"]].set_visible(False)
plt.show()

# sphinx_gallery_thumbnail_number = 2
