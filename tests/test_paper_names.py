"""The algorithms of the papers, by the names they have there."""

import re

import numpy as np
import pytest
from sklearn.base import clone

import sklearn_online_svm
from sklearn_online_svm import (
    AROWClassifier,
    CostSensitivePassiveAggressiveClassifier,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
    active,
)
from sklearn_online_svm.active import MarginQuery, RandomQuery
from tests.support import ROOT

PA, ACTIVE = PassiveAggressiveClassifier, LabelEfficientClassifier
JOINT = dict(multi_class="crammer_singer")
HARD = dict(C=np.inf, loss="hinge")
SOFT = dict(C=1.0, loss="hinge")
SQUARED = dict(C=1.0, loss="squared_hinge")
PLAIN_MARGIN = dict(offset=0.0, schedule="constant", confidence="margin", rate=None)
COST = CostSensitivePassiveAggressiveClassifier
SUM = dict(objective="sum", rule="cost-sensitive", rho=None)


def passive(where=ACTIVE, rule=MarginQuery, joint=False):
    """What the three variants of a passive-aggressive algorithm are."""
    kind = JOINT if joint else dict(multi_class="ovr")
    rule_params = PLAIN_MARGIN if rule is MarginQuery else {}
    variants = ({**HARD, **kind}, {**SOFT, **kind}, {**SQUARED, **kind})
    if where is PA:
        return [(PA, params) for params in variants]
    return [(PA, params, rule, rule_params) for params in variants]


def named(name, variants):
    return dict(zip((name, f"{name}-I", f"{name}-II"), variants, strict=True))


# Of each name the learner, its parameters, the rule, its parameters: what makes it what it is.
PAPER_NAMES = {
    "PE": (PerceptronClassifier, dict(positive_margin=0.0, negative_margin=0.0)),
    **named("PA", passive(PA)),
    **named("PAA", passive()),
    **named("RPA", passive(rule=RandomQuery)),
    **named("MPA", passive(PA, joint=True)),
    **named("MPAA", passive(joint=True)),
    **named("MRPA", passive(rule=RandomQuery, joint=True)),
    "MPE": (PerceptronClassifier, JOINT),
    "MPEA": (PerceptronClassifier, JOINT, MarginQuery, PLAIN_MARGIN),
    "MRPE": (PerceptronClassifier, JOINT, RandomQuery, {}),
    "PEA": (PerceptronClassifier, {}, MarginQuery, PLAIN_MARGIN),
    "LEPE": (PerceptronClassifier, {}, MarginQuery, PLAIN_MARGIN),
    "RPE": (PerceptronClassifier, {}, RandomQuery, {}),
    "SEL-ada": (PerceptronClassifier, {}, MarginQuery, {**PLAIN_MARGIN, "schedule": "mistakes"}),
    "SEL-2nd": (SecondOrderPerceptronClassifier, {}, MarginQuery, PLAIN_MARGIN),
    "SEL-2nd, exact": (
        SecondOrderPerceptronClassifier,
        dict(covariance="full"),
        MarginQuery,
        {**PLAIN_MARGIN, "confidence": "second-order"},
    ),
    "SOP": (SecondOrderPerceptronClassifier, dict(covariance="full")),
    "PAUM": (PerceptronClassifier, dict(multi_class="ovr")),
    "CW-diag": (sklearn_online_svm.ConfidenceWeightedClassifier, dict(covariance="diag")),
    "CW-full": (sklearn_online_svm.ConfidenceWeightedClassifier, dict(covariance="full")),
    "SCW-I": (SCWClassifier, dict(loss="hinge")),
    "SCW-II": (SCWClassifier, dict(loss="squared_hinge")),
    "AROW": (AROWClassifier, {}),
    "CPA (prediction)": (COST, dict(rule="prediction")),
    "CPA (max loss)": (COST, dict(rule="max_loss")),
    "CSPA (sum)": (COST, SUM),
    "CSPA (cost)": (COST, dict(objective="cost", rule="cost-sensitive")),
    "CSPAA": (COST, SUM, MarginQuery, PLAIN_MARGIN),
    "CSPAA(a)": (COST, SUM, MarginQuery, {**PLAIN_MARGIN, "schedule": "adaptive"}),
    "CSRND": (COST, SUM, RandomQuery, {}),
    "PA regression": (PassiveAggressiveRegressor, dict(C=np.inf, loss="epsilon_insensitive")),
    "PA-I regression": (PassiveAggressiveRegressor, dict(C=1.0, loss="epsilon_insensitive")),
    "PA-II regression": (
        PassiveAggressiveRegressor,
        dict(C=1.0, loss="squared_epsilon_insensitive"),
    ),
}

PAGE = ROOT / "doc" / "paper_names.rst"


def lines_of_the_page():
    """Name and code of each row of the tables."""
    rows = re.findall(r"^   \* - (.+)\n     - ``(.+)``$", PAGE.read_text(), re.M)
    assert len({name for name, _ in rows}) == len(rows) > 20
    return dict(rows)


def run(model, n_classes):
    """Learn a small set in one pass, and predict."""
    rng = np.random.default_rng(0)
    y = rng.choice(n_classes, 240, p=[0.7, 0.3] if n_classes == 2 else [0.5, 0.3, 0.2])
    X = 4 * np.eye(3, 4)[y] + rng.normal(size=(240, 4))
    if isinstance(model, PassiveAggressiveRegressor):
        y = X @ [1.0, 2.0, 0.0, -1.0]
        model.partial_fit(X, y)
        assert model.score(X, y) > 0.9
        return
    model.partial_fit(X, y, classes=np.unique(y))
    assert model.score(X, y) > 0.85
    if isinstance(model, LabelEfficientClassifier):
        assert 0 < model.n_queries_ < 240
        assert model.online_predictions_.shape == (240,)
    # The parameters hold in fit, too.
    assert clone(model).fit(X, y).score(X, y) > 0.85


@pytest.mark.parametrize("name", PAPER_NAMES)
def test_paper_names(name):
    """Each is made by a line of code, and it is what the page of the documentation says."""
    learner, params, *asking = PAPER_NAMES[name]
    n_classes = 3 if params.get("multi_class") == "crammer_singer" else 2
    if asking:
        rule, rule_params = asking
        if rule is RandomQuery:
            rule_params = dict(rule_params, rate=0.2)
        if rule_params.get("schedule") == "adaptive":
            rule_params = dict(rule_params, delta=1000.0)
        rule = rule(**rule_params, random_state=0)
        run(LabelEfficientClassifier(learner(**params), rule, random_state=0), n_classes)
    else:
        run(learner(**params), n_classes)

    if not PAGE.exists():
        pytest.skip("there is no doc/paper_names.rst here")
    model = eval(lines_of_the_page()[name], namespace())
    if asking:
        assert type(model) is LabelEfficientClassifier
        assert model.max_iter == 1
        query, model = model.query_strategy, model.estimator
        assert type(query) is asking[0]
        assert asking[1].items() <= query.get_params().items()
    assert type(model) is learner
    assert params.items() <= model.get_params().items()


def namespace():
    public = {"np": np}
    for module in (sklearn_online_svm, active):
        public |= {name: getattr(module, name) for name in module.__all__}
    return public


@pytest.mark.skipif(not PAGE.exists(), reason="there is no doc/paper_names.rst here")
def test_every_line_of_the_page_of_names_learns():
    for name, code in lines_of_the_page().items():
        model = eval(code, namespace())
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        print(name)
        run(model, 3 if "crammer_singer" in code else 2)
