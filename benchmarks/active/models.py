"""Loops that query labels one after the other, and training with a warm start."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from sklearn_online_svm.active import MarginSampling


class PartialFit:
    """LASVC and MarginSampling: each label is used once."""

    def __init__(self, work, X, y, first, seed, pool_size):
        self.X, self.y = X, y
        self.free = np.ones(len(y), dtype=bool)
        self.free[first] = False
        self.strategy = MarginSampling(pool_size, random_state=seed)
        self.model = self.begin(work, first, seed)

    def begin(self, work, first, seed):
        model = LASVC(C=work.C, gamma=work.gamma, random_state=seed)
        return model.partial_fit(self.X[first], self.y[first], classes=[-1, 1])

    def step(self):
        chosen = self.strategy.query(self.model, self.X, candidates=self.free)
        self.free[chosen] = False
        self.learn(chosen)

    def learn(self, chosen):
        self.model.partial_fit(self.X[chosen], self.y[chosen])

    def classifier(self):
        return self.model


class Refit(PartialFit):
    """SVC is refitted for each label, as modAL's ``teach`` does."""

    make = SVC

    def begin(self, work, first, seed):
        self.known = list(first)
        return self.make(C=work.C, gamma=work.gamma).fit(self.X[first], self.y[first])

    def learn(self, chosen):
        self.known.extend(chosen)
        self.model.fit(self.X[self.known], self.y[self.known])


class WarmStarted(LASVC):
    """The optimum of SVC, where `fit` starts from the optimum over the first of its samples.

    It learns the samples that it does not know, then those outside the support set that violate
    their constraint, until there are none.
    """

    def fit(self, X, y):
        if not hasattr(self, "stream_"):
            self.stream_ = []
        violating = np.arange(len(set(self.stream_)), len(y))
        while len(violating):
            self.partial_fit(X[violating], y[violating], classes=np.unique(y)).finish()
            self.stream_.extend(violating)
            outside = np.setdiff1d(np.arange(len(y)), np.take(self.stream_, self.support_))
            if not len(outside):
                break
            margins = y[outside] * self.decision_function(X[outside])
            violating = outside[margins < 1 - self.tol]
        return self


class Retrain(Refit):
    """The optimum over all labelled samples, from the optimum before the latest label."""

    make = WarmStarted


class ScikitActiveml:
    """Its own strategy, which needs probabilities and fits the model itself."""

    def __init__(self, work, X, y, first, seed):
        from skactiveml.classifier import SklearnClassifier
        from skactiveml.pool import UncertaintySampling

        # Probabilities of SVC will be gone with scikit-learn 1.11.
        warnings.simplefilter("ignore", FutureWarning)
        # It takes no sparse arrays.
        self.X, self.y = X.toarray() if sparse.issparse(X) else X, y
        self.labels = np.full(len(y), np.nan)
        self.labels[first] = y[first]
        svc = SVC(C=work.C, gamma=work.gamma, probability=True, random_state=seed)
        self.model = SklearnClassifier(svc, classes=[-1, 1], random_state=seed)
        self.strategy = UncertaintySampling(method="margin_sampling", random_state=seed)

    def step(self):
        chosen = self.strategy.query(self.X, self.labels, self.model)
        self.labels[chosen] = self.y[chosen]

    def classifier(self):
        return self.model.fit(self.X, self.labels)


LOOPS = {
    "partial_fit": lambda *given: PartialFit(*given, 59),
    "partial_fit_all": lambda *given: PartialFit(*given, "all"),
    "partial_fit_random": lambda *given: PartialFit(*given, 1),
    "refit": lambda *given: Refit(*given, 59),
    "refit_all": lambda *given: Refit(*given, "all"),
    "scikit_activeml": ScikitActiveml,
}
