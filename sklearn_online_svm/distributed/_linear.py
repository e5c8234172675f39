"""Training of linear models on a cluster, by mixing models of partitions after each epoch."""

import copy
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.base import clone, is_classifier

from .._optional import import_optional
from .._sklearn_compat import Interval, validated
from .._validation import check_labels
from ..linear import AdvicePassiveAggressiveClassifier, LocalOnlineClassifier
from ..linear._model import LinearModel
from ._partitions import as_partitions, reduced

# They have further state, whose mean is not the state of a model.
_NOT_MIXED = AdvicePassiveAggressiveClassifier, LocalOnlineClassifier


@validated(
    skip_nested=False,
    epochs=[Interval(Integral, 1, None, closed="left")],
    classes=["array-like", None],
)
def fit_linear(estimator, X, y=None, *, sample_weight=None, epochs=1, classes=None):
    r"""Fit a linear model on the workers of a dask cluster.

    In each epoch, a copy of the model is trained on each partition with ``partial_fit``, and the
    copies are then mixed, that is, combined into one model [1]_.

    Parameters
    ----------
    estimator : linear classifier or regressor of this package
        Model to clone and fit; it is not changed. ``LocalOnlineClassifier``,
        ``AdvicePassiveAggressiveClassifier``, and models with ``average`` cannot be mixed.
    X : dask array of shape (n_samples, n_features), dask DataFrame, or list of Delayed
        Training samples, in random order. The number of samples of a partition may be unknown.
        The elements of a list are delayed pairs ``(X, y)`` or triples ``(X, y, sample_weight)``,
        such as those of :func:`read_partitions`.
    y : dask array of shape (n_samples,), dask Series, or str, default=None
        Class labels or target values, or the name of their column of `X`. None if `X` is a list.
    sample_weight : dask array of shape (n_samples,) or dask Series, default=None
        Per-sample weights.
    epochs : int, default=1
        Number of epochs.
    classes : array-like of shape (n_classes,), default=None
        All classes. None: the labels are read once more, to determine them.

    Returns
    -------
    estimator : linear classifier or regressor of this package
        A fitted clone of `estimator`, which continues with ``partial_fit``.

    Raises
    ------
    ImportError
        If dask is not installed.
    TypeError
        If `estimator` cannot be mixed, or if `X`, `y` or `sample_weight` has another type.
    ValueError
        If a parameter or the input is invalid, or if partitions do not match.

    See Also
    --------
    sklearn_online_svm.readers.fit_stream : Training on one machine, from files.
    predict : Predictions on a cluster.

    Notes
    -----
    The active scheduler of dask is used: that of the last ``distributed.Client``, or threads.

    The mixed weights are the mean of the weights of the copies, weighted by the number of samples
    of the partitions. If a model has a covariance of the weights, the copies are Gaussian
    distributions, and the mixed model is their product, with the common prior divided out: from
    means :math:`\mu_0` and covariances :math:`\Sigma_0` before the epoch, and :math:`\mu_k`,
    :math:`\Sigma_k` of partition k after it,

    .. math::

       \Sigma^{-1} = \Sigma_0^{-1} + \sum_k (\Sigma_k^{-1} - \Sigma_0^{-1}), \qquad
       \Sigma^{-1} \mu = \Sigma_0^{-1} \mu_0 + \sum_k (\Sigma_k^{-1} \mu_k - \Sigma_0^{-1} \mu_0) .

    In the second and later epochs, when partitions no longer have independent information,
    :math:`\mu = (\sum_k \Sigma_k^{-1})^{-1} \sum_k \Sigma_k^{-1} \mu_k`.

    With a single partition, the model is that of ``partial_fit``. The model depends on the
    partitions, not on the number of workers. The error usually grows with the number of
    partitions, and may fall with more epochs.

    Read more in the :ref:`user guide <distributed>`.

    References
    ----------
    .. [1] R. McDonald, K. Hall, G. Mann: Distributed training strategies for the structured
       perceptron. NAACL 2010.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_online_svm import AROWClassifier
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> from sklearn_online_svm.distributed import fit_linear
    >>> X, y = make_waveform(4000, random_state=0)
    >>> X, y = da.from_array(X, chunks=(1000, 21)), da.from_array(y, chunks=1000)
    >>> model = fit_linear(AROWClassifier(), X, y)
    >>> model.t_
    4001.0
    """
    dask = import_optional("dask", "fit_linear")
    if not isinstance(estimator, LinearModel) or isinstance(estimator, _NOT_MIXED):
        raise TypeError(
            "estimator must be a linear model of this package without advice or local models, got "
            f"{type(estimator).__name__}."
        )
    if getattr(estimator, "average", False):
        raise ValueError(
            f"average must be False, got {estimator.average!r}: the mean over partitions takes "
            "its place."
        )
    estimator = clone(estimator)
    partitions = as_partitions(X, y, sample_weight, "fit_linear")
    if classes is None and is_classifier(estimator):
        found = [dask.delayed(_classes)(part) for part in partitions]
        classes = dask.compute(reduced(found, _union))[0]
    for _ in range(epochs):
        shared = dask.delayed(estimator, traverse=False)
        changes = [dask.delayed(_trained)(shared, part, classes) for part in partitions]
        change = dask.compute(reduced(changes, _sum))[0]
        if change is None:
            raise ValueError("Found 0 samples in all partitions; at least 1 is required.")
        estimator = _mixed(estimator, change)
    estimator.n_iter_ = epochs
    return estimator


def _classes(part):
    labels = np.asarray(part[1])
    if not len(labels):
        return None
    check_labels(labels)
    return np.unique(labels)


def _union(parts):
    found = [part for part in parts if part is not None]
    return np.unique(np.concatenate(found)) if found else None


@dataclass
class _Change:
    """Sum of the changes by some partitions in an epoch."""

    # The model of the first of them.
    model: LinearModel
    n_models: int
    n_samples: int
    parameters: dict
    counters: dict


def _trained(estimator, part, classes):
    """Train a copy on a partition; return the change, or None without samples."""
    X, y, weights = part
    n_samples = X.shape[0]
    if not n_samples:
        return None
    model = copy.deepcopy(estimator)
    given = {"sample_weight": weights} if weights is not None else {}
    if classes is not None:
        given["classes"] = classes
    model.partial_fit(X, y, **given)
    state, before = model._state, _state_before(estimator, model)
    former = _additive(before.arrays)
    factor = 1 if _is_gaussian(state.arrays) else n_samples
    parameters = {
        name: factor * (values - former[name]) for name, values in _additive(state.arrays).items()
    }
    counters = {name: value - before.counters[name] for name, value in state.counters.items()}
    return _Change(model, 1, n_samples, parameters, counters)


def _state_before(estimator, model):
    """Return the state of the estimator, or that of the model before its first sample."""
    if "_state" in vars(estimator):
        return estimator._state
    state = model._state
    return type(state)(state.update_spec, *state.shape, state.dtype, state.sparse)


def _sum(changes):
    changes = [change for change in changes if change is not None]
    if len(changes) < 2:
        return changes[0] if changes else None
    first = changes[0]
    for change in changes:
        found, n_features = change.model.n_features_in_, first.model.n_features_in_
        if found != n_features:
            raise ValueError(
                f"Partitions have different numbers of features: {n_features} and {found}."
            )

    def total(name):
        parts = [getattr(change, name) for change in changes]
        return {key: sum(part[key] for part in parts) for key in parts[0]}

    return _Change(
        first.model,
        sum(change.n_models for change in changes),
        sum(change.n_samples for change in changes),
        total("parameters"),
        total("counters"),
    )


def _mixed(estimator, change):
    """Return the model after the changes by all partitions."""
    model = change.model
    if change.n_models == 1:
        return model
    before = _state_before(estimator, model)
    stored = model._state.as_dict()
    arrays, former = stored["arrays"], _additive(before.arrays)
    if _is_gaussian(arrays):
        changed = {name: value + change.parameters[name] for name, value in former.items()}
        found = _plain(changed, arrays)
        if before is estimator.__dict__.get("_state"):
            # In later epochs all partitions correct the same errors again. The product would add
            # up these corrections, which diverges; the mean weighted with precisions does not.
            again = {
                name: change.n_models * value + change.parameters[name]
                for name, value in former.items()
            }
            found |= {name: _plain(again, arrays)[name] for name in _PAIRS}
    else:
        found = {
            name: value + change.parameters[name] / change.n_samples
            for name, value in former.items()
        }
    stored["arrays"] = {name: found[name].astype(array.dtype) for name, array in arrays.items()}
    counters = before.counters
    stored["moved"] = {name: counters[name] + value for name, value in change.counters.items()}
    model._state = type(model._state).from_dict(stored)
    return model


# ----------------------------------------------------------------------------- Gaussian parameters

_PAIRS = {"coef": "variances", "intercept": "intercept_variances"}


def _is_gaussian(arrays):
    return "variances" in arrays or "covariance" in arrays


def _additive(arrays):
    """Return the parameters of a model that are added up, as float64.

    These are the weights; for Gaussian models the precisions, and their products with the means.
    """
    means = {name: arrays[name].astype(np.float64) for name in _PAIRS}
    if "covariance" in arrays:
        precision = np.linalg.inv(arrays["covariance"])
        mean = np.column_stack([means["coef"], means["intercept"]])[:, : precision.shape[-1]]
        return {"precision": precision, "product": _times(precision, mean)}
    if "variances" not in arrays:
        return means
    precisions = {
        variances: 1.0 / np.maximum(arrays[variances], np.finfo(np.float32).tiny, dtype=np.float64)
        for variances in _PAIRS.values()
    }
    return precisions | {
        name: precisions[variances] * means[name] for name, variances in _PAIRS.items()
    }


def _plain(parameters, arrays):
    """Return the arrays of a Gaussian model with these parameters."""
    if "covariance" in arrays:
        covariance = np.linalg.inv(parameters["precision"])
        covariance = (covariance + covariance.swapaxes(1, 2)) / 2
        mean = _times(covariance, parameters["product"])
        n_features = arrays["coef"].shape[1]
        # Without an intercept, its mean is 0.
        intercept = mean[:, n_features:].sum(axis=1)
        return {"covariance": covariance, "coef": mean[:, :n_features], "intercept": intercept}
    found = {}
    for name, variances in _PAIRS.items():
        found[variances] = 1.0 / parameters[variances]
        found[name] = parameters[name] * found[variances]
    return found


def _times(matrices, vectors):
    return np.einsum("kij,kj->ki", matrices, vectors)
