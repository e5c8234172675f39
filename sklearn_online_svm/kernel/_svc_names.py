"""What SVC has and these models do not: an error that names what to use instead."""

import functools

PROBABILITIES = (
    "use decision_function, or CalibratedClassifierCV(estimator, ensemble=False) for probabilities"
)

# Keywords of SVC without a counterpart.
KEYWORDS = {
    "probability": PROBABILITIES,
    "decision_function_shape": (
        "decision_function has one column for each class, as with 'ovr'; for 'ovo' use "
        "OneVsOneClassifier(estimator)"
    ),
    "break_ties": "predict is the class of the largest decision value, as with break_ties=True",
}


def without_keywords_of_svc(init):
    """Decorate ``__init__``: a keyword of SVC that it does not take is refused with advice.

    The signature, from which scikit-learn reads the parameters, stays that of ``init``.
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
