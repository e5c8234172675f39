"""``LocalOnlineClassifier`` of every kind with its reference, and samples to train both."""

import numpy as np
from numpy.testing import assert_allclose

from sklearn_online_svm import LocalOnlineClassifier
from tests.reference import linear
from tests.reference.local import LocalTwin
from tests.support.samples import LAYOUTS


def lol(n_prototypes=4, **params):
    """Return a model that predicts with the newest weights by default."""
    return LocalOnlineClassifier(n_prototypes, **{"average": False, **params})


OVR = dict(multi_class="ovr")
SCW = dict(variant="scw", eta=0.8)
MODELS = [
    lol(4, C=0.3),
    lol(4, C=np.inf, lam=0.2),
    lol(3, C=0.3, lam=5.0, loss="squared_hinge"),
    lol(4, C=0.3, **OVR),
    lol(5, C=0.3, n_neighbors=3),
    lol(5, C=0.3, n_neighbors=2, loss="squared_hinge", **OVR),
    lol(4, C=0.3, lam=0.5, **SCW),
    lol(4, C=0.3, lam=2.0, loss="squared_hinge", **SCW),
    lol(5, C=0.3, n_neighbors=3, **SCW, **OVR),
    lol(1, C=0.3),
    lol(4, C=0.3, average=True, n_neighbors=2),
    lol(4, C=0.3, average=7, **OVR),
    lol(4, C=0.3, average=True, **SCW),
    lol(4, C=0.3, average=3, **SCW, **OVR),
    lol(200, C=0.3, lam=np.inf),
]
ATTRIBUTES = [
    *("prototypes_", "prototype_counts_", "common_coef_", "common_intercept_"),
    *("local_coef_", "local_intercept_"),
]


def samples_of(n_classes=2, n=60, n_features=6, seed=0, *, dtype=np.float64):
    """Return clustered samples with zeros and duplicates, one of them empty; labels 0, 1, ..."""
    rng = np.random.default_rng([seed, n_classes, n_features])
    clouds = rng.normal(size=(3, n_features))
    X = 0.5 * rng.normal(size=(n, n_features)) + clouds[rng.integers(3, size=n)]
    X[rng.random(X.shape) < 0.4 * (n_features > 1)] = 0.0
    X[5::9] = X[1::9][: len(X[5::9])]
    X[2] = 0.0
    y = np.argmax(X @ rng.normal(size=(n_features, n_classes)) ** 3, axis=1)
    wrong = rng.random(n) < 0.2
    y[wrong] = rng.integers(n_classes, size=wrong.sum())
    return (X / np.sqrt(n_features)).astype(dtype), y


def twin_of(model, n_features, n_classes):
    p = model.get_params()
    if p["variant"] == "pa":
        rule = linear.PassiveAggressive(p["C"], p["loss"])
    else:
        rule = linear.SoftConfidenceWeighted(p["C"], p["eta"], p["loss"])
    return LocalTwin(
        n_features,
        n_classes,
        rule,
        n_prototypes=p["n_prototypes"],
        lam=p["lam"],
        n_neighbors=p["n_neighbors"],
        second_order=p["variant"] == "scw",
        joint=p["multi_class"] == "crammer_singer",
        average=None if p["average"] is False else int(p["average"]) - 1,
        fit_intercept=p["fit_intercept"],
    )


def assert_follows_twin(model, X, y, layout, weights=None, **tolerance):
    """Compare the model with its twin after each sample."""
    n_classes = y.max() + 1
    twin = twin_of(model, X.shape[1], n_classes)
    samples = LAYOUTS[layout](X)
    for i in range(len(y)):
        weight = 1.0 if weights is None else weights[i]
        before = twin.n_updates
        twin.learn_row(X[i], y[i], weight)
        model.partial_fit(samples[i : i + 1], y[i : i + 1], np.arange(n_classes), [weight])
        if len(twin.followed):
            for name, wanted in zip(ATTRIBUTES, twin.state(), strict=True):
                got = getattr(model, name)
                assert_allclose(got, wanted, err_msg=f"row {i}: {name}", **tolerance)
        assert model.n_updates_ == twin.n_updates, (i, before)
        assert model.t_ == 2.0 + i
    scores = np.squeeze([twin.scores(x) for x in X])
    assert_allclose(model.decision_function(samples), scores, **tolerance)
    return twin
