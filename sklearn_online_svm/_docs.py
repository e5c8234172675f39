"""Parts of docstrings that several classes share, and the function that inserts them."""

import inspect
from functools import partial
from string import Template


def filled_docs(cls, parts):
    """Replace placeholders, such as ``$samples``, in the docstrings of a class and its methods."""
    for documented in (cls, *vars(cls).values()):
        while documented is not None:
            text = documented.__doc__ or ""  # python -OO removes docstrings
            if "$" in text:
                text = inspect.cleandoc(text)
                while "$" in text:  # parts have placeholders, too
                    text = Template(text).substitute(parts)
                documented.__doc__ = text + "\n"
            documented = getattr(documented, "__wrapped__", None)
    return cls


# For all modules; kernel/_docs.py and linear/_docs.py add parts of their models.
SHARED = {
    "samples": """Parameters
----------
X : {array-like, sparse matrix} of shape (n_samples, n_features)
    Samples.""",
    "labeled_samples": """Parameters
----------
X : {array-like, sparse matrix} of shape (n_samples, n_features)
    Training samples.
y : array-like of shape (n_samples,)
    Class labels.""",
    # For models that train another estimator.
    "passed_weights": """sample_weight : array-like of shape (n_samples,), default=None
    Per-sample weights, passed to the estimator; with metadata routing enabled, only if it
    requests them.""",
    "fit_alias": """**params : dict of str -> array-like of shape (n_samples,)
    Sample weights under the alias that ``estimator`` requests with
    ``set_fit_request``. Only with metadata routing enabled.""",
    "partial_fit_alias": """**params : dict of str -> array-like of shape (n_samples,)
    Sample weights under the alias that ``estimator`` requests with
    ``set_partial_fit_request``. Only with metadata routing enabled.""",
    "fitted_self": """Returns
-------
self : object
    Fitted estimator.""",
    "probabilities": """Returns
-------
probabilities : ndarray of shape (n_samples, n_classes)
    Probability of each class, in the order of ``classes_``.""",
    "log_probabilities": """Returns
-------
log_probabilities : ndarray of shape (n_samples, n_classes)
    Logarithm of the probability of each class, in the order of ``classes_``.""",
    "not_fitted": """Raises
------
NotFittedError
    If the estimator is not fitted.""",
    "errors": """$not_fitted
ValueError
    If the input is invalid.""",
    "argument_not_fitted": """Raises
------
NotFittedError
    If `estimator` is not fitted.""",
    "features": """n_features_in_ : int
    Number of features seen during fit.
feature_names_in_ : ndarray of shape (n_features,)
    Names of the features seen during fit. Defined only when X has string column names.""",
}

with_shared_docs = partial(filled_docs, parts=SHARED)
