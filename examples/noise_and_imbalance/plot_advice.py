"""
===============================
Knowledge-based online learning
===============================

Two rules from an expert are available before any labeled sample. Labeled samples then arrive one
at a time. :class:`~sklearn_online_svm.AdvicePassiveAggressiveClassifier` takes the rules as
advice; :ref:`advice` describes the method.
"""

# %%
# Effect of rules on the decision boundary
# ========================================
#
# Two features, two overlapping classes, and two regions whose classes are known. Before the first
# sample the model consists of the rules. Six samples move the boundary, five hundred move it
# further. Without rules (dashed), the boundary after six samples is almost arbitrary.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from sklearn_online_svm import Advice, AdvicePassiveAggressiveClassifier

BLUE, ORANGE = "#1f6feb", "#d1702a"
NAMES = ["x", "y"]

rules = [
    Advice.from_conditions({"x": (">=", 0.5), "y": (">=", 0.5)}, NAMES, label=1),
    Advice.from_conditions({"x": ("<=", -0.5), "y": ("<=", -0.5)}, NAMES, label=0),
]


def draw_samples(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) * 1.2
    return X, (X.sum(axis=1) + rng.normal(size=n) > 0).astype(int)


X, y = draw_samples(500, seed=1)
models = {
    "with rules": AdvicePassiveAggressiveClassifier(rules, C=0.02),
    "without": AdvicePassiveAggressiveClassifier(C=0.02),
}
line = np.array([-3.0, 3.0])
n_seen = 0
for n in (0, 6, 500):
    figure, axis = plt.subplots(figsize=(5, 4.4), layout="constrained")
    for corner, colour in (((0.5, 0.5), BLUE), ((-3.0, -3.0), ORANGE)):
        axis.add_patch(Rectangle(corner, 2.5, 2.5, color=colour, alpha=0.15, linewidth=0))
    axis.scatter(*X[:n].T, c=np.where(y[:n] == 1, BLUE, ORANGE), s=9 if n > 50 else 60)
    for model, style in zip(models.values(), ("-", "--"), strict=True):
        if n == 0:
            # Without samples: the model of the rules alone.
            model.partial_fit(X[:0], y[:0], classes=[0, 1])
        else:
            model.partial_fit(X[n_seen:n], y[n_seen:n])
        (a, b), c = model.coef_[0], model.intercept_[0]
        if a or b:
            axis.plot(line, -(a * line + c) / b, style, color="black", linewidth=2.5)
    n_seen = n
    axis.set(xlim=(-3, 3), ylim=(-3, 3))
    axis.set_title(f"{n} samples", fontweight="bold", fontsize=16)
plt.show()

# %%
# Contradictions between model and advice
# =======================================

for report in models["with rules"].explain_advice(X):
    print(report)

# %%
# Learning curves
# ===============
#
# The test error over fifty streams. Good rules have the same effect as about twenty labels. Wrong
# rules, the same regions with exchanged labels, must be corrected by the samples. With
# ``advice_weight=0.001`` they are corrected permanently; with 0.1 they continue to affect the
# model.

X_test, y_test = draw_samples(5000, seed=1000)
STOPS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500]


def errors_of(advice, weight):
    curves = []
    for seed in range(50):
        X, y = draw_samples(500, seed)
        model = AdvicePassiveAggressiveClassifier(advice, C=0.1, advice_weight=weight)
        model.partial_fit(X[:0], y[:0], classes=[0, 1])
        curve = [1 - model.score(X_test, y_test)]
        for start, stop in zip(STOPS, STOPS[1:], strict=False):
            model.partial_fit(X[start:stop], y[start:stop])
            curve.append(1 - model.score(X_test, y_test))
        curves.append(curve)
    return np.mean(curves, axis=0)


wrong = [Advice(rule.D, rule.d, 1 - rule.label) for rule in rules]
cases = {
    "no rules": (None, 0.0, "#24292f", "-"),
    "good rules": (rules, 0.001, "#2d9d63", "-"),
    "good rules, weight 0.1": (rules, 0.1, "#2d9d63", ":"),
    "wrong rules": (wrong, 0.001, ORANGE, "-"),
    "wrong rules, weight 0.1": (wrong, 0.1, ORANGE, ":"),
}
figure, axis = plt.subplots(figsize=(7.2, 4.6))
for name, (advice, weight, colour, style) in cases.items():
    errors = errors_of(advice, weight)
    axis.plot(np.maximum(STOPS, 0.5), errors, style, color=colour, marker="o", ms=3, label=name)
axis.set(xscale="log", xlabel="training samples (first point: none)", ylabel="test error")
axis.legend(frameon=False)
figure.tight_layout()
plt.show()

# sphinx_gallery_thumbnail_number = 2
