"""Random sequences of calls of every estimator: the quick size of the campaign ``calls``."""

import pytest

from reliability.calls import run
from tests.support.trainable import MODELS, trained_kinds


@pytest.mark.sampled
@pytest.mark.parametrize("name", MODELS)
def test_random_calls(name):
    run(name, max_examples=2, stateful_step_count=8)


def test_all_estimators_are_in_the_table():
    assert trained_kinds() <= {type(model) for model in MODELS.values()}
