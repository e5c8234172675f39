"""Ctrl-C during training: it stops soon, between two samples, and training can continue."""

import json
import os
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_online_svm import (
    AROWClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
)
from tests.support.internals import LinearState
from tests.support.programs import finished, interrupted

# Time in seconds until the interrupt is raised. The loop checks signals every few milliseconds,
# but a busy machine may suspend the process; a loop without checks would go on for many seconds.
LIMIT = 5.0

pytestmark = pytest.mark.skipif(os.name == "nt", reason="os.kill cannot interrupt on Windows")

# Trains on noise for many seconds, prints when it starts, and reports the interrupt.
PROGRAM = """
import json, signal, sys, time
import numpy as np
from scipy.sparse import csr_matrix
import sklearn_online_svm
from sklearn.base import clone

# Processes started by a shell with & ignore SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)

method, name, (n, d, n_classes), params = sys.argv[1], sys.argv[2], *map(json.loads, sys.argv[3:])
rng = np.random.default_rng(0)
layout = params.pop("layout", "dense")
X, y = rng.normal(size=(n, d)), rng.integers(0, n_classes, n)
X = csr_matrix(X) if layout == "csr" else X
if name.startswith("Advice"):
    D = rng.normal(size=(40, d))
    params["advice"] = [sklearn_online_svm.Advice(D, D @ rng.normal(size=d) + 1, 1)]
make = getattr(sklearn_online_svm, name)
model = make(random_state=0, tol=None, shuffle=False, **params)
if "Regressor" in name:
    y, first_call = rng.normal(size=n), {}
else:
    first_call = {"classes": np.arange(n_classes)}
fit = {
    "fit": lambda: model.set_params(max_iter=10**9).fit(X, y),
    "partial_fit": lambda: model.partial_fit(X, y, **first_call),
}[method]
print("begins", flush=True)
try:
    fit()
except KeyboardInterrupt:
    report = {"back": time.monotonic()}
else:
    sys.exit("was not interrupted")

names = ("coef_", "intercept_", "covariance_", "common_coef_", "local_coef_", "prototypes_")
names = [name for name in names if hasattr(model, name)]
def same(other):
    return all(np.array_equal(getattr(model, name), getattr(other, name)) for name in names)

# Training stopped between two samples: a model trained on as many samples is the same.
n_rows = int(model.t_) - 1
report["rows"], report["passes"], report["n_iter"] = n_rows, n_rows // n, model.n_iter_
rest = n_rows % n
other = clone(model)
if report["passes"]:
    other.set_params(max_iter=report["passes"]).fit(X, y)
if rest:
    other.partial_fit(X[:rest], y[:rest], **first_call)
report["same"] = same(other) and bool(np.isfinite(getattr(model, names[0])).all())
# Training continues where it stopped.
part = slice(rest, rest + 200)
changed = not same(other.partial_fit(X[part], y[part]))
model.partial_fit(X[part], y[part])
report["goes on"] = changed and same(other)
report["refit"] = model.set_params(max_iter=1).fit(X[:99], y[:99]).t_ == 100
print(json.dumps(report))
"""


PA, REGRESSOR = "PassiveAggressiveClassifier", "PassiveAggressiveRegressor"
LOCAL, ADVICE = "LocalOnlineClassifier", "AdvicePassiveAggressiveClassifier"
slow = partial(pytest.param, marks=pytest.mark.slow)


@pytest.mark.slow
@pytest.mark.parametrize(
    "method, name, shape, params",
    [
        ("fit", PA, (500, 50, 3), dict(layout="csr", average=True)),
        slow("fit", REGRESSOR, (2000, 20, 1), {}),
        # Long chunks: very many classes, or an expensive update for each sample.
        slow("partial_fit", PA, (60_000, 100, 4000), {}),
        ("partial_fit", "AROWClassifier", (16_000, 500, 3), dict(covariance="full")),
        slow("fit", LOCAL, (500, 50, 3), dict(layout="csr", n_neighbors=2)),
        slow("partial_fit", LOCAL, (60_000, 100, 2), dict(n_prototypes=3000)),
        slow("partial_fit", ADVICE, (60_000, 60, 2), dict(advice_weight=0.1, refine=20)),
    ],
    ids=str,
)
def test_interrupt_returns_soon_and_training_can_continue(method, name, shape, params):
    arguments = method, name, json.dumps(shape), json.dumps(params)
    report, delay = interrupted(PROGRAM, *arguments, after=0.3)
    print(f"back after {delay:.3f} s: {report}")
    assert 0 <= delay < LIMIT
    if method == "fit":
        assert report["passes"] > 3
        assert report["n_iter"] - report["passes"] in (0, 1)
    else:
        assert report["passes"] == 0 and report["n_iter"] == 1
    assert report["rows"] > 0
    assert report["same"] and report["goes on"] and report["refit"]


# Interrupts itself many times, at random moments of the training.
MANY = """
import json, signal, sys
import numpy as np
from scipy.sparse import csr_matrix
import sklearn_online_svm

name, params, how = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
if name.startswith("Advice"):
    rules = {0: (">=", 0.5), 2: (-1, 2)}
    params["advice"] = [sklearn_online_svm.Advice.from_rules(rules, range(30), 1)]
rng = np.random.default_rng(0)
X, y = rng.normal(size=(500, 30)), rng.integers(0, 3, 500)
if how == "csr":
    X = csr_matrix(X)
classes = [0, 1, 2]
# Processes started by a shell with & ignore SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))

ARRAYS = ("coef_", "intercept_", "covariance_", "common_coef_", "local_coef_", "prototypes_")

def new(**more):
    return getattr(sklearn_online_svm, name)(tol=None, shuffle=False, **params, **more)

def assert_same(model, other):
    for attribute in (*ARRAYS, "t_", "n_updates_"):
        if hasattr(model, attribute):
            assert np.array_equal(getattr(model, attribute), getattr(other, attribute)), attribute

n_interrupted = 0
for _ in range(40):
    model = new(max_iter=10**9)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, rng.uniform(0.001, 0.02))
            model.fit(X, y)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        n_interrupted += 1
    if not hasattr(model, "t_"):
        assert set(vars(model)) == set(model.get_params())
        continue  # it had not begun
    n_rows = int(model.t_) - 1
    passes, rest = divmod(n_rows, 500)
    other = new(max_iter=max(1, passes))
    if n_rows == 0:
        continue
    if passes:
        other.fit(X, y)
    if rest:
        other.partial_fit(X[:rest], y[:rest], classes)
    assert_same(model, other)
    assert_same(model.partial_fit(X, y), other.partial_fit(X, y))
print(n_interrupted)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, params, how",
    [
        (PA, dict(average=True, multi_class="crammer_singer"), "csr"),
        slow("AROWClassifier", {}, "csr"),
        slow("ConfidenceWeightedClassifier", dict(covariance="full"), "dense"),
        slow(LOCAL, dict(n_neighbors=2), "csr"),
        slow(ADVICE, dict(advice_weight=0.1), "csr"),
        slow(ADVICE, dict(advice_weight=0.1, refine=2), "dense"),
    ],
    ids=str,
)
def test_interrupts_at_any_time_stop_between_samples(name, params, how):
    process = finished(MANY, name, json.dumps(params), how, seconds=300)
    assert process.returncode == 0, process.stderr
    assert int(process.stdout) > 30


# -- labels that have a price -----------------------------------------------------------

BOUGHT = """
import json, signal, sys, time
import numpy as np
from sklearn_online_svm import AROWClassifier, LabelEfficientClassifier
from sklearn_online_svm.active import MarginQuery

signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X, y = rng.normal(size=(16_000, 500)), rng.integers(0, 3, 16_000)

def new():
    query = MarginQuery(delta=5.0, random_state=0)
    return LabelEfficientClassifier(AROWClassifier(covariance="full"), query)

model = new()
print("begins", flush=True)
try:
    model.partial_fit(X, y, classes=[0, 1, 2])
except KeyboardInterrupt:
    report = {"back": time.monotonic()}
else:
    sys.exit("was not interrupted")
n = report["rows"] = len(model.queried_)
other = new().partial_fit(X[:n], y[:n], classes=[0, 1, 2])
assert np.array_equal(other.queried_, model.queried_)
assert np.array_equal(other.online_predictions_, model.online_predictions_)
assert np.array_equal(other.estimator_.coef_, model.estimator_.coef_)
for each in (model, other):
    each.partial_fit(X[n : n + 500], y[n : n + 500])
assert np.array_equal(other.queried_, model.queried_)
assert np.array_equal(other.estimator_.coef_, model.estimator_.coef_)
print(json.dumps(report))
"""


@pytest.mark.slow
def test_queries_before_an_interrupt_are_recorded():
    report, delay = interrupted(BOUGHT, after=0.3)
    assert 0 <= delay < LIMIT
    assert report["rows"] > 0


# -- before training ----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize(
    "make", [PassiveAggressiveClassifier, AROWClassifier, PassiveAggressiveRegressor]
)
def test_interrupt_before_training_leaves_the_model_unchanged(make, method, monkeypatch):
    """Regression test: classes_ and n_features_in_ were new, but the weights were not."""

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 2
    fitted, empty = make(random_state=0).fit(X, y), make()
    before = dict(vars(fitted))
    predicted = fitted.predict(X)
    monkeypatch.setattr(LinearState, "begun", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(X[:, :3], y + 5)
    assert vars(fitted) == before
    assert_array_equal(fitted.predict(X), predicted)
    classes = {} if make is PassiveAggressiveRegressor else {"classes": [0, 1]}
    with pytest.raises(KeyboardInterrupt):
        if method == "fit":
            empty.fit(X, y)
        else:
            empty.partial_fit(X, y, **classes)
    assert vars(empty) == vars(make())
    monkeypatch.undo()
    assert_array_equal(fitted.partial_fit(X, y).coef_.shape, fitted.coef_.shape)
    empty.partial_fit(X[:, :2], y, **classes)
    assert empty.n_features_in_ == 2
