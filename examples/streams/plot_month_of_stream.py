"""
============================
A month of a drifting stream
============================

A factory classifies parts as faulty or good from six sensor values. The labels come from a later
inspection. This tutorial follows the model in operation for thirty days, hour by hour: it
predicts, receives the labels six hours later, is monitored and updated, and is replaced after an
alarm. Two things happen on the way: the process changes slowly from day 7 to day 14, and a sensor
is replaced on day 20. (The stream starts at day 0.)

:ref:`sphx_glr_auto_examples_streams_plot_drift.py` compares the forgetting of several models
instead.
"""

# %%
# The stream
# ==========
#
# Each hour has 30 to 90 parts, more during the day. A part is faulty if a quadratic function of
# the sensor values is positive; 3 % of the labels are wrong. From day 7 to day 14 the coefficients
# of this function change. From day 20 on, the first sensor has another scale and zero point.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import KernelAROWClassifier
from sklearn_online_svm.export import load_model, save_model
from sklearn_online_svm.pipeline import make_online_pipeline

N_HOURS, DELAY = 30 * 24, 6


def hour_of_parts(hour, rng):
    """Return the sensor values of one hour, and the labels."""
    n = int(60 + 30 * np.sin(2 * np.pi * (hour % 24 - 6) / 24))
    X = rng.normal(size=(n, 6))
    angle = 1.5 * np.clip((hour / 24 - 7) / 7, 0, 1)  # days 7 to 14
    u = np.cos(angle) * X[:, 0] + np.sin(angle) * X[:, 1]
    faulty = u + 0.6 * X[:, 2] ** 2 - 0.8 * X[:, 3] * X[:, 4] > 0.9
    faulty ^= rng.random(n) < 0.03
    X[:, 5] += np.sin(2 * np.pi * hour / 24)  # the temperature, without influence
    if hour >= 20 * 24:
        X[:, 0] = 3 * X[:, 0] + 5
    return X, faulty.astype(int)


rng = np.random.default_rng(0)
hours = [hour_of_parts(hour, rng) for hour in range(N_HOURS)]
n_parts = np.array([len(y) for _, y in hours])
print(
    f"{n_parts.sum()} parts, {np.mean(np.concatenate([y for _, y in hours])):.0%} of them faulty"
)

# %%
# The monitor
# ===========
#
# The error rate varies by chance, in particular with few labels. The monitor compares the errors
# of the last 12 hours with the error rate of a reference period, the first two days after the
# model went into operation: an alarm is raised if they exceed the expected number by more than
# four standard deviations of the binomial distribution.


class Monitor:
    def __init__(self, reference_hours=48, window_hours=12, n_deviations=4):
        self.reference_hours = reference_hours
        self.window_hours = window_hours
        self.n_deviations = n_deviations
        self.counts = []

    def update(self, n_errors, n_labels):
        """Add the errors of one hour; return whether the error rate has increased."""
        self.counts.append((n_errors, n_labels))
        if len(self.counts) < self.reference_hours + self.window_hours:
            return False
        errors, labels = np.sum(self.counts[: self.reference_hours], axis=0)
        rate = (errors + 1) / (labels + 2)
        errors, labels = np.sum(self.counts[-self.window_hours :], axis=0)
        limit = labels * rate + self.n_deviations * np.sqrt(labels * rate * (1 - rate))
        return bool(errors > limit)


# %%
# The loop
# ========
#
# In each hour the parts are predicted, and the labels of six hours ago arrive. The predictions
# made then are scored, and the model is trained on the labels. After an alarm, the pipeline is
# replaced by a new one that is trained on the latest 12 hours of labels, the window of the
# monitor; its scaler is fitted on them, too. The monitor starts again with a new reference period.


def operate(model, *, update=True, react=False):
    """Return the number of errors in each hour, the hours of the alarms, and the model."""
    model, monitor = clone(model), Monitor()
    X, y = (np.concatenate(parts) for parts in zip(*hours[:48], strict=True))
    model.partial_fit(X, y, classes=[0, 1])  # two days of labelled parts to start with
    predictions, errors, alarms = {}, np.zeros(N_HOURS), []
    for hour in range(48, N_HOURS):
        predictions[hour] = model.predict(hours[hour][0])
        known = hour - DELAY
        if known < 48:
            continue
        X, y = hours[known]
        errors[known] = np.sum(predictions.pop(known) != y)
        alarm = monitor.update(errors[known], len(y))
        if update:
            model.partial_fit(X, y)
        if alarm and react:
            alarms.append(hour)
            latest = hours[known - 11 : known + 1]
            X, y = (np.concatenate(parts) for parts in zip(*latest, strict=True))
            model, monitor = clone(model).partial_fit(X, y, classes=[0, 1]), Monitor()
    return errors, alarms, model


# %%
# Four policies
# =============
#
# The model is a kernel classifier with at most 300 support vectors, so that the time per hour does
# not grow. ``forgetting_factor=1`` weights all samples since the start equally; with 0.9998 the
# weight of a sample is halved after 3500 samples, about two and a half days.


def pipeline(forgetting_factor):
    model = KernelAROWClassifier(
        gamma=0.1, max_support_vectors=300, forgetting_factor=forgetting_factor
    )
    return make_online_pipeline(StandardScaler(), model)


POLICIES = {
    "never updated": (pipeline(1.0), dict(update=False)),
    "updated": (pipeline(1.0), {}),
    "updated, forgetting": (pipeline(0.9998), {}),
    "updated, replaced after alarms": (pipeline(1.0), dict(react=True)),
}
PERIODS = ((2, 7), (7, 14), (14, 20), (20, 23), (23, 30))

outcomes = {}
print("error in days                  ", *(f"{first:3}-{last:2}" for first, last in PERIODS))
for name, (model, options) in POLICIES.items():
    errors, alarms, final = outcomes[name] = operate(model, **options)
    rates = []
    for first, last in PERIODS:
        period = slice(first * 24, min(last * 24, N_HOURS - DELAY))
        rates.append(f"{errors[period].sum() / n_parts[period].sum():6.1%}")
    print(f"{name:31}", *rates)
    if alarms:
        print("   alarms on day", ", ".join(f"{hour / 24:.1f}" for hour in alarms))

# %%
# The error of the last 24 hours. The shaded week is the slow change, the vertical line the new
# sensor, and the triangles are alarms.

BLUE, ORANGE, GREEN, GREY = "#1f6feb", "#d1702a", "#2d9d63", "#8b949e"


def last_day(values):
    return np.convolve(values[48 : N_HOURS - DELAY], np.ones(24), mode="valid")


days = np.arange(48 + 24, N_HOURS - DELAY + 1) / 24
figure, axis = plt.subplots(figsize=(7.6, 5), layout="constrained")
axis.axvspan(7, 14, color=GREY, alpha=0.15, linewidth=0)
axis.axvline(20, color=GREY, linewidth=1.5)
for (name, (errors, alarms, _)), colour in zip(
    outcomes.items(), (GREY, ORANGE, GREEN, BLUE), strict=True
):
    rate = 100 * last_day(errors) / last_day(n_parts)
    axis.plot(days, rate, color=colour, linewidth=2.5, label=name)
    axis.plot(np.array(alarms) / 24, np.ones(len(alarms)), "^", color=colour, markersize=9)
axis.set(xlabel="day", xlim=(2, 30), ylim=(0, None))
axis.set_title("Error in the last 24 hours (%)", loc="left", fontweight="bold")
axis.legend(frameon=False, fontsize=12)
axis.spines[["top", "right"]].set_visible(False)
axis.grid(color="#e6e8eb", linewidth=0.8)
plt.show()

# %%
# - **Without updates** the error grows with each change.
# - **Updates alone** are best as long as nothing changes: all samples are used. After a change,
#   the many old samples outweigh the new ones for a long time.
# - **Forgetting** follows the slow change without an alarm, but has a higher error while nothing
#   changes, because old samples count less. After the replacement of the sensor it recovers only
#   partly: the scaler is frozen with the mean and the scale of the old sensor.
# - **Replacement after alarms** is the same as updates alone until the first alarm. It recovers
#   from the replacement of the sensor within about two days. During the slow change, its error
#   increases again after each alarm; forgetting is better there.
#
# A forgetting factor suits slow changes, a monitor abrupt ones.
# :func:`~sklearn_online_svm.evaluation.progressive_validation` contains this loop, without a
# delay, for drift detectors such as those of river: :ref:`drift_detection`.

# %%
# A restart
# =========
#
# The complete state of the pipeline can be stored, for example each night. A model that is loaded
# after a restart continues as if nothing had happened:

running = outcomes["updated, replaced after alarms"][2]
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "night.skops"
    save_model(running, path)
    print(f"{path.stat().st_size / 2**20:.1f} MB")
    restarted = load_model(path)
X, y = hours[-1]
running.partial_fit(X, y)
restarted.partial_fit(X, y)
print(np.array_equal(running.decision_function(X), restarted.decision_function(X)))
