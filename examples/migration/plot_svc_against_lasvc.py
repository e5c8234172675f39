"""
=======================
LASVC compared with SVC
=======================

How do test error and training time of ``SVC`` and ``LASVC`` grow with the number of training
samples, with the same kernel and ``C``?

- :class:`sklearn.svm.SVC` solves the problem over all samples.
- ``LASVC`` does so, too, up to 5000 samples. With more, it makes passes over the samples, each
  followed by an optimization over the support vectors, until another pass would change little.
- ``LASVC(max_iter=-1)`` makes passes until the optimum is reached, with any number of samples.

All models run in one thread on the same float64 arrays, with caches of the same size and the other
parameters at their defaults.
"""

# %%
# Measurement
# ===========
#
# Breiman's waveforms (21 features, one class against the other two), with the parameters of the
# papers on LASVM. Small fits take milliseconds, so they are repeated, and the shortest time is
# reported.

import time

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from sklearn_online_svm.datasets import make_waveform

SIZES = [250, 500, 1000, 2000, 4000, 8000, 16000]
X, y = make_waveform(SIZES[-1], random_state=0)
X_test, y_test = make_waveform(3000, random_state=1)

parameters = dict(C=1, gamma=0.05, cache_size=500)
MODELS = {
    "SVC": (SVC(**parameters), "#d1702a", "o-"),
    "LASVC": (LASVC(**parameters, random_state=0), "#1f6feb", "o-"),
    "LASVC(max_iter=-1)": (LASVC(**parameters, max_iter=-1, random_state=0), "#1f6feb", "s:"),
}


def seconds(function, *arguments):
    best, start = np.inf, time.perf_counter()
    while True:
        begun = time.perf_counter()
        function(*arguments)
        best = min(best, time.perf_counter() - begun)
        if time.perf_counter() - start > 0.05:
            return best


def measure(model, n_rows):
    fit = seconds(model.fit, X[:n_rows], y[:n_rows])
    predict = seconds(model.predict, X_test)
    return 100 * (1 - model.score(X_test, y_test)), fit, predict


measured = {
    name: np.array([measure(model, n_rows) for n_rows in SIZES])
    for name, (model, _, _) in MODELS.items()
}

# %%
# Results
# =======
#
# The test error is measured on 3000 samples: differences of a few tenths of a percentage point are
# not significant. Times are shown on logarithmic axes, where a straight line of slope 2 means that
# twice as many samples take four times as long.

titles = ("Test error (%)", "Time to fit", f"Time to predict {len(X_test)} samples")
for column, title in enumerate(titles):
    figure, axis = plt.subplots(figsize=(5, 4), layout="constrained")
    for name, (_, colour, style) in MODELS.items():
        values = measured[name][:, column]
        axis.plot(SIZES, values, style, color=colour, markersize=5, linewidth=2, label=name)
    axis.set_xscale("log")
    axis.set_xticks([250, 1000, 4000, 16000], minor=False)
    axis.xaxis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:.0f}"))
    axis.xaxis.set_minor_locator(plt.NullLocator())
    axis.set_title(title, loc="left", fontweight="bold")
    axis.set_xlabel("training samples")
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(color="#e6e8eb", linewidth=0.8)
    axis.set_axisbelow(True)
    axis.legend(frameon=False)
    if column == 0:
        axis.set_ylim(bottom=0)
    else:
        axis.set_yscale("log")
        axis.yaxis.set_major_formatter(
            FuncFormatter(lambda t, _: f"{t:g} s" if t >= 0.1 else f"{1000 * t:g} ms")
        )
plt.show()

# %%
# Results for the largest training set:

for name, values in measured.items():
    error, fit, predict = values[-1]
    slope = np.polyfit(np.log(SIZES[-3:]), np.log(values[-3:, 1]), 1)[0]
    print(
        f"{name:20} error {error:4.1f} %   fit {fit:6.2f} s (grows like n^{slope:.1f})   "
        f"predict {predict:5.3f} s"
    )

# %%
# From 4000 to 8000 samples the time of ``LASVC`` grows little, because it no longer computes the
# optimum. Predictions are faster for all sizes,
# because kernel values are computed in blocks. The number of support vectors of all models grows
# with the number of samples, and so do the times of fitting and prediction. If these are too long,
# use an approximate feature map (:class:`sklearn.kernel_approximation.Nystroem`) with a linear
# model.

# sphinx_gallery_thumbnail_number = 2
