"""Fixtures shared by all tests.

Environment variables: ``SOSVM_TEST_SEED`` is the seed of `global_random_seed`, a number or
``all``; ``SOSVM_DATA`` is a folder with the data sets of the papers. ``SCIPY_ARRAY_API=0`` leaves
out scikit-learn's checks of the array API, which need SciPy to know of it from its import on.
"""

import os

import numpy as np
import pytest

os.environ.setdefault("SCIPY_ARRAY_API", "1")

import sklearn  # noqa: E402 - imports SciPy

from benchmarks.bench.data import find_npz, load_paper_dataset  # noqa: E402

_ALL_SEEDS = range(20)


def _seeds():
    value = os.environ.get("SOSVM_TEST_SEED", "42")
    if value == "all":
        return list(_ALL_SEEDS)
    try:
        return [int(value)]
    except ValueError:
        raise pytest.UsageError(
            f"SOSVM_TEST_SEED must be an integer or 'all', got {value!r}."
        ) from None


def pytest_report_header(config):
    return f"SOSVM_TEST_SEED: {os.environ.get('SOSVM_TEST_SEED', '42')}"


@pytest.fixture(params=_seeds(), ids=lambda seed: f"seed{seed}")
def global_random_seed(request):
    """Seed of a test whose verdict must not depend on it; 42 unless told otherwise."""
    return request.param


@pytest.fixture
def paper_data():
    """Load a data set of the papers from disk, or skip the test; nothing is downloaded."""

    def load(name):
        if find_npz(name) is None:
            pytest.skip(f"{name}.npz is not in the folder SOSVM_DATA")
        return load_paper_dataset(name)

    return load


@pytest.fixture(autouse=True)
def seed_of_numpy():
    """``random_state=None`` draws from NumPy's global generator: the same numbers in each run."""
    np.random.seed(42)  # noqa: NPY002 - the generator of ``random_state=None``


@pytest.fixture(autouse=True)
def settings_of_scikit_learn():
    """An interrupt that comes while scikit-learn puts its settings back, at the end of ``fit``,
    would leave parameters unchecked for the rest of the process."""
    settings = sklearn.get_config()
    yield
    sklearn.set_config(**settings)
