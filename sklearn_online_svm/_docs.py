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
    "errors": """Raises
------
NotFittedError
    If the estimator is not fitted.
ValueError
    If the input is invalid.""",
    "features": """n_features_in_ : int
    Number of features seen during fit.
feature_names_in_ : ndarray of shape (n_features,)
    Names of the features seen during fit. Defined only when X has string column names.""",
}

with_shared_docs = partial(filled_docs, parts=SHARED)
