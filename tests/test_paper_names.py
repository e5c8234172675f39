"""The algorithm names of the papers create the models that doc/paper_names.rst states."""

import re

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone, is_regressor
from sklearn.datasets import make_classification

import sklearn_online_svm
from sklearn_online_svm import (
    LASVC,
    ActiveLASVC,
    AdvicePassiveAggressiveClassifier,
    AROWClassifier,
    CostSensitivePassiveAggressiveClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    LabelEfficientClassifier,
    LocalOnlineClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    RampSVC,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
    VirtualLASVC,
    active,
    evaluation,
)
from sklearn_online_svm.active import MarginQuery, RandomQuery
from tests.support import ROOT

PA, ACTIVE = PassiveAggressiveClassifier, LabelEfficientClassifier
JOINT = dict(multi_class="crammer_singer")
HARD = dict(C=np.inf, loss="hinge")
SOFT = dict(C=1.0, loss="hinge")
SQUARED = dict(C=1.0, loss="squared_hinge")
REGRESSION = dict(C=1.0, loss="epsilon_insensitive")
PLAIN_MARGIN = dict(offset=0.0, schedule="constant", confidence="margin", rate=None)
COST = CostSensitivePassiveAggressiveClassifier
SUM = dict(costs=None, rule="cost_sensitive", sensitivity_weight=0.5)
ZERO = dict(initial_weights="zero")
# The defaults of LASVC are part of the meaning of its names.
PLAIN = dict(algorithm="lasvm")
ONE_EPOCH = dict(PLAIN, max_iter=1)
POOL = dict(ONE_EPOCH, selection="active", pool_size=59, max_labels=None, stopping=None)
POOL_OF_VIRTUAL = dict(pool_size=59, max_labels=None)
BUDGET = dict(ONE_EPOCH, max_labels=100, stopping=None)


def passive(where=ACTIVE, rule=MarginQuery, joint=False):
    """Return the three variants of a passive-aggressive algorithm."""
    kind = JOINT if joint else dict(multi_class="ovr")
    rule_params = PLAIN_MARGIN if rule is MarginQuery else {}
    variants = ({**HARD, **kind}, {**SOFT, **kind}, {**SQUARED, **kind})
    if where is PA:
        return [(PA, params) for params in variants]
    return [(PA, params, rule, rule_params) for params in variants]


def named(name, variants):
    return dict(zip((name, f"{name}-I", f"{name}-II"), variants, strict=True))


# For each name: the estimator, its parameters and, if any, the query strategy and its parameters.
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
        {**PLAIN_MARGIN, "confidence": "second_order"},
    ),
    "ACL": (
        sklearn_online_svm.ConfidenceWeightedClassifier,
        dict(covariance="diag"),
        MarginQuery,
        {**PLAIN_MARGIN, "confidence": "standardized"},
    ),
    "SOP": (SecondOrderPerceptronClassifier, dict(covariance="full")),
    "PAUM": (PerceptronClassifier, dict(multi_class="ovr")),
    "CW-diag": (sklearn_online_svm.ConfidenceWeightedClassifier, dict(covariance="diag")),
    "CW-full": (sklearn_online_svm.ConfidenceWeightedClassifier, dict(covariance="full")),
    "SCW-I": (SCWClassifier, dict(loss="hinge")),
    "SCW-II": (SCWClassifier, dict(loss="squared_hinge")),
    "AROW": (AROWClassifier, {}),
    "LOL": (LocalOnlineClassifier, dict(variant="pa", n_neighbors=1, average=False)),
    "kernel PA": (KernelPassiveAggressiveClassifier, HARD),
    "kernel PA-I": (KernelPassiveAggressiveClassifier, SOFT),
    "kernel PA-II": (KernelPassiveAggressiveClassifier, SQUARED),
    "kernel PAA": (KernelPassiveAggressiveClassifier, HARD, MarginQuery, PLAIN_MARGIN),
    "kernel PAA-I": (KernelPassiveAggressiveClassifier, SOFT, MarginQuery, PLAIN_MARGIN),
    "kernel PAA-II": (KernelPassiveAggressiveClassifier, SQUARED, MarginQuery, PLAIN_MARGIN),
    "kernel perceptron": (KernelPerceptronClassifier, dict(margin=0.0, average=False)),
    "averaged perceptron": (KernelPerceptronClassifier, dict(margin=0.0, average="vote")),
    "budget perceptron": (
        KernelPerceptronClassifier,
        dict(budget_policy="margin", max_support_vectors=60, margin=0.1),
    ),
    "CPA (prediction)": (COST, dict(rule="prediction")),
    "CPA (max loss)": (COST, dict(rule="max_loss")),
    "CSPA (sum)": (COST, SUM),
    "CSPA (cost)": (COST, dict(costs={1: 9.0}, rule="cost_sensitive")),
    "CSPAA": (COST, SUM, MarginQuery, PLAIN_MARGIN),
    "CSPAA(a)": (COST, SUM, MarginQuery, {**PLAIN_MARGIN, "schedule": "adaptive"}),
    "CSRND": (COST, SUM, RandomQuery, {}),
    "adviceptron": (AdvicePassiveAggressiveClassifier, dict(ZERO, refine=False)),
    "adviceptron, refined": (AdvicePassiveAggressiveClassifier, dict(ZERO, refine=True)),
    "PA regression": (PassiveAggressiveRegressor, REGRESSION | dict(C=np.inf)),
    "PA-I regression": (PassiveAggressiveRegressor, REGRESSION),
    "PA-II regression": (
        PassiveAggressiveRegressor,
        dict(C=1.0, loss="squared_epsilon_insensitive"),
    ),
    "LASVM, LASVM×1": (LASVC, dict(ONE_EPOCH, finishing=True)),
    "LASVM×2": (LASVC, dict(PLAIN, max_iter=2, finishing=False)),
    "online LASVM": (LASVC, dict(ONE_EPOCH, finishing=False)),
    "repeated REPROCESS": (LASVC, dict(PLAIN, delta_max=3.0, finishing=False)),
    "LIBSVM, Batch": (LASVC, dict(PLAIN, max_iter=-1)),
    "LASVM-G": (LASVC, dict(algorithm="lasvm-g", finishing=False)),
    "LASVM-NC": (LASVC, dict(algorithm="lasvm-nc", ramp_s=-1.0, finishing=False)),
    "LASVM-I": (LASVC, dict(algorithm="lasvm-i", ramp_s=-1.0, finishing=False)),
    "FULL SVM": (LASVC, dict(algorithm="lasvm-full", finishing=False)),
    "ramp loss by CCCP": (RampSVC, dict(ramp_s=-1.0)),
    "RANDOM, RS": (ActiveLASVC, dict(BUDGET, selection="random")),
    "GRADIENT": (ActiveLASVC, dict(BUDGET, selection="gradient", pool_size=50)),
    "ACTIVE, LASVM ACTIVE 50": (ActiveLASVC, dict(BUDGET, selection="active", pool_size=50)),
    "LASVM ACTIVE ALL, AL(full search)": (
        ActiveLASVC,
        dict(BUDGET, selection="active", pool_size="all"),
    ),
    "AUTOACTIVE": (ActiveLASVC, dict(BUDGET, selection="autoactive", pool_size=50)),
    "AL, AL(random pool), L = 59": (ActiveLASVC, POOL),
    "AL, margin exhausted": (ActiveLASVC, dict(POOL, stopping="margin", stopping_window=1)),
    "AL with early stopping": (ActiveLASVC, dict(POOL, stopping="n_support")),
    "VIRTUAL": (
        VirtualLASVC,
        dict(POOL_OF_VIRTUAL, n_neighbors=5, n_virtual=1, stopping="n_support"),
    ),
    "DC": (LASVC, dict(ONE_EPOCH, class_weight={0: 1.0, 1: 19.0})),
}

PAGE = ROOT / "doc" / "paper_names.rst"


COUNTED = "What the thesis counts"


def lines_of(text):
    """Return a dict from the names in the tables to their code."""
    rows = re.findall(r"^   \* - (.+)\n     - ``(.+)``$", text, re.M)
    assert len({name for name, _ in rows}) == len(rows) > 10
    return dict(rows)


def lines_of_the_page():
    """Return the part of the page that creates models."""
    return lines_of(PAGE.read_text().split(COUNTED)[0])


def run(model, n_classes):
    """Train a model in one pass on a small data set, and check its score."""
    rng = np.random.default_rng(0)
    y = rng.choice(n_classes, 240, p=[0.7, 0.3] if n_classes == 2 else [0.5, 0.3, 0.2])
    X = 4 * np.eye(3, 4)[y] + rng.normal(size=(240, 4))
    if is_regressor(model):
        y = X @ [1.0, 2.0, 0.0, -1.0]
        model.partial_fit(X, y)
        assert model.score(X, y) > 0.9
        return
    if hasattr(model, "partial_fit"):
        model.partial_fit(X, y, classes=np.unique(y))
        assert model.score(X, y) > 0.85
    if isinstance(model, LabelEfficientClassifier):
        assert 0 < model.n_queries_ < 240
        assert model.online_predictions_.shape == (240,)
    # The parameters hold in fit, too.
    assert clone(model).fit(X, y).score(X, y) > 0.85


@pytest.mark.parametrize("name", PAPER_NAMES)
def test_paper_names(name):
    """The line of code on the page creates the model of the paper."""
    learner, params, *asking = PAPER_NAMES[name]
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


@pytest.mark.parametrize("name", lines_of_the_page())
def test_models_of_the_page_can_be_trained(name):
    code = lines_of_the_page()[name]
    model = eval(code, namespace())
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    run(model, 3 if "crammer_singer" in code else 2)


@pytest.mark.parametrize("container", [np.asarray, csr_matrix, csr_array])
def test_what_the_thesis_counts(container):
    X, y = make_classification(600, weights=[0.9], class_sep=0.5, random_state=0)
    X = container(X)
    model = VirtualLASVC(C=10, gamma=0.05, max_labels=200, random_state=0).fit(X, y)
    positive, virtual = model.dual_coef_[0] > 0, model.support_ < 0
    scores = model.decision_function(X)
    is_right, is_rare = (scores > 0) == (y == 1), y == 1
    best = np.argsort(-scores, kind="stable")[: is_rare.sum()]
    wanted = {
        "#SV": len(positive),
        "SV-/SV+, support vector imbalance ratio": np.sum(~positive) / np.sum(positive),
        "data efficiency": 200 / 600,
        "SV\\ :sub:`V`\\ (+)": np.sum(virtual),
        "SV\\ :sub:`R`\\ (+)": np.sum(positive & ~virtual),
        "#SV\\ :sub:`V`\\ (+)/#V.I.": np.sum(virtual) / model.n_virtual_points_,
        "the rows within the margin": (scores > -1) & (scores < 1),
        "g-means": np.sqrt(is_right[is_rare].mean() * is_right[~is_rare].mean()),
        "PRBEP": is_rare[best].mean(),
    }
    # No exact value is known; the gap is a small part of the dual objective.
    bounds = {
        "#V.I.": (np.sum(virtual), 600),
        "#Kernel, KCalc": (200, np.inf),
        "duality gap": (1e-9, 0.01 * np.abs(model.dual_coef_).sum()),
    }
    names = namespace() | vars(evaluation) | {"model": model, "X": X, "y": y}
    lines = lines_of(PAGE.read_text().split(COUNTED)[1])
    assert set(lines) == set(wanted) | set(bounds)
    for name, code in lines.items():
        if name in wanted:
            np.testing.assert_allclose(eval(code, names), wanted[name], err_msg=name)
        else:
            low, high = bounds[name]
            assert low <= eval(code, names) <= high, name
    assert 0 < np.sum(virtual) < np.sum(positive) < len(positive)
