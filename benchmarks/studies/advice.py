"""Knowledge-based classification: learning curves with good, partial and wrong advice.

``advice_pima``: diabetes, with rules from guidelines; ``advice_plane``: a noisy plane.
"""

from functools import partial

import numpy as np
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import Advice, AdvicePassiveAggressiveClassifier

from ..bench import plots, rst
from ..bench.data import drawn, load_paper_dataset
from ..bench.frames import frame, where
from ..bench.study import Study, grid, step

# Samples used when the test error is looked at; 0: only the advice is known.
ROWS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500]
CS = [0.001, 0.003, 0.01, 0.03, 0.1]
# C is chosen on other orders of the samples than those reported.
N_CHOOSING, N_REPORTED = 30, 100
ADVISED = ["good", "partial", "wrong"]
WEIGHTS = [0.0, 0.001, 0.01, 0.1, 1.0]
# The default, which the figure has; one that is heavy enough for refined advice to differ.
WEIGHT, REFINED = 0.001, 0.01


def _pima(seed):
    """The samples of the set, in an order of the seed; 500 of them are for training."""
    data = load_paper_dataset("pima_diabetes")
    return drawn(data.X_train.astype(np.float64), data.y_train, 500, len(data.y_train), seed)


def _plane(seed):
    """Ten normal features, three of them relevant; one training label in ten is wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3000, 10))
    y = np.where(X[:, :3] @ np.array([1.0, 0.8, 0.6]) > 0, 1, -1)
    learnt = y[:500] * np.where(rng.random(500) < 0.1, -1, 1)
    return X[:500], learnt, X[500:], y[500:]


PIMA = ["pregnancies", "glucose", "pressure", "skin", "insulin", "bmi", "pedigree", "age"]
# Title, function of a seed, names of the features, and rules for the positive and for the
# negative class.
SETS = {
    "pima": (
        "Pima diabetes",
        _pima,
        PIMA,
        {
            "good": (
                {"glucose": (">=", 140), "bmi": (">=", 30)},
                {"glucose": ("<=", 140), "bmi": (18.5, 25)},
            ),
            "partial": ({"bmi": (">=", 30)}, {"bmi": (18.5, 25)}),
        },
    ),
    "plane": (
        "Hyperplane",
        _plane,
        [f"x{k}" for k in range(10)],
        {
            "good": (
                {"x0": (">=", 0.5), "x1": (">=", 0.5), "x2": (">=", 0)},
                {"x0": ("<=", -0.5), "x1": ("<=", -0.5), "x2": ("<=", 0)},
            ),
            "partial": ({"x2": (">=", 1)}, {"x2": ("<=", -1)}),
        },
    ),
}


def _rules(names, rules, kind):
    """Return advice of a kind; wrong advice is good advice for the other class."""
    if kind == "none":
        return []
    labels = (-1, 1) if kind == "wrong" else (1, -1)
    pair = rules["good" if kind == "wrong" else kind]
    return [Advice.from_conditions(rule, names, label) for rule, label in zip(pair, labels)]


def curve(work, kind, C, weight, refine, seed):
    """Return test errors after each number of samples, of one order of the samples."""
    _, load, names, rules = SETS[work]
    X, y, X_test, y_test = load(seed)
    # Fitted on the training samples, without their labels.
    scaler = StandardScaler().fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    advice = [piece.transformed_by(scaler) for piece in _rules(names, rules, kind)]
    model = AdvicePassiveAggressiveClassifier(advice, C=C, advice_weight=weight, refine=refine)
    # The model of the rules alone.
    model.partial_fit(X[:0], y[:0], classes=[-1, 1])
    errors = []
    for start, stop in zip([0, *ROWS[:-1]], ROWS):
        if stop > start:
            model.partial_fit(X[start:stop], y[start:stop])
        errors.append(float(np.mean(model.predict(X_test) != y_test)))
    return errors


def advice_curve(work, advice, weight, refine, quick=False):
    """Return the mean curve, with the C whose curve is the lowest on other orders."""
    n_choosing, n_reported = (2, 2) if quick else (N_CHOOSING, N_REPORTED)

    def curves(C, seeds):
        return [curve(work, advice, C, weight, refine, seed) for seed in seeds]

    means = {C: np.mean(curves(C, range(1000, 1000 + n_choosing))) for C in CS}
    C = min(means, key=means.get)
    errors = np.mean(curves(C, range(n_reported)), axis=0)
    return {"C": C, "n_orders": n_reported, "rows": ROWS, "errors": errors.tolist()}


def weights(work, results):
    """Test errors of good and of wrong advice by its weight, after all samples."""
    found = frame(f"advice_{work}", results)
    rows = {(weight, False): f"{weight:g}" for weight in WEIGHTS}
    rows[REFINED, True] = f"{REFINED:g}, refined"

    def cell(case, kind):
        (errors,) = where(found, advice=kind, weight=case[0], refine=case[1])["errors"]
        return f"{100 * errors[-1]:.2f}"

    title = f"{SETS[work][0]}: test error (%) after {ROWS[-1]} samples"
    return rst.cross_table("weight", rows, {"good": "good", "wrong": "wrong"}, cell, title)


STYLES = {
    "none": ("#555555", "o"),
    "good": ("#009e73", "^"),
    "partial": ("#0072b2", "s"),
    "wrong": ("#d55e00", "X"),
}


def draw_curves(results, folder):
    """Draw one panel for each set, a curve for each kind of advice."""
    figure, axes = plots.panels(1, len(SETS), width=4.8, height=3.6)
    for panel, (work, (title, *_)) in zip(axes.flat, SETS.items()):
        found = frame(f"advice_{work}", results)
        for kind, (colour, marker) in STYLES.items():
            weight = 0.0 if kind == "none" else WEIGHT
            (errors,) = where(found, advice=kind, weight=weight, refine=False)["errors"]
            # 0 samples are at the left end of a logarithmic axis.
            rows, errors = np.maximum(0.5, ROWS), 100 * np.array(errors)
            panel.semilogx(rows, errors, color=colour, marker=marker, markersize=4, label=kind)
        panel.set(title=title, xlabel="samples used", ylabel="test error (%)")
        plots.plain_log(panel.xaxis)
        panel.legend(frameon=False, fontsize=8)
    plots.save(figure, folder / "advice_curves.png")


CASES = [
    *grid(advice=["none"], weight=[0.0], refine=[False]),
    *grid(advice=ADVISED, weight=WEIGHTS, refine=[False]),
    *grid(advice=ADVISED, weight=[REFINED], refine=[True]),
]
STUDY = Study(
    steps={
        f"advice_{work}": step(advice_curve, [dict(work=work, **case) for case in CASES])
        for work in SETS
    },
    tables={f"advice_{work}_weights": partial(weights, work) for work in SETS},
    figures=[draw_curves],
)
