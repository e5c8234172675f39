"""Learning with advice while somebody else reads, or presses Ctrl-C."""

import os
import signal
import threading
import time

import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from sklearn_online_svm import Advice, AdvicePassiveAggressiveClassifier
from tests.support.linear_kinds import assert_same, clouds

RULES = [
    Advice.from_rules({0: (">=", 0.5), 2: (-1, 2)}, range(4), 1),
    Advice.from_rules({0: ("<=", -1)}, range(4), 0),
]
with_refine = pytest.mark.parametrize("refine", [False, True])


@pytest.mark.skipif(os.name == "nt", reason="there is no setitimer on Windows")
@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(),
    reason="signals need the main thread",
)
@with_refine
def test_an_interrupt_ends_between_two_rows(refine):
    def press(*_):
        raise KeyboardInterrupt

    X, y = clouds(1_200_000)
    model = AdvicePassiveAggressiveClassifier(
        RULES, advice_weight=0.1, refine=refine, shuffle=False, tol=None, max_iter=10**6
    )
    before = signal.signal(signal.SIGALRM, press)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    n_passes, rest = divmod(int(model.t_) - 1, len(y))
    assert model.t_ > 100
    other = clone(model)
    for n in [len(y)] * n_passes + [rest]:
        if n:
            other.partial_fit(X[:n], y[:n], classes=[0, 1])
    assert_same(model, other)
    # It goes on, also with other advice.
    for goes_on in (model, other):
        goes_on.partial_fit(X[rest : rest + 50], y[rest : rest + 50])
        goes_on.set_params(advice=RULES[:1]).partial_fit(X[:50], y[:50])
    assert_same(model, other)


@with_refine
@pytest.mark.parametrize("n_classes", [2, 3])
def test_readers_see_whole_chunks(refine, n_classes):
    """Advice, what was learnt beside it, and its scale belong together."""
    X, y = clouds(120_000, n_classes=n_classes)
    chunks = [slice(start, start + 3000) for start in range(0, 120_000, 3000)]
    model = AdvicePassiveAggressiveClassifier(RULES, advice_weight=0.05, refine=refine)
    states, twin = [], clone(model)
    for chunk in chunks:
        states.append(twin.partial_fit(X[chunk], y[chunk], range(n_classes)).coef_.copy())
    seen, done = [], threading.Event()
    model.partial_fit(X[chunks[0]], y[chunks[0]], range(n_classes))

    def read():
        while not done.is_set():
            coef = model.coef_
            seen.append((coef, coef.copy()))
            time.sleep(0)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        for chunk in chunks[1:]:
            n_seen = len(seen)
            while len(seen) == n_seen:  # somebody looks between any two chunks
                time.sleep(0)
            model.partial_fit(X[chunk], y[chunk])
    finally:
        done.set()
        for reader in readers:
            reader.join()
    whole = {state.tobytes() for state in states}
    found = {coef.tobytes() for _, coef in seen}
    assert found <= whole and len(found) > 10
    # Nobody writes to what is held.
    for held, coef in seen[:: max(1, len(seen) // 100)]:
        assert_array_equal(held, coef)
    assert_array_equal(model.coef_, states[-1])
