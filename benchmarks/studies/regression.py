"""Support vector regression compared with other regressors."""

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.svm import SVR

from sklearn_online_svm import LASVR

from ..bench.frames import frame, median
from ..bench.measure import fit_and_predict
from ..bench.models import intelex, on_nystroem
from ..bench.rst import count, cross, cross_table, joined, number, seconds
from ..bench.study import Study, grid, named, step
from ..sets.regression import REAL_SETS, SETS

LIMIT = 600
# Numbers of samples of the curve, on the first set.
SIZES = [3000, 6000, 12_500, 25_000]
# The table with several outputs: numbers of outputs and of features, and of samples.
N_OUTPUTS, WIDTHS = 10, (10, 100, 784)
N_TRAIN, N_TEST = 5000, 2000


MODELS = {
    "lasvr": lambda params, seed: LASVR(**params, random_state=seed),
    "lasvr_budget": lambda params, seed: LASVR(
        **params, max_support_vectors=1000, random_state=seed
    ),
    "svr": lambda params, seed: SVR(**params),
    "sklearnex": lambda params, seed: intelex("SVR", **params),
    "boosting": lambda params, seed: HistGradientBoostingRegressor(random_state=seed),
    "nystroem_ridge": lambda params, seed: on_nystroem(
        Ridge(alpha=0.1), gamma=params["gamma"], random_state=seed
    ),
}
OUTPUT_MODELS = {
    "lasvr": MODELS["lasvr"],
    "lasvr_separate": lambda *given: MultiOutputRegressor(MODELS["lasvr"](*given)),
}


def regress(model, set="friedman1", n_train=None, seed=0, quick=False):
    """Fit a model and predict."""
    case = (SETS | REAL_SETS)[set]
    X, y, X_test, y_test = case.load(seed, quick, n_train)
    # All features have variance 1.
    fitted = MODELS[model](dict(C=case.C, epsilon=case.epsilon, gamma=1.0 / X.shape[1]), seed)
    predicted, spent = fit_and_predict(fitted, X, y, X_test)
    return {"n_train": len(y), "r2": r2_score(y_test, predicted), **spent}


def outputs(n_samples, n_features, random):
    """Return features, and ten sums of waves along random directions, with noise."""
    fixed = np.random.default_rng(0)
    X = random.normal(size=(n_samples, n_features))
    directions = 0.5 * fixed.normal(size=(N_OUTPUTS, 4, n_features)) * (10 / n_features) ** 0.5
    Y = np.sin(np.einsum("nf,owf->now", X, directions)).sum(axis=2)
    Y = Y / Y.std(axis=0) + 0.3 * random.normal(size=Y.shape)
    return X.astype(np.float32), Y


def regress_outputs(model, n_features, seed=0, quick=False):
    """Fit a model to several outputs, and predict them."""
    n_train, n_test = (500, 500) if quick else (N_TRAIN, N_TEST)
    X, Y = outputs(n_train + n_test, n_features, np.random.default_rng(seed + 1))
    fitted = OUTPUT_MODELS[model](dict(C=10.0, epsilon=0.3, gamma=1.0 / X.shape[1]), seed)
    _, spent = fit_and_predict(fitted, X[:n_train], Y[:n_train], X[n_train:])
    parts = getattr(fitted, "estimators_", [fitted])
    return {**spent, "n_vectors": sum(len(part.support_) for part in parts)}


TITLES = {
    "lasvr": "LASVR",
    "lasvr_budget": "1000 support vectors",
    "svr": "SVR",
    "sklearnex": "intelex",
    "boosting": "boosting",
    "nystroem_ridge": "Ridge",
}
# SVR has the R2 of LASVR, to 0.0002.
ACCURACY = ("lasvr", "lasvr_budget", "boosting", "nystroem_ridge")
SPEED = ("lasvr", "svr", "sklearnex", "boosting")
CURVE = ("lasvr", "svr", "sklearnex")


def regression_sets(results):
    """R2 and times on generated sets and on a real one."""
    found = frame(["regression_sets", "regression_real"], results)
    sets = {name: case.title for name, case in (SETS | REAL_SETS).items()}
    shown = (
        ("r2", ACCURACY, "{:.3f}".format, "R2"),
        ("seconds_fit", SPEED, number, "Time of fit, seconds"),
        ("seconds_predict", SPEED, number, "Time of predictions, seconds"),
    )
    return joined(
        cross(found, ("set", sets), ("model", {m: TITLES[m] for m in models}), field, form, title)
        for field, models, form, title in shown
    )


def regression_curve(results):
    """Times over the number of samples."""
    found = frame("regression_curve", results, failed=True)
    sizes = {n: count(n) for n in SIZES}
    models = {model: TITLES[model] for model in CURVE}
    return cross(
        found, ("n_train", sizes), ("model", models), "seconds_fit", seconds, corner="samples"
    )


def regression_outputs(results):
    """Times of one model of ten outputs and of ten models, and vectors that they store."""
    found = frame("regression_outputs", results)
    forms = {"seconds_fit": seconds, "seconds_predict": seconds, "n_vectors": count}
    titles = dict(zip(forms, ("fit", "predict", "stored vectors")))

    def cell(width, field):
        pair = (median(found, field, model=m, n_features=width) for m in OUTPUT_MODELS)
        return " / ".join(map(forms[field], pair))

    return cross_table("features", {width: count(width) for width in WIDTHS}, titles, cell)


STUDY = Study(
    steps={
        "regression_sets": step(regress, grid(set=SETS, model=MODELS), limit=LIMIT),
        "regression_curve": step(
            regress, grid(n_train=SIZES, model=CURVE), n_quick=len(CURVE), limit=LIMIT
        ),
        "regression_real": step(regress, grid(set=REAL_SETS, model=MODELS), limit=LIMIT),
        "regression_outputs": step(
            regress_outputs, grid(n_features=WIDTHS, model=OUTPUT_MODELS), limit=LIMIT
        ),
    },
    tables=named(regression_sets, regression_curve, regression_outputs),
)
