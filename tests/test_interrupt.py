"""Ctrl-C while learning: soon back in Python, with a model that can be used and continued."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sklearn_online_svm import LASVC
from sklearn_online_svm.kernel import _lasvc

ROOT = Path(__file__).resolve().parents[1]

# Promised are 0.5 s on a machine that has nothing else to do.
LIMIT = 2.0

pytestmark = pytest.mark.skipif(os.name == "nt", reason="os.kill cannot interrupt on Windows")

# Learns noise, which takes many seconds, says when it begins, and reports what happened to it.
PROGRAM = """
import json, sys, time
import numpy as np
from sklearn_online_svm import LASVC

task, n_classes, params = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
rng = np.random.default_rng(0)
X, y = rng.normal(size=(40_000, 40)), rng.integers(0, n_classes, 40_000)
classes, first = list(range(n_classes)), slice(0, 500)
if params.get("kernel") == "function":
    params["kernel"] = lambda A, B: np.exp(-0.01 * ((A[:, None] - B[None]) ** 2).sum(axis=2))
model = LASVC(**{"gamma": 0.05, "C": 10.0, "random_state": 0, **params})
if task != "fit":
    model.partial_fit(X[:4000], y[:4000], classes=classes)
work = {
    "fit": lambda: model.fit(X, y),
    "partial_fit": lambda: model.partial_fit(X, y),
    "finish": model.finish,
    "predict": lambda: model.decision_function(np.tile(X, (20, 1))),
}[task]
print("begins", flush=True)
try:
    work()
except KeyboardInterrupt:
    report = {"back": time.monotonic()}
else:
    sys.exit("was not interrupted")

decisions = model.decision_function(X[first])
report["decides"] = bool(np.isfinite(decisions).all() and decisions.any())
errors, sums = [], []
for problem in model._engine.problems:
    members = problem.members
    alive = members["row_id"] >= 0
    assert (members["alpha"] <= members["upper"]).all()
    assert (members["alpha"] >= members["lower"]).all()
    sums.append(abs(members["alpha"].sum()))
    errors.append(members["g"][alive].copy())
model._engine.refresh()
for problem, g in zip(model._engine.problems, errors):
    alive = problem.members["row_id"] >= 0
    report["error"] = max(report.get("error", 0.0), abs(problem.members["g"][alive] - g).max())
report["sum"] = max(sums)
report["support"] = len(model.support_)
seen = model.n_samples_seen_
model.partial_fit(X[first], y[first])
report["continued"] = model.n_samples_seen_ - seen
report["changed"] = bool((model.decision_function(X[first]) != decisions).any())
print(json.dumps(report))
"""


def interrupted(task, *, n_classes=2, after=0.4, **params):
    """Report of a process interrupted so long after its work has begun, and the delay."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, task, str(n_classes), json.dumps(params)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "begins\n", process.stderr.read()
        time.sleep(after)
        sent = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    report = json.loads(output)
    return report, report["back"] - sent


def check(task, params):
    report, delay = interrupted(task, **params)
    print(f"back after {delay:.2f} s: {report}")
    assert 0 <= delay < LIMIT
    assert report["decides"] and report["support"] > 0
    assert report["sum"] < 1e-6
    assert report["error"] < 1e-6
    assert report["continued"] == 500 and report["changed"]


@pytest.mark.parametrize(
    "task, params",
    [
        ("fit", {}),
        ("fit", dict(max_iter=-1)),
        ("fit", dict(n_jobs=2, n_classes=5)),
        ("partial_fit", {}),
        ("finish", dict(tol=1e-12, C=1e4)),
        ("finish", dict(tol=1e-12, C=1e4, n_jobs=2, n_classes=5)),
        ("predict", dict(n_jobs=2)),
    ],
    ids=str,
)
def test_back_soon_and_the_model_can_be_used(task, params):
    check(task, params)


@pytest.mark.slow
@pytest.mark.parametrize(
    "task, params",
    [
        ("fit", dict(after=6.0)),
        ("fit", dict(n_jobs=2)),
        ("fit", dict(cache_size=1)),
        ("fit", dict(kernel="function")),
        ("fit", dict(n_jobs=2, n_classes=5, max_iter=-1, cache_size=1)),
        ("partial_fit", dict(n_jobs=2, n_classes=5)),
        ("finish", dict(tol=1e-12, C=1e4, shrinking=False, cache_size=1)),
        ("predict", {}),
    ],
    ids=str,
)
def test_back_soon_in_all_other_circumstances(task, params):
    check(task, params)


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_an_interrupt_before_learning_leaves_the_model_as_it_was(method, monkeypatch):
    """Classes and kernel of the new data were set, but the engine was still the former one."""

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    X, y = np.random.default_rng(0).normal(size=(60, 4)), np.arange(60) % 2
    fitted, empty = LASVC(random_state=0).fit(X, y), LASVC()
    decisions = fitted.decision_function(X)
    monkeypatch.setattr(_lasvc, "EngineSpec", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(X[:, :3], y + 5)
    assert list(fitted.classes_) == [0, 1]
    assert (fitted.decision_function(X) == decisions).all()
    with pytest.raises(KeyboardInterrupt):
        if method == "fit":
            empty.fit(X, y)
        else:
            empty.partial_fit(X, y, classes=[0, 1])
    assert vars(empty) == vars(LASVC())
