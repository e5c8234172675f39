"""Progress output of fit."""

import sys

import numpy as np
import pytest

from sklearn_online_svm import LASVC, RampSVC
from sklearn_online_svm.kernel import _progress


class Engine:
    """Stub with the engine attributes that the progress output reads."""

    n_learnt = 0

    class store:
        n_slots = 1234


@pytest.fixture
def without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)


def two_classes(n=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] > 0).astype(int)


def test_progress_goes_to_a_pipe_only_with_verbose_2():
    assert _progress.progress_of(Engine, 100, 0, "") is None
    assert _progress.progress_of(Engine, 100, 1, "") is None
    assert _progress.progress_of(Engine, 100, 2, "") is not None


def test_progress_is_shown_on_a_terminal_with_verbose_1(monkeypatch, without_tqdm):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert isinstance(_progress.progress_of(Engine, 100, 1, ""), _progress.Lines)


def test_lines_show_rate_and_remaining_time(monkeypatch, capsys, without_tqdm):
    now = iter([0.0, 1.0, 4.0, 5.0])
    monkeypatch.setattr(_progress.time, "perf_counter", lambda: next(now))
    lines = _progress.progress_of(Engine, 10_000, 2, "[LASVC]")
    for n_learnt in (1000, 2000, 3000):
        lines(n_learnt)
    lines.close()
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "[LASVC] 2,000 of 10,000 samples, 500 samples/s, 1,234 vectors in the support set, "
        "16 s left"
    ]


def test_bar_shows_size_of_support_set():
    bar = _progress.progress_of(Engine, 100, 2, "[LASVC]")
    bar(100)
    assert bar.bar.n == 100
    assert "1,234 vectors in the support set" in str(bar.bar)
    bar.close()


@pytest.mark.parametrize("model", [LASVC, RampSVC])
def test_verbose_does_not_change_the_model(model, without_tqdm, monkeypatch, capsys):
    monkeypatch.setattr(_progress, "_BETWEEN", 0.0)
    X, y = two_classes()
    told = model(random_state=0, verbose=2).fit(X, y)
    err = capsys.readouterr().err
    assert f"[{model.__name__}] 384 of 400 samples" in err
    silent = model(random_state=0).fit(X, y)
    assert np.array_equal(told.decision_function(X), silent.decision_function(X))
