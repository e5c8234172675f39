"""Models for text, with their titles; all but LASVC are linear."""

from functools import partial

from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import ComplementNB
from sklearn.svm import LinearSVC

from sklearn_online_svm import (
    AROWClassifier,
    ConfidenceWeightedClassifier,
    PassiveAggressiveClassifier,
)

ONE_PASS = dict(max_iter=1, tol=None)
# Titles, and functions of a seed.
LINEAR = {
    "arow_once": ("AROW, one pass", partial(AROWClassifier, **ONE_PASS)),
    "cw_once": ("CW, one pass", partial(ConfidenceWeightedClassifier, **ONE_PASS)),
    "pa_once": (
        "PA, one pass",
        partial(
            PassiveAggressiveClassifier, multi_class="crammer_singer", average=True, **ONE_PASS
        ),
    ),
    "arow": ("AROW, until convergence", partial(AROWClassifier, max_iter=1000)),
    "linear_svc": ("``LinearSVC``", LinearSVC),
    "sgd": ("``SGDClassifier``", SGDClassifier),
    "logistic": ("``LogisticRegression``", partial(LogisticRegression, C=10)),
    "bayes": ("``ComplementNB``", lambda random_state: ComplementNB()),
}
TITLES = {name: title for name, (title, _) in LINEAR.items()} | {"lasvc": "``LASVC``"}


def builder(name):
    """Return a function of a setting, as `models.build` needs it."""
    make = LINEAR[name][1]
    return lambda setting: make(random_state=setting.seed)
