"""Ctrl-C in ``partial_fit`` with samples of another layout than before."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.base import is_classifier

from tests.support.interrupts import Interrupt, n_lines
from tests.support.trainable import STREAMS, n_samples_seen, samples_of, seeded

# The decision values of the others have the accuracy of tol.
NAMES = [name for name in STREAMS if "finishing" not in name]
# Interrupted before each line; the others at so many places.
EACH_LINE = ("pa", "kernel pa", "lasvm, 2 classes")
N_INTERRUPTS = 15


@pytest.mark.sampled
@pytest.mark.parametrize("layouts", [(csr_matrix, np.asarray), (np.asarray, csr_matrix)])
@pytest.mark.parametrize("name", NAMES)
def test_training_continues_after_an_interrupt(name, layouts):
    X, y = samples_of(name, 60)
    former, later = (layout(X) for layout in layouts)
    model = seeded(name)
    given = {"classes": np.unique(y)} if is_classifier(model) else {}
    model.partial_fit(former[:20], y[:20], **given)
    n_before, chunk = n_samples_seen(model), (later[20:40], y[20:40])
    expected = decisions(copy.deepcopy(model).partial_fit(*chunk), X)
    total = n_lines(copy.deepcopy(model).partial_fit, *chunk)
    step = 1 if name in EACH_LINE else max(1, total // N_INTERRUPTS)
    for n in range(1, total + 1, step):
        stopped = copy.deepcopy(model)
        call = Interrupt(n, stopped.partial_fit, *chunk)
        if call.raised:
            go_on(stopped, chunk, int(n_samples_seen(stopped) - n_before), call.notes)
        assert_allclose(decisions(stopped, X), expected, rtol=1e-6, atol=1e-9, err_msg=str(n))


def go_on(model, chunk, n_seen, notes):
    """Continue training, with the samples that the model does not have yet."""
    X, y = chunk
    if not hasattr(model, "resume"):
        if n_seen < len(y):
            model.partial_fit(X[n_seen:], y[n_seen:])
        return
    try:
        model.resume(X, y)
    except ValueError as error:
        assert "nothing to resume" in str(error)
        # A search says whether it has the samples: its best model may have been trained on them.
        taken = n_seen > 0 and "not taken these samples" not in notes
        if not taken and "has taken these samples" not in notes:
            model.partial_fit(X, y)


def decisions(model, X):
    return getattr(model, "decision_function", model.predict)(X)


@pytest.mark.parametrize("name", ["search", "search, regressor", "search, finishing"])
def test_the_winner_of_a_search_uses_each_sample_once(name):
    X, y = samples_of(name, 120)
    model, chunk = seeded(name).fit(X[:60], y[:60]), (X[60:100], y[60:100])
    expected = n_samples_seen(copy.deepcopy(model).partial_fit(*chunk))
    total = n_lines(copy.deepcopy(model).partial_fit, *chunk)
    for n in range(1, total + 1, 7):
        stopped = copy.deepcopy(model)
        call = Interrupt(n, stopped.partial_fit, *chunk)
        if call.raised:
            go_on(stopped, chunk, n_samples_seen(stopped) - n_samples_seen(model), call.notes)
        assert n_samples_seen(stopped) == expected, n
