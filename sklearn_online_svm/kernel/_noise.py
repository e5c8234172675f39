"""Noise of the targets, and the epsilon that suits it."""

import numpy as np
from scipy.linalg import eigh

# Maximum number of samples for the estimate of the noise.
MAX_SAMPLES = 1000
# Values of the regularization of kernel ridge regression, relative to the mean eigenvalue.
_RIDGES = np.logspace(-6, 3, 19)


def automatic_epsilon(kernel, targets, rows):
    """Return epsilon for the samples in ``rows``, in random order, from the noise of the targets.

    ``3 sigma sqrt(log(n) / n)`` (Cherkassky and Ma 2004, eq. 13) for the smallest noise sigma of
    an output; ``kernel`` is a :class:`KernelValues`, ``targets`` has shape (n_samples, n_outputs).
    """
    n, rows = len(rows), np.sort(rows[:MAX_SAMPLES])
    K = np.ascontiguousarray(kernel(rows, rows), dtype=np.float64)
    sigma = noise(K, targets[rows])
    return float(3.0 * sigma.min() * np.sqrt(np.log(n) / n))


def noise(K, targets):
    """Estimate the standard deviation of the noise in each column of the targets.

    It is that of the residuals of kernel ridge regression, over n minus the effective number of
    parameters; the regularization is selected by generalized cross-validation (Golub, Heath and
    Wahba 1979).
    """
    n = len(targets)
    centred = targets - targets.mean(axis=0)
    K = K - K.mean(axis=0)
    K -= K.mean(axis=1, keepdims=True)
    values, vectors = eigh(0.5 * (K + K.T))
    values = np.maximum(values, 0.0)
    squares = (vectors.T @ centred) ** 2
    # The constant is a parameter, too: its eigenvalue is 0 after centring, and its share 0.
    ridges = _RIDGES * max(values.mean(), np.finfo(float).tiny)
    left = ridges[:, np.newaxis] / (values + ridges[:, np.newaxis])
    freedom = np.maximum(left.sum(axis=1) - 1.0, 1e-3)[:, np.newaxis]
    variance = left**2 @ squares / freedom
    best = np.argmin(variance / freedom, axis=0)
    return np.sqrt(variance[best, np.arange(targets.shape[1])]) if n > 1 else np.zeros(1)
