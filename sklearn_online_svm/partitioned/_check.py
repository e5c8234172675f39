"""Check whether cells are probably less accurate than one model."""

import warnings

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state

# Training samples of the comparison: at most, at least, and the number of samples in all cells
# per sample of the comparison, so that it takes a small part of the time of fit.
MOST, LEAST, RATIO = 4000, 2000, 30
# Cells of the comparison have this share of its training samples.
SHARE_OF_CELL = 0.25
# Largest increase of the mean loss that is not reported. The ramp loss has less random variation
# than the error, and the error prevents reports of margins that do not change predictions.
LARGEST_INCREASES = {"error": 0.05, "ramp loss": 0.11, "squared error": 0.11}


def warn_if_inaccurate(model, X, y, weights, stacklevel):
    """Warn if cells are less accurate than one model, on a part of the samples.

    One model and smaller cells are trained on the same samples and compared on others. With few
    cells nothing is compared: the comparison would take as long as ``fit``, or be too uncertain.
    ``stacklevel`` counts from the caller, as in ``warnings.warn``.
    """
    n = min(MOST, model.cell_size, int(model.cell_sizes_.sum()) // RATIO)
    candidates = np.arange(X.shape[0]) if weights is None else np.flatnonzero(weights)
    estimator = _estimator_of_cell(model)
    if n < LEAST or len(candidates) < 2 * n or estimator is None:
        return
    random = check_random_state(model.random_state)
    rows = random.choice(candidates, 2 * n, replace=False)
    train, test = rows[:n], rows[n:]
    if is_classifier(model):
        test = test[np.isin(y[test], y[train])]
    if len(test) == 0 or (is_classifier(model) and len(np.unique(y[train])) < 2):
        return
    part = X[train], y[train], None if weights is None else weights[train]
    one = clone(model).set_params(estimator=estimator, cell_size=n)
    cells = clone(one).set_params(cell_size=int(SHARE_OF_CELL * n))
    losses = [
        _mean_losses(each._fit_part(*part), X[test], y[test], weights, test)
        for each in (one, cells)
    ]
    if all(
        losses[1][name] > (1 + LARGEST_INCREASES[name]) * losses[0][name] for name in losses[0]
    ):
        name = next(iter(losses[0]))
        warnings.warn(
            f"Cells are probably less accurate than one model. Trained on {n} of the samples, one "
            f"model has the mean {name} {losses[0][name]:.3g}, and cells of {cells.cell_size} "
            f"samples {losses[1][name]:.3g}. Increase cell_size={model.cell_size}, or fit "
            f"{type(estimator).__name__} to all samples; for thousands of features, a linear "
            "model.",
            UserWarning,
            stacklevel=stacklevel + 1,
        )


def _estimator_of_cell(model):
    """Return an unfitted estimator with the parameters of a cell; without its search, if any."""
    for fitted in model.estimators_:
        if hasattr(fitted, "get_params"):  # not that of a single class
            return clone(getattr(fitted, "best_estimator_", fitted))
    return None


def _mean_losses(model, X, y, weights, rows):
    """Return the mean of each loss by its name."""
    losses = _losses_of_classes if is_classifier(model) else _losses_of_values
    given = None if weights is None else weights[rows]
    return {
        name: np.average(values, weights=given) for name, values in losses(model, X, y).items()
    }


def _losses_of_classes(model, X, y):
    decision, codes = model.decision_function(X), np.searchsorted(model.classes_, y)
    if decision.ndim == 1:
        margin = np.where(codes == 1, decision, -decision)
    else:
        each = np.arange(len(y))
        own = decision[each, codes]
        decision[each, codes] = -np.inf
        margin = (own - decision.max(axis=1)) / 2
    return {
        "error": (margin <= 0).astype(np.float64),
        "ramp loss": np.clip((1 - margin) / 2, 0, 1),
    }


def _losses_of_values(model, X, y):
    return {"squared error": ((model.predict(X) - y) ** 2).reshape(len(y), -1).mean(axis=1)}
