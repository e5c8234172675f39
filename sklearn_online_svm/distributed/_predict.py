"""Predictions by partitions, on a cluster."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._optional import import_optional


def predict(model, X, *, method="predict"):
    """Predict on the workers of a dask cluster, one partition at a time.

    Parameters
    ----------
    model : estimator
        Any fitted estimator.
    X : dask array of shape (n_samples, n_features) or dask DataFrame
        Samples. The number of samples of a partition may be unknown.
    method : str, default="predict"
        Name of the method of `model`, such as ``"decision_function"`` or ``"predict_proba"``.

    Returns
    -------
    values : dask array, dask Series or dask DataFrame
        Predictions, computed when they are needed: a dask array for a dask array. For a dask
        DataFrame a Series, or a DataFrame if there are several values per sample.

    Raises
    ------
    ImportError
        If dask is not installed.
    NotFittedError
        If `model` is not fitted.
    TypeError
        If `X` has another type.
    ValueError
        If `model` has no such method, or if X is invalid.

    See Also
    --------
    fit_cells : Fit one model per cell on a cluster.

    Notes
    -----
    The model is sent to each worker once. It must be able to predict a sample of zeros, from which
    the shape and the dtype of the predictions are taken.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.distributed import predict
    >>> X, y = make_banana_like(1000, random_state=0)
    >>> model = LASVC(random_state=0).fit(X, y)
    >>> labels = predict(model, da.from_array(X, chunks=(250, 2)))
    >>> labels.chunks
    ((250, 250, 250, 250),)
    >>> bool((labels.compute() == model.predict(X)).all())
    True
    """
    dask = import_optional("dask", "predict")
    check_is_fitted(model)
    if not callable(getattr(model, method, None)):
        raise ValueError(f"{type(model).__name__} has no method {method!r}.")
    shared = dask.delayed(model, traverse=False)
    if hasattr(X, "map_partitions"):
        example = _of_frame(X._meta_nonempty, model=model, method=method)
        return X.map_partitions(
            _of_frame, model=shared, method=method, example=example, meta=example[:0]
        )
    if not hasattr(X, "map_blocks"):
        raise TypeError(f"X must be a dask array or a dask DataFrame, got {type(X).__name__}.")
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    example = getattr(model, method)(np.zeros((1, X.shape[1]), X.dtype))
    one_value = example.ndim == 1
    return X.map_blocks(
        _of_array,
        model=shared,
        method=method,
        example=example,
        dtype=example.dtype,
        meta=example[:0],
        drop_axis=[1] if one_value else None,
        chunks=None if one_value else (X.chunks[0], example.shape[1]),
    )


def _of_array(X, model, method, example):
    # scikit-learn refuses an array without samples.
    return getattr(model, method)(X) if X.shape[0] else example[:0]


def _of_frame(frame, model, method, example=None):
    pandas = import_optional("pandas", "predict")
    if example is not None and not len(frame):
        return example[:0]
    values = getattr(model, method)(frame)
    if values.ndim == 1:
        return pandas.Series(values, index=frame.index, name=method)
    classes = getattr(model, "classes_", ())
    columns = classes if len(classes) == values.shape[1] else None
    return pandas.DataFrame(values, index=frame.index, columns=columns)
