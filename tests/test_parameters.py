"""Parameters that are changed between two calls of partial_fit, for every estimator.

A new value takes effect, is rejected by name, or concerns only ``fit`` or the running time.
"""

import copy
import pickle
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.linear_model import SGDClassifier

import sklearn_online_svm as package
from sklearn_online_svm import (
    LASVC,
    LASVR,
    ActiveLASVC,
    Advice,
    AdvicePassiveAggressiveClassifier,
    AROWClassifier,
    ColumnKernel,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    LabelEfficientClassifier,
    LocalOnlineClassifier,
    OneClassLASVM,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
    VirtualLASVC,
    active,
)
from sklearn_online_svm.active import AllQuery, MarginQuery, RandomQuery
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from tests.support.samples import two_classes

X, Y = two_classes(300, noise=1.0)
CODES = (Y == "yes").astype(int)

RULES = [
    Advice.from_conditions({0: (">=", 1)}, range(X.shape[1]), 1),
    Advice.from_conditions({0: ("<=", -1), 1: (-1, 1)}, range(X.shape[1]), 0),
]

TAKEN_UP = "takes effect"
REFUSED = "rejected"
NOT_OF_STREAMS = "fit or running time only"

OF_FIT = {
    "max_iter": (7, NOT_OF_STREAMS),
    "tol": (0.5, NOT_OF_STREAMS),
    "validation_fraction": (0.3, NOT_OF_STREAMS),
    "n_iter_no_change": (2, NOT_OF_STREAMS),
    "shuffle": (False, NOT_OF_STREAMS),
    "verbose": (1, NOT_OF_STREAMS),
    "random_state": (7, NOT_OF_STREAMS),
    "warm_start": (True, NOT_OF_STREAMS),
    "early_stopping": (True, REFUSED),
    "fit_intercept": (False, REFUSED),
}
OF_CLASSIFIERS = OF_FIT | {"class_weight": ({1: 0.125}, TAKEN_UP)}
OF_FIRST_ORDER = OF_CLASSIFIERS | {
    "average": (True, REFUSED),
    "multi_class": ("crammer_singer", REFUSED),
    "intercept_scaling": (0.25, TAKEN_UP),
}
OF_SECOND_ORDER = OF_CLASSIFIERS | {"covariance": ("full", REFUSED)}
OF_KERNEL_UPDATES = {
    "kernel": ("linear", REFUSED),
    "degree": (2, REFUSED),
    "gamma": (0.4, REFUSED),
    "coef0": (1.0, REFUSED),
    "max_support_vectors": (7, REFUSED),
    "budget_policy": ("merging", REFUSED),
    "replay_size": (0, NOT_OF_STREAMS),  # which are shuffled here
    "multi_class": ("crammer_singer", REFUSED),
    "average": ("mean", REFUSED),
    "max_iter": (7, NOT_OF_STREAMS),
    "tol": (0.5, NOT_OF_STREAMS),
    "n_iter_no_change": (2, NOT_OF_STREAMS),
    "shuffle": (False, NOT_OF_STREAMS),
    "verbose": (1, NOT_OF_STREAMS),
    "n_jobs": (2, NOT_OF_STREAMS),
    "random_state": (7, NOT_OF_STREAMS),
    "class_weight": ({1: 0.125}, TAKEN_UP),
}
# A hard constraint knows only the weight 0 and not 0.
NO_ROWS_OF_ONE = {"class_weight": ({1: 0.0}, TAKEN_UP)}

OF_LASVC = {
    "C": (100.0, TAKEN_UP),
    "kernel": ("linear", REFUSED),
    "degree": (2, REFUSED),
    "gamma": (0.4, REFUSED),
    "coef0": (1.0, REFUSED),
    "algorithm": ("lasvm-g", REFUSED),
    "max_iter": (7, NOT_OF_STREAMS),
    "delta_max": (0.1, TAKEN_UP),
    "finishing": (True, TAKEN_UP),
    "shrinking": (False, NOT_OF_STREAMS),
    "tol": (0.3, TAKEN_UP),
    "ramp_s": (0.5, NOT_OF_STREAMS),  # but of lasvm-nc and -i, below
    "window_size": (20, TAKEN_UP),
    "multi_class": ("ovo", REFUSED),
    "decision_function_shape": ("ovo", NOT_OF_STREAMS),  # the streams here have two classes
    "break_ties": (True, NOT_OF_STREAMS),
    "probability": (True, NOT_OF_STREAMS),  # decision values do not depend on it
    "cache_size": (1e-3, NOT_OF_STREAMS),
    "replay_size": (0, NOT_OF_STREAMS),  # which are shuffled here
    "class_weight": ({1: 5.0}, TAKEN_UP),
    "shuffle": (False, NOT_OF_STREAMS),
    "n_jobs": (2, NOT_OF_STREAMS),
    "random_state": (7, NOT_OF_STREAMS),
    "verbose": (1, NOT_OF_STREAMS),
    "warm_start": (True, NOT_OF_STREAMS),
}

OF_LASVR = {name: value for name, value in OF_LASVC.items() if name in LASVR().get_params()} | {
    "epsilon": (0.5, REFUSED),
    "tol": (5.0, TAKEN_UP),
    "intervals": (True, NOT_OF_STREAMS),  # predictions do not depend on it
    "loss": ("squared_epsilon_insensitive", REFUSED),
    "max_support_vectors": (20, TAKEN_UP),
}

# Each with the new value of every parameter, and what becomes of it.
TABLE = [
    (
        LASVC(C=10.0, gamma=0.3, finishing=False, multi_class="ovr", random_state=0),
        OF_LASVC,
    ),
    (LASVC(algorithm="lasvm-i", C=10.0, gamma=0.3), {"ramp_s": (0.5, TAKEN_UP)}),
    (LASVR(C=10.0, gamma=0.3, finishing=False, random_state=0), OF_LASVR),
    (
        OneClassLASVM(nu=0.3, gamma=0.3, finishing=False, random_state=0),
        {name: OF_LASVR[name] for name in OF_LASVR if name in OneClassLASVM().get_params()}
        | {"nu": (0.5, REFUSED)},
    ),
    (
        VirtualLASVC(C=10.0, gamma=0.3, finishing=False, random_state=0),
        {name: OF_LASVC[name] for name in OF_LASVC if name in VirtualLASVC().get_params()}
        | {
            "minority_class": (0, TAKEN_UP),
            "n_neighbors": (1, TAKEN_UP),
            "n_virtual": (3, TAKEN_UP),
            "pool_size": (5, TAKEN_UP),
            "max_labels": (50, TAKEN_UP),
            "stopping": ("n_support", NOT_OF_STREAMS),  # of more samples than there are here
            "stopping_window": (9, NOT_OF_STREAMS),  # without a stopping criterion
            "random_state": (7, TAKEN_UP),
        },
    ),
    (
        ActiveLASVC(selection="random", C=10.0, gamma=0.3, finishing=False, random_state=0),
        {name: OF_LASVC[name] for name in OF_LASVC if name in ActiveLASVC().get_params()}
        | {
            "selection": ("active", TAKEN_UP),
            "pool_size": (5, NOT_OF_STREAMS),  # but with a selection, below
            "max_labels": (50, TAKEN_UP),
            "stopping": ("n_support", NOT_OF_STREAMS),  # of more samples than there are here
            "stopping_window": (9, NOT_OF_STREAMS),  # without a stopping criterion
        },
    ),
    (
        ActiveLASVC(C=10.0, gamma=0.3, random_state=0),
        {"pool_size": (5, TAKEN_UP), "random_state": (7, TAKEN_UP)},
    ),
    (
        OnlineCalibratedClassifier(AROWClassifier()),
        {
            "estimator": (PerceptronClassifier(), REFUSED),
            "estimator__r": (0.01, TAKEN_UP),
            "window_size": (50, NOT_OF_STREAMS),  # decision values do not depend on it
            "random_state": (7, NOT_OF_STREAMS),
        },
    ),
    (
        KernelPassiveAggressiveClassifier(gamma=0.3),
        OF_KERNEL_UPDATES | {"C": (0.01, TAKEN_UP), "loss": ("squared_hinge", TAKEN_UP)},
    ),
    (
        KernelAROWClassifier(gamma=0.3),
        {
            name: value
            for name, value in OF_KERNEL_UPDATES.items()
            if name not in ("budget_policy", "multi_class", "average")
        }
        | {"r": (10.0, TAKEN_UP), "forgetting_factor": (0.5, REFUSED)},
    ),
    (
        KernelPerceptronClassifier(gamma=0.3),
        OF_KERNEL_UPDATES | {"margin": (0.7, TAKEN_UP)},
    ),
    (
        PassiveAggressiveClassifier(),
        OF_FIRST_ORDER
        | {
            "C": (0.01, TAKEN_UP),
            "loss": ("squared_hinge", TAKEN_UP),
            "n_jobs": (2, NOT_OF_STREAMS),
        },
    ),
    (
        AdvicePassiveAggressiveClassifier(RULES, advice_weight=0.1),
        OF_CLASSIFIERS
        | {
            "advice": (RULES[:1], TAKEN_UP),
            "C": (0.01, TAKEN_UP),
            "advice_weight": (0.5, TAKEN_UP),
            "initial_weights": ("zero", REFUSED),
            "refine": (True, TAKEN_UP),
        },
    ),
    (
        PassiveAggressiveRegressor(),
        OF_FIT
        | {
            "C": (0.01, TAKEN_UP),
            "loss": ("squared_epsilon_insensitive", TAKEN_UP),
            "epsilon": (0.5, TAKEN_UP),
            "average": (True, REFUSED),
            "intercept_scaling": (0.25, TAKEN_UP),
        },
    ),
    (
        PerceptronClassifier(positive_margin=0.5),
        OF_FIRST_ORDER
        | {
            "n_jobs": (2, NOT_OF_STREAMS),
            "class_weight": ({1: 0.125}, TAKEN_UP),
            "positive_margin": (2.0, TAKEN_UP),
            "negative_margin": (2.0, TAKEN_UP),
            "pos_label": (0, TAKEN_UP),
        },
    ),
    (
        CostSensitivePassiveAggressiveClassifier(average=False, C=1.0, sensitivity_weight=0.7),
        OF_FIRST_ORDER
        | {
            "C": (0.01, TAKEN_UP),
            "costs": ({1: 5.0}, TAKEN_UP),
            "sensitivity_weight": (0.9, TAKEN_UP),
            "rule": ("prediction", TAKEN_UP),
            "pos_label": (0, TAKEN_UP),
        },
    ),
    (
        SecondOrderPerceptronClassifier(),
        OF_SECOND_ORDER | {"a": (5.0, REFUSED), "covariance": ("diag", REFUSED)},
    ),
    (ConfidenceWeightedClassifier(), OF_SECOND_ORDER | NO_ROWS_OF_ONE | {"eta": (0.9, TAKEN_UP)}),
    (
        SCWClassifier(),
        OF_SECOND_ORDER
        | {"C": (0.01, TAKEN_UP), "eta": (0.9, TAKEN_UP), "loss": ("squared_hinge", TAKEN_UP)},
    ),
    (AROWClassifier(), OF_SECOND_ORDER | {"r": (50.0, TAKEN_UP)}),
    (
        LocalOnlineClassifier(5),
        OF_CLASSIFIERS
        | {
            "n_prototypes": (6, REFUSED),
            "C": (0.01, TAKEN_UP),
            "lam": (3.0, TAKEN_UP),
            "loss": ("squared_hinge", TAKEN_UP),
            "n_neighbors": (3, TAKEN_UP),
            "variant": ("scw", REFUSED),
            "eta": (0.9, NOT_OF_STREAMS),  # but of variant="scw", below
            "multi_class": ("ovr", REFUSED),
            "average": (False, REFUSED),
        },
    ),
    (LocalOnlineClassifier(5, variant="scw"), {"eta": (0.9, TAKEN_UP)}),
    (
        LabelEfficientClassifier(random_state=0),
        {
            "estimator": (PassiveAggressiveClassifier(C=0.01), TAKEN_UP),
            "query_strategy": (MarginQuery(delta=0.05), TAKEN_UP),
            "max_iter": (7, NOT_OF_STREAMS),
            "shuffle": (False, NOT_OF_STREAMS),
            "max_labels": (0, TAKEN_UP),
            "random_state": (7, REFUSED),
        },
    ),
    (LabelEfficientClassifier(random_state=0), {"estimator": (AROWClassifier(), REFUSED)}),
    (LabelEfficientClassifier(random_state=0), {"query_strategy": (AllQuery(), REFUSED)}),
    (
        LabelEfficientClassifier(PassiveAggressiveClassifier(), RandomQuery(0.5), random_state=0),
        {
            "estimator__C": (0.01, TAKEN_UP),
            "estimator__fit_intercept": (False, REFUSED),
            "estimator__tol": (0.5, NOT_OF_STREAMS),
            "query_strategy__rate": (0.1, TAKEN_UP),
            "query_strategy__random_state": (3, REFUSED),
        },
    ),
    (
        LabelEfficientClassifier(LASVC(gamma=0.3), AllQuery(), random_state=0),
        {"estimator__C": (0.01, TAKEN_UP), "estimator__gamma": (0.5, REFUSED)},
    ),
    (
        LabelEfficientClassifier(SGDClassifier(random_state=0), AllQuery(), random_state=0),
        {"estimator__penalty": ("l1", TAKEN_UP)},
    ),
    (RandomQuery(0.5, random_state=0), {"rate": (0.1, TAKEN_UP), "random_state": (3, REFUSED)}),
    (
        MarginQuery(random_state=0),
        {
            "delta": (0.01, TAKEN_UP),
            "offset": (5.0, TAKEN_UP),
            "schedule": ("adaptive", TAKEN_UP),
            "rate": (0.05, TAKEN_UP),
            "confidence": ("second_order", TAKEN_UP),
            "random_state": (3, REFUSED),
        },
    ),
    (MarginQuery(rate=0.5, random_state=0), {"rate": (0.1, TAKEN_UP)}),
    (MarginQuery(rate=0.5, random_state=0), {"rate": (None, TAKEN_UP)}),
    (AllQuery(), {}),
]


def is_rule(model):
    return isinstance(model, RandomQuery | MarginQuery | AllQuery)


def learn(model, rows):
    if is_rule(model):
        scores, more = X[rows, 0], dict(variances=X[rows, 1] ** 2, norms=X[rows, 2] ** 2)
        return model.update(scores, model.query(scores, **more), **more)
    y = CODES[rows] + X[rows, 2] if is_regressor(model) else CODES[rows]
    first = {"classes": [0, 1]} if is_classifier(model) else {}
    return model.partial_fit(X[rows], y, **first)


def look(model):
    """Return decision values, or queries and probabilities of a query strategy."""
    if is_rule(model):
        more = dict(variances=X[:, 1] ** 2, norms=X[:, 2] ** 2)
        asked = model.query(X[:, 0], **more)
        return np.concatenate([model.probabilities(X[:, 0], **more), asked, [model.n_queries_]])
    decide = getattr(model, "decision_function", model.predict)
    return np.concatenate([decide(X), [getattr(model, "n_queries_", 0)]])


def half(model):
    return learn(clone(model), slice(0, 150))


@cache
def halfway(model):
    """Return a model trained on half of the samples, and what it gives after the others."""
    model = half(model)
    return model, look(learn(copy.deepcopy(model), slice(150, 300)))


CASES = [
    pytest.param(model, name, *case, id=f"{i}-{type(model).__name__}-{name}")
    for i, (model, table) in enumerate(TABLE)
    for name, case in table.items()
]


@pytest.mark.sampled
@pytest.mark.parametrize(("model", "name", "new", "fate"), CASES)
def test_changed_value(model, name, new, fate):
    model, unchanged = copy.deepcopy(halfway(model))
    old = model.get_params()[name]
    model.set_params(**{name: new})
    if fate == REFUSED:
        for _ in range(2):
            with pytest.raises(ValueError, match=name.split("__")[-1]):
                learn(model, slice(150, 300))
        model.set_params(**{name: old})
        np.testing.assert_array_equal(look(learn(model, slice(150, 300))), unchanged)
        return
    loaded = pickle.loads(pickle.dumps(model))
    found = look(learn(model, slice(150, 300)))
    assert np.array_equal(found, unchanged) == (fate == NOT_OF_STREAMS)
    np.testing.assert_array_equal(look(learn(loaded, slice(150, 300))), found)


@pytest.mark.sampled
@pytest.mark.parametrize(("model", "name", "new", "fate"), CASES)
def test_value_that_is_set_back_has_no_effect(model, name, new, fate):
    model, unchanged = copy.deepcopy(halfway(model))
    old = model.get_params()[name]
    model.set_params(**{name: new})
    if not is_rule(model):
        # The changed value must not have an effect through a rejected chunk.
        rows, y = np.full((3, X.shape[1]), np.nan), CODES[:3]
        for bad in (rows, rows.tolist()):
            with pytest.raises(ValueError):
                model.partial_fit(bad, y)
    model.set_params(**{name: old})
    np.testing.assert_array_equal(look(learn(model, slice(150, 300))), unchanged)


def test_table_contains_every_parameter_of_every_estimator():
    kinds = {getattr(package, name) for name in package.__all__ if name[0].isupper()}
    kinds.add(OnlineCalibratedClassifier)
    kinds |= {getattr(active, name) for name in active.__all__ if name.endswith("Query")}
    kinds = {k for k in kinds if hasattr(k, "partial_fit") or hasattr(k, "query")}
    assert kinds == {type(model) for model, _ in TABLE}
    for kind in kinds:
        named = {name for m, table in TABLE if type(m) is kind for name in table}
        assert {name for name in named if "__" not in name} == {*kind().get_params(deep=False)}


@pytest.mark.parametrize(
    ("model", "new"),
    [
        (LASVC(gamma=0.3), {"finishing": "no"}),
        (PassiveAggressiveClassifier(), {"class_weight": "even"}),
        (PassiveAggressiveRegressor(), {"early_stopping": "no"}),
        (LocalOnlineClassifier(), {"lam": 0.0}),
        (LabelEfficientClassifier(), {"max_labels": -1}),
        (LabelEfficientClassifier(), {"estimator": PassiveAggressiveClassifier(C=-1.0)}),
        (LabelEfficientClassifier(), {"query_strategy": MarginQuery(rate=2.0)}),
        (MarginQuery(), {"delta": 0.0}),
        (RandomQuery(), {"rate": 2.0}),
        # Classes instead of instances.
        (LASVC(gamma=0.3), {"kernel": ColumnKernel}),
        (LabelEfficientClassifier(), {"estimator": PassiveAggressiveClassifier}),
        (LabelEfficientClassifier(), {"query_strategy": MarginQuery}),
    ],
    ids=str,
)
def test_invalid_value_is_rejected_by_name(model, new):
    model = half(model)
    before = look(model)
    old = {name: model.get_params()[name] for name in new}
    model.set_params(**new)
    with pytest.raises(ValueError, match=r"The '\w+' parameter of \w+ must be "):
        learn(model, slice(150, 300))
    np.testing.assert_array_equal(look(model.set_params(**old)), before)


def test_changed_rate_is_reached():
    rule = MarginQuery(rate=0.5, random_state=0)
    scores = np.random.RandomState(0).normal(size=20_000)

    def share():
        before = rule.n_queries_
        for start in range(0, len(scores), 1000):
            chunk = scores[start : start + 1000]
            rule.update(chunk, rule.query(chunk))
        return (rule.n_queries_ - before) / len(scores)

    assert abs(share() - 0.5) < 0.02
    rule.set_params(rate=0.1)
    assert abs(share() - 0.1) < 0.02
