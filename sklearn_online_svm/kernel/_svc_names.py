"""Parameters and methods of SVC that these models lack: errors that name the alternative."""

import functools

PROBABILITIES = (
    "use decision_function, or CalibratedClassifierCV(estimator, ensemble=False) for probabilities"
)

# Parameters of SVC without a counterpart.
KEYWORDS = {
    "probability": PROBABILITIES,
    "decision_function_shape": (
        "decision_function has one column for each class, as with 'ovr'; for 'ovo' use "
        "OneVsOneClassifier(estimator)"
    ),
    "break_ties": "predict uses the largest decision value, as with break_ties=True",
}


def without_keywords_of_svc(init):
    """Decorate ``__init__`` to raise a TypeError with advice for unsupported parameters of SVC.

    The signature, from which scikit-learn reads the parameters, remains that of ``init``.
    """

    @functools.wraps(init)
    def checked_init(self, *args, **kwargs):
        for name in KEYWORDS.keys() & kwargs.keys():
            raise TypeError(
                f"{type(self).__name__} got an unexpected keyword argument {name!r}: "
                f"{KEYWORDS[name]}."
            )
        init(self, *args, **kwargs)

    return checked_init
