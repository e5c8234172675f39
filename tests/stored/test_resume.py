"""``resume`` after Ctrl-C, also of a stored model, gives the bits of the uninterrupted model."""

import copy
import os
import pickle
import signal
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from sklearn_online_svm import LASVC, ActiveLASVC, RampSVC
from tests.support.fitted_models import CutKernel
from tests.support.internals import limit_reprocessing, targets_of, training_state
from tests.support.interrupts import InterruptAtCheck
from tests.support.samples import three_classes, two_classes
from tests.support.timed_interrupts import (  # noqa: F401 - two are fixtures
    assert_same,
    check_interrupts,
    ctrl_c,
    frequent_checks,
    noise,
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no timer to interrupt with")


# -- at random times ---------------------------------------------------------------------------

COSTS = dict(C=10.0, gamma=0.05, tol=1e-4)
STREAM = dict(C=10.0, gamma=0.05, class_weight="online_balanced")
FINISH = dict(C=100.0, gamma=0.02, tol=1e-9)
CHUNKS = [slice(0, 100), slice(100, 400), slice(400, 500)]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("model", "n_classes", "method"),
    [
        (LASVC(**COSTS, max_iter=-1), 2, "fit"),
        (LASVC(**COSTS, max_iter=-1, algorithm="lasvm-nc"), 3, "fit"),
        (LASVC(**COSTS, max_iter=3, multi_class="ovo", delta_max=1e-3), 4, "fit"),
        (
            ActiveLASVC(**COSTS, selection="autoactive", algorithm="lasvm-g", max_labels=300),
            *(2, "fit"),
        ),
        (RampSVC(**COSTS, init_size=0.3, ramp_s=0.0), 2, "fit"),
        (RampSVC(**COSTS, multi_class="ovo", fit_intercept=False), 4, "fit"),
        (LASVC(**STREAM, multi_class="ovr", delta_max=1e-3), 3, "partial_fit"),
        (LASVC(**STREAM, window_size=200), 3, "partial_fit"),
        (LASVC(**FINISH), 2, "finish"),
        (LASVC(**FINISH, multi_class="ovr"), 3, "finish"),
        (LASVC(**FINISH), 3, "finish"),
    ],
    ids=str,
)
def test_threads(model, n_classes, method, ctrl_c, frequent_checks):  # noqa: F811
    """Where threads are interrupted depends on the time; for one see interrupts/test_stages.py."""
    X, y = noise(500, n_classes)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    model.set_params(n_jobs=2, random_state=0)
    calls = {
        "fit": [("fit", X, y)],
        "partial_fit": [("partial_fit", X[c], y[c], range(n_classes), weights[c]) for c in CHUNKS],
        "finish": [("finish",)],
    }[method]
    if method == "finish":
        model.partial_fit(X, y, range(n_classes))

    def check(model):
        assert np.isfinite(model.decision_function(X[:5])).all()
        if method == "partial_fit":
            seen = slice(0, model.n_samples_seen_)
            counts = np.bincount(y[seen], weights[seen], n_classes)
            assert_allclose(targets_of(model).counts, counts)

    check_interrupts(model, calls, X, check)


# -- one model -------------------------------------------------------------------------------


def interrupted_model(X, y, *args, method="fit", **params):
    """Return a model interrupted during its first call, and the exception."""
    kernel = CutKernel()
    kernel.calls_left = 4
    model = LASVC(kernel=kernel, C=5.0, random_state=0, **{"max_iter": 2, **params})
    with pytest.raises(KeyboardInterrupt) as caught:
        getattr(model, method)(X, y, *args)
    return model, caught.value


def test_resume_with_a_shared_random_state():
    """Later epochs use the same orders, even if the generator is used elsewhere meanwhile."""
    X, y = two_classes(200)
    params = dict(max_iter=4, C=5.0, kernel=CutKernel())
    reference = LASVC(random_state=np.random.RandomState(3), **params).fit(X, y)
    random = np.random.RandomState(3)
    model = LASVC(random_state=random, **params)
    model.kernel.calls_left = 7
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    random.uniform(size=100)
    assert_same(model.resume(X, y), reference, X)


def test_traceback_names_the_resume_call():
    X, y = two_classes(300)
    model, error = interrupted_model(X, y, max_iter=1)
    assert error.__notes__ == [
        "LASVC holds the result of the training so far and can be used as it is; resume(X, y) "
        "continues the interrupted fit."
    ]
    assert model.interrupted_ and 0 < model.n_samples_seen_ < 300
    assert not model.resume(X, y).interrupted_


def test_nothing_to_resume():
    X, y = two_classes()
    with pytest.raises(ValueError, match="nothing to resume"):
        LASVC().resume(X, y)
    assert not hasattr(LASVC(), "classes_")
    with pytest.raises(NotFittedError):
        _ = LASVC().interrupted_
    for model in (LASVC().fit(X, y), RampSVC().fit(X, y)):
        assert not model.interrupted_
        with pytest.raises(ValueError, match="nothing to resume"):
            model.resume(X, y)


@pytest.mark.parametrize("n", [1, 300])
def test_invalid_samples_after_an_interrupt_keep_it(n):
    """The engine finds samples whose norms overflow, after validation."""
    X, y = two_classes(1200)
    model = LASVC(random_state=0).partial_fit(X[:200], y[:200], np.unique(y))
    reference, data = copy.deepcopy(model), (X[200:], y[200:])
    assert InterruptAtCheck((1,), model.partial_fit, *data).raised and model.interrupted_
    before = training_state(model)
    far, labels = two_classes(n)
    far[-1] = 1e200
    with pytest.raises(ValueError, match="squared norm"):
        model.partial_fit(far, labels)
    assert_equal(training_state(model), before)
    assert_same(model.resume(*data), reference.partial_fit(*data), X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", ["partial_fit", "resume"])
def test_warnings_as_errors_do_not_undo_training(method, monkeypatch):
    limit_reprocessing(monkeypatch, 3)
    X, y = noise(200, 2)
    model = LASVC(C=1e4, delta_max=1e-3, finishing=False, random_state=0)
    model.partial_fit(X[:99], y[:99], [0, 1])
    if method == "resume":
        assert InterruptAtCheck((1,), model.partial_fit, X, y).raised and model.interrupted_
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        with pytest.raises(ConvergenceWarning, match="maximum number of steps"):
            getattr(model, method)(X, y)
    assert model.n_samples_seen_ == 299 and not model.interrupted_


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_refused_or_failed_resume_can_be_repeated(method):
    X, y = two_classes(300)
    weights = np.linspace(0.5, 1.5, 300)
    args = () if method == "fit" else (["no", "yes"],)
    model, _ = interrupted_model(X, y, *args, weights, method=method)
    reference = LASVC(kernel=CutKernel(), C=5.0, max_iter=2, random_state=0)
    getattr(reference, method)(X, y, *args, weights)
    other = X.copy()
    other[17, 2] += 1e-9
    labels = y.copy()
    labels[5] = "no" if y[5] == "yes" else "yes"
    wrong = {
        "but X differs": [(other, y, weights), (X[:-1], y[:-1], weights[:-1])],
        "but y differs": [(X, labels, weights), (X, y[::-1], weights)],
        "but sample_weight differs": [(X, y), (X, y, 2 * weights)],
        "X has 3 features": [(X[:, :3], y, weights)],
        "labels that are not among the classes": [(X, np.where(y == "no", "no", "?"), weights)],
        "needs the X and y": [(), (X,)],
    }
    for match, calls in wrong.items():
        for call in calls:
            with pytest.raises(ValueError, match=match):
                model.resume(*call)
            assert model.interrupted_
    for name, value in dict(C=1.0, tol=0.1, max_iter=1, class_weight={"no": 2.0}).items():
        former = getattr(model, name)
        with pytest.raises(ValueError, match=f"{name} cannot change between an interrupt"):
            model.set_params(**{name: value}).resume(X, y, weights)
        model.set_params(**{name: former})
    model.kernel.calls_left, model.kernel.error = 3, RuntimeError("no values today")
    with pytest.raises(RuntimeError, match="no values today"):
        model.resume(X, y, weights)
    assert model.interrupted_
    assert_same(model.set_params(n_jobs=2, verbose=0).resume(X, y, weights), reference, X)


def test_other_training_discards_the_interrupt():
    X, y = two_classes(300)
    for train in (
        lambda m: m.fit(X, y),
        lambda m: m.partial_fit(X, y),
        lambda m: m.finish(),
    ):
        model, _ = interrupted_model(X, y)
        assert not train(model).interrupted_
    model, _ = interrupted_model(X, y)
    for fails in (lambda m: m.fit(X[:0], y[:0]), lambda m: m.partial_fit(X[:, :2], y)):
        with pytest.raises(ValueError):
            fails(model)
        assert model.interrupted_
    assert not hasattr(clone(model), "classes_")


def test_interrupted_fit_counts_the_samples_it_has_processed():
    X, y = two_classes(300)
    model, _ = interrupted_model(X, y, max_iter=1)
    n_seen = model.n_samples_seen_
    assert 0 < n_seen < 300
    assert pickle.loads(pickle.dumps(model)).resume(X, y).n_samples_seen_ == 300
    # The samples of a stream are numbered after those of fit.
    model.partial_fit(X[:50], y[:50][::-1])
    assert model.n_samples_seen_ == n_seen + 50
    later = model.support_ >= 300
    assert 0 < later.sum() < len(later)
    assert_array_equal(model.support_vectors_, np.vstack([X, X[:50]])[model.support_])


class SignallingKernel(CutKernel):
    """Kernel function that receives SIGINT in its n-th call."""

    def cut(self):
        signal.raise_signal(signal.SIGINT)
        pytest.fail("SIGINT is not raised within the kernel function")


@pytest.mark.parametrize("n_calls", [1, 2, 6, 11])
def test_a_kernel_function_is_interrupted_at_once(n_calls, ctrl_c):  # noqa: F811
    X, y = three_classes(120)
    reference = LASVC(kernel=SignallingKernel(), C=5.0, max_iter=3, random_state=0).fit(X, y)
    model = LASVC(kernel=SignallingKernel(), C=5.0, max_iter=3, random_state=0)
    model.kernel.calls_left = n_calls
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert_same(model.resume(X, y), reference, X)
