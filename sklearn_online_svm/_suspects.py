"""Detection of suspicious labels by the margin: a method of the classifiers.

They have ``_class_scores``, which returns decision values of all problems as an object that has
``margins``; those that can leave out a training sample have ``_held_out``, which does so. Labels
with a margin below -1 are suspicious; with the ramp loss, which is constant for smaller margins,
below ``ramp_s``.
"""

from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ._validation import encode_labels

# Tolerance of problems without a sample, in multiples of ``tol`` (see ``Training.tolerance``).
# With the default of ``tol``, a tighter one takes twice as long and finds no more wrong labels.
LOOSE = 100.0


def suspect_labels(self, X, y, *, n_suspects=None, return_margins=False):
    r"""Find the samples whose label the model contradicts most.

    A sample with a margin :math:`y f(x)` far below 0 is confidently assigned to another class, so
    its label may be wrong. For the training samples, all of them in their order, ``LASVC`` and
    ``ActiveLASVC`` with the hinge loss judge each label by a model that was trained without it, as
    :meth:`~sklearn_online_svm.LASVC.leave_one_out_decision_function` does, but with the tolerance
    ``max(10 * tol, min(100 * tol, 0.1))``. Other models contradict their own training labels if
    these have little influence: kernel models with the ramp loss (``algorithm="lasvm-nc"`` or
    ``"lasvm-i"``, ``RampSVC``), and linear models with AROW, a small ``C`` or averaging.

    With two or three classes, leaving out each training sample takes as long as 3 to 10 fits, with
    26 classes and 1000 samples as long as 37 (0.4 seconds). The work is limited, so with 20 000
    samples the factor is only 2 to 3.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples, from the training set or not; with a precomputed kernel, their kernel values.
    y : array-like of shape (n_samples,)
        Labels to check.
    n_suspects : int, default=None
        Number of samples to return, smallest margin first. If None, all samples with a margin
        below ``ramp_s`` (kernel models) or -1 (linear models).
    return_margins : bool, default=False
        Whether to also return the margins of these samples.

    Returns
    -------
    suspects : ndarray of shape (n_suspects,)
        Indices into X, the most suspicious first.
    margins : ndarray of shape (n_suspects,)
        :math:`y f(x)`, of training samples as above; with several classes half the difference
        between the decision value of the given class and the largest of the others; with
        ``multi_class="ovo"`` the smallest :math:`y f(x)` over the pairs of the given class with
        the others, whatever ``decision_function_shape`` is. Only returned if
        ``return_margins=True``.

    Raises
    ------
    NotFittedError
        If the estimator is not fitted.
    ValueError
        If the input is invalid, a label is not in ``classes_``, or ``n_suspects`` is negative
        or not an integer.
    """
    check_is_fitted(self)
    if n_suspects is not None and (not isinstance(n_suspects, Integral) or n_suspects < 0):
        raise ValueError(f"n_suspects must be an integer >= 0 or None, got {n_suspects!r}.")
    view = self._view()
    scores = view._decision_values(X)
    y = column_or_1d(y)
    check_consistent_length(scores, y)
    codes = encode_labels(y, view.classes_)
    if hasattr(view, "_held_out"):
        scores = view._held_out(X, codes, scores, LOOSE)
    margins = view._class_scores(scores).margins(codes)
    suspects = np.argsort(margins, kind="stable")
    if n_suspects is None:
        # The estimator of a compressed model has the parameter.
        default = getattr(getattr(self, "estimator", None), "ramp_s", -1.0)
        n_suspects = np.count_nonzero(margins < getattr(self, "ramp_s", default))
    suspects = suspects[:n_suspects]
    return (suspects, margins[suspects]) if return_margins else suspects


def margins(scores, codes):
    """Return margins from decision values of one problem, or one for each class."""
    if scores.shape[1] == 1:
        return np.where(codes == 1, scores[:, 0], -scores[:, 0])
    own = np.arange(len(codes)), codes
    others = scores.copy()
    others[own] = -np.inf
    return 0.5 * (scores[own] - others.max(axis=1))
