"""The space in which a classifier draws its hyperplane: its kernel, and angles between rows."""

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array

# Kernel values K(x, x) come from blocks of so many rows: whatever the kernel, it is called with
# two sets of rows.
_BLOCK = 64


def taken_apart(model):
    """Return what rows pass through before they are scored, and who scores them.

    Parameters
    ----------
    model : fitted classifier
        Also a pipeline, a search, or another model around one.

    Returns
    -------
    transformers : list
    classifier : classifier
    """
    transformers = []
    while True:
        if isinstance(model, Pipeline):
            transformers += [step for _, step in model.steps[:-1] if hasattr(step, "transform")]
            model = model.steps[-1][1]
        elif hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "estimator_"):
            if hasattr(model, "transform"):  # it selects features
                transformers.append(model)
            model = model.estimator_
        else:
            return transformers, model


class Kernel:
    """A kernel as a function of two sets of rows; its values are float64, and dense.

    Parameters
    ----------
    kernel : str or callable, default="linear"
        One of the kernels of SVC, or a function of two sets of rows; not "precomputed".
    gamma : float, default=None
        Not "scale", nor "auto": what they came to.
    degree : int, default=3
    coef0 : float, default=0.0
    """

    def __init__(self, kernel="linear", gamma=None, degree=3, coef0=0.0):
        self.kernel = kernel
        self._parameters = dict(gamma=gamma, degree=degree, coef0=coef0)

    @classmethod
    def of(cls, classifier, purpose, or_else=""):
        """Return the kernel of a fitted classifier.

        Parameters
        ----------
        classifier : fitted classifier
            A linear one that has coef_ instead has the linear kernel.
        purpose : str
            Who wants to know; begins the messages of errors.
        or_else : str, default=""
            What to do other than to give a kernel; ends them.
        """
        name = type(classifier).__name__
        kernel = getattr(classifier, "kernel", None)
        if kernel is None:
            if not hasattr(classifier, "coef_"):
                raise ValueError(
                    f"{purpose} needs the space in which rows are separated, but {name} has "
                    "neither a kernel nor coef_. Use a support vector machine or a linear model"
                    f"{or_else}."
                )
            return cls()
        if isinstance(kernel, str) and kernel == "precomputed":
            raise ValueError(
                f"{purpose} needs kernel values between any rows, but with kernel='precomputed' "
                f"{name} is given only those with the rows of fit. Give the kernel as "
                f"a function{or_else}."
            )
        # What "scale" and "auto" came to: in models of this package gamma_, in scikit-learn's
        # _gamma.
        gamma = getattr(classifier, "gamma_", getattr(classifier, "_gamma", None))
        if gamma is None:
            gamma = getattr(classifier, "gamma", None)
        if isinstance(gamma, str) and not callable(kernel) and kernel != "linear":
            raise ValueError(
                f"{purpose} needs the kernel of {name}, which does not tell what gamma={gamma!r} "
                f"came to. Give gamma a number{or_else}."
            )
        degree, coef0 = getattr(classifier, "degree", 3), getattr(classifier, "coef0", 0.0)
        return cls(kernel, gamma, degree, coef0)

    @property
    def orders_like_input(self):
        """Whether of two rows the closer one in kernel space is the closer one in X, too."""
        return isinstance(self.kernel, str) and self.kernel in ("linear", "rbf")

    def __call__(self, A, B):
        if callable(self.kernel):
            values = self.kernel(A, B)
        else:
            values = pairwise_kernels(
                A, B, metric=self.kernel, filter_params=True, **self._parameters
            )
        if sparse.issparse(values):
            values = values.toarray()
        return np.asarray(values, dtype=np.float64)

    def diagonal(self, rows):
        """K(x, x) of each row."""
        n = rows.shape[0]
        blocks = (rows[start : start + _BLOCK] for start in range(0, n, _BLOCK))
        return np.concatenate([self(block, block).diagonal() for block in blocks])


class Angles:
    """Cosines between rows in the kernel space of a classifier; of a linear one, plain cosines.

    Where K(x, x) is 0 (or, with kernels that are none, negative) there is no angle: the cosine
    counts as 0.

    Parameters
    ----------
    model : fitted classifier
    rows : {array-like, sparse matrix} of shape (n_samples, n_features)
    """

    def __init__(self, model, rows):
        transformers, classifier = taken_apart(model)
        self._kernel = Kernel.of(classifier, "diversity", ", or use diversity=0")
        for transformer in transformers:
            rows = transformer.transform(rows)
        self._rows = check_array(rows, accept_sparse="csr", dtype=[np.float64, np.float32])
        self._squares = self._kernel.diagonal(self._rows)

    def cosines(self, i):
        """|cos| of the angle of each row with row i."""
        values = np.abs(self._kernel(self._rows, self._rows[i : i + 1])[:, 0])
        squares = self._squares * self._squares[i]
        known = (self._squares > 0) & (squares > 0)
        cosines = np.zeros(len(values))
        cosines[known] = values[known] / np.sqrt(squares[known])
        return cosines
