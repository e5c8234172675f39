"""Classifier for ASReview, found through its entry point ``asreview.models.classifiers``."""

from .linear import PassiveAggressiveClassifier

__all__ = ["OnlineSVM"]


class OnlineSVM(PassiveAggressiveClassifier):
    """Linear support vector machine for ASReview, trained in a few epochs.

    It has the loss, the value of ``C`` and the use of class weights of the linear SVM that is the
    default of ASReview 3: the squared hinge loss, ``C=0.11``, and weights that ASReview computes
    for all labels at each fit. The solver differs: a few epochs of averaged passive-aggressive
    updates (PA-II), whose number does not depend on the data. ASReview finds the class by the
    name ``"online-svm"``. Read more in :ref:`partners`.

    Parameters
    ----------
    C : float, default=0.11
        Weight of the squared loss in each update.
    max_iter : int, default=5
        Number of epochs of each fit.
    random_state : int, RandomState instance or None, default=0
        Seed of the order of the samples.

    See Also
    --------
    sklearn_online_svm.PassiveAggressiveClassifier : The model, with all its parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm.asreview import OnlineSVM
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> model = OnlineSVM().fit(X, X[:, 0] > 0)
    >>> model.decision_function(X).shape
    (100,)
    """

    name = "online-svm"
    label = "Online SVM"

    def __init__(self, *, C=0.11, max_iter=5, random_state=0):
        super().__init__(
            C=C,
            loss="squared_hinge",
            average=True,
            max_iter=max_iter,
            tol=None,
            random_state=random_state,
        )
