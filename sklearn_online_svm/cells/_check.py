"""Check whether cells are probably less accurate than one model."""

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state

from .. import _limits
from .._chunks import selected
from .._threads import warn

# Cells of the comparison have this share of its training samples.
SHARE_OF_CELL = 0.25
# Increase of the mean loss that is not reported; nor is one below two standard errors.
LARGEST_INCREASE = 0.02


def warn_if_inaccurate(model, X, y, weights):
    """Warn if cells are less accurate than one model, on a part of the samples.

    One model and smaller cells are trained on the same samples and compared on others. With few
    samples nothing is compared: the result would be too uncertain.
    """
    n_in_cells = int(model.cell_sizes_.sum())
    most = min(_limits.MOST_COMPARED, n_in_cells // _limits.CELL_SAMPLES_PER_COMPARED)
    n = min(most, model.cell_size)
    candidates = np.arange(X.shape[0]) if weights is None else np.flatnonzero(weights)
    estimator = _estimator_of_cell(model)
    if n < _limits.LEAST_COMPARED or len(candidates) < 2 * n or estimator is None:
        return
    random = check_random_state(model.random_state)
    rows = random.choice(candidates, min(4 * n, len(candidates)), replace=False)
    train, test = rows[:n], rows[n:]
    if is_classifier(model):
        test = test[np.isin(y[test], y[train])]
    if len(test) == 0 or (is_classifier(model) and len(np.unique(y[train])) < 2):
        return
    part = selected(train, X, y, weights)
    one = clone(model).set_params(estimator=estimator, cell_size=n)
    cells = clone(one).set_params(cell_size=int(SHARE_OF_CELL * n))
    of_one, of_cells = (_losses(each._fit_part(*part), X[test], y[test]) for each in (one, cells))
    shares = np.ones(len(test)) if weights is None else weights[test]
    shares = shares / shares.sum()
    before, increase = shares @ of_one, shares @ (of_cells - of_one)
    deviation = np.linalg.norm(shares * (of_cells - of_one - increase))
    if increase > max(LARGEST_INCREASE * before, 2 * deviation):
        name = "error" if is_classifier(model) else "squared error"
        warn(
            f"Cells are probably less accurate than one model. Trained on {n} of the samples, one "
            f"model has the mean {name} {before:.3g}, and cells of {cells.cell_size} samples "
            f"{before + increase:.3g}. Increase cell_size={model.cell_size} or "
            f"overlap={model.overlap}, or fit {type(estimator).__name__} to all samples; for "
            "thousands of features, a linear model."
        )


def _estimator_of_cell(model):
    """Return an unfitted estimator with the parameters of a cell; without its search, if any."""
    for fitted in model.estimators_:
        if hasattr(fitted, "get_params"):  # not that of a single class
            return clone(getattr(fitted, "best_estimator_", fitted))
    return None


def _losses(model, X, y):
    """Return 0 or 1 for each label, the squared error for each target value."""
    predicted = model.predict(X)
    if is_classifier(model):
        return (predicted != y).astype(np.float64)
    return ((predicted - y) ** 2).reshape(len(y), -1).mean(axis=1)
