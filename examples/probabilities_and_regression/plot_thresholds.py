"""
==========
Thresholds
==========

This example selects the threshold of a classifier for a recall of 90 % or for 40 alarms a day,
shows what to expect on new samples, and adapts the threshold under concept drift.
"""

# %%
# A recall of 90 %
# ================
#
# The training set has 100 positive samples among 1100. ``select_threshold`` uses leave-one-out
# decision values of the model, and returns an interval of each rate on new samples.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_online_svm import LASVC, AROWClassifier
from sklearn_online_svm.datasets import make_waveform
from sklearn_online_svm.evaluation import (
    AdaptiveThreshold,
    ThresholdDisplay,
    select_threshold,
)

X, y = make_waveform(1100, imbalance_ratio=10, random_state=0)
model = LASVC(gamma=0.01, random_state=0).fit(X, y)
choice = select_threshold(model, X, y, recall=0.9)
print(choice)

display = ThresholdDisplay.from_choice(choice, name="a recall of at least 90 %")
display.ax_.spines[["top", "right"]].set_visible(False)
display.ax_.set(ylabel="share")

# %%
# What the interval means
# =======================
#
# Thresholds are selected on 40 training sets with 40 positive samples each. A threshold from
# decision values of the training samples misses the target. One from leave-one-out values reaches
# it on average, but the recall varies between training sets; with a *guarantee* it is reached with
# a probability of 95 %. Horizontal lines are the 95 % intervals of ``select_threshold``.

X, y = make_waveform(64_000, imbalance_ratio=10, random_state=1)
X_new, y_new = X[20_000:], y[20_000:]
found = {"training values": [], "leave-one-out": [], "with a guarantee": []}
for first in range(0, 17_600, 440):
    chunk = slice(first, first + 440)
    overfitted = LASVC(C=10, gamma=0.01, random_state=0).fit(X[chunk], y[chunk])
    values = overfitted.decision_function(X[chunk][y[chunk] == 1])
    new = overfitted.decision_function(X_new[y_new == 1])
    naive = np.sort(values)[int(0.1 * (len(values) + 1)) - 1]
    found["training values"].append((np.mean(new >= naive), np.nan, np.nan))
    for name, guarantee in (("leave-one-out", False), ("with a guarantee", True)):
        chosen = select_threshold(overfitted, X[chunk], y[chunk], recall=0.9, guarantee=guarantee)
        found[name].append((np.mean(new >= chosen.threshold), *chosen.recall_interval))

COLOURS = ("#d1702a", "#8b949e", "#1f6feb")
figure, axis = plt.subplots(figsize=(7.2, 3.8), layout="constrained")
axis.axvline(90, color="0.5", linewidth=1, linestyle="--")
for place, ((name, values), colour) in enumerate(zip(found.items(), COLOURS)):
    recall, low, high = 100 * np.array(values).T
    height = place + np.linspace(-0.35, 0.35, len(recall))
    axis.hlines(height, low, high, color=colour, alpha=0.3)
    axis.plot(recall, height, ".", color=colour)
    print(f"{name:16s} recall {recall.mean():.1f} %, at least 90 %: {np.mean(recall >= 90):.0%}")
axis.set(xlabel="recall on new samples (%)", yticks=range(3), yticklabels=found)
axis.spines[["top", "right"]].set_visible(False)
axis.invert_yaxis()

# %%
# A number of alarms a day
# ========================
#
# A linear model is trained on a stream of 2000 samples a day, 2 % of them positive. The target is
# 40 alarms a day. The fixed threshold is selected on the first three days, from samples that were
# scored before the model was trained on them. It soon gives too many alarms, because the decision
# values of an online model become larger with training; from day 10 on, the variance of the
# samples increases, too.

N_DAYS, PER_DAY, TARGET = 40, 2000, 40
rng = np.random.default_rng(0)
model = AROWClassifier()
options = dict(alarm_rate=TARGET / PER_DAY, step_size=0.002, window_size=3 * PER_DAY)
ways = {"fixed": AdaptiveThreshold(**options), "adaptive": AdaptiveThreshold(**options)}
alarms = {name: [] for name in ways}
for day in range(N_DAYS):
    y = (rng.random(PER_DAY) < 0.02).astype(int)
    spread = 1 + 0.6 * np.clip((day - 10) / 20, 0, 1)
    X = spread * rng.normal(size=(PER_DAY, 10)) + 0.8 * y[:, None]
    if day:
        for name, threshold in ways.items():
            is_kept = name == "fixed" and day > 3
            predict = threshold.predict if is_kept else threshold.update
            alarms[name].append(predict(model, X).sum())
    model.partial_fit(X, y, classes=[0, 1])

figure, axis = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
axis.axhline(TARGET, color="0.5", linewidth=1, linestyle="--")
for (name, counts), colour in zip(alarms.items(), ("#d1702a", "#1f6feb")):
    axis.plot(range(1, N_DAYS), counts, color=colour, linewidth=2, label=name)
    print(f"{name:9s} {np.mean(counts[3:]):.0f} alarms a day, at most {max(counts[3:])}")
axis.set(xlabel="day", ylabel="alarms", ylim=(0, None), title="Alarms under concept drift")
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()
