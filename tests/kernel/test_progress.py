"""Progress output of fit."""

import sys
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from tqdm import tqdm

from sklearn_online_svm import LASVC, RampSVC
from tests.support.internals import RemainingFinish, RemainingTime, _progress, progress
from tests.support.limits import set_limits
from tests.support.samples import two_classes


class Engine:
    """Stub with the engine attributes that the progress output reads."""

    n_processed = 0

    class store:
        n_slots = 1234


@pytest.fixture
def without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)


@pytest.mark.parametrize(
    "verbose, on_terminal, in_notebook, shown",
    [(0, 1, 1, 0), (1, 0, 0, 0), (1, 1, 0, 1), (1, 0, 1, 1), (2, 0, 0, 1)],
)
def test_progress_is_shown_on_a_terminal_in_a_notebook_or_with_verbose_2(
    verbose, on_terminal, in_notebook, shown, monkeypatch, without_tqdm
):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: on_terminal, raising=False)
    if in_notebook:
        monkeypatch.setitem(sys.modules, "ipykernel", None)
    with progress(Engine, 100, verbose, "") as report:
        assert (report is not None) == shown


def test_lines_show_rate_and_remaining_time(monkeypatch, capsys, without_tqdm):
    now = iter([0.0, 1.0, 4.0, 8.0])
    monkeypatch.setattr(_progress, "time", SimpleNamespace(perf_counter=lambda: next(now)))
    with progress(Engine, 10_000, 2, "[LASVC]") as report:
        for n_processed in (1000, 2000, 4000):
            report(n_processed)
    vectors = "of 10,000 samples, 1,234 vectors in the support set, 500 samples/s"
    assert capsys.readouterr().err.splitlines() == [
        f"[LASVC] 2,000 {vectors}",
        f"[LASVC] 4,000 {vectors}, about 12 s left of the epoch",
    ]


@pytest.mark.parametrize("growth", [0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_remaining_time_takes_growing_costs_into_account(growth, noise):
    n_samples, total, rng = 100_000, 60.0, np.random.default_rng(0)
    remaining = RemainingTime(0)
    begin = remaining.since
    for seconds in np.arange(2.0, 56.0, 2.0):
        now = begin + seconds + noise * rng.normal()
        remaining.measure(int(n_samples * (seconds / total) ** (1 / (growth + 1))), now)
        estimate = remaining.seconds(n_samples)
        if seconds >= total / 10:
            assert estimate == pytest.approx(total - seconds, rel=0.5 if noise else 0.2)


def test_progress_of_the_optimization(monkeypatch, capsys, without_tqdm):
    set_limits(monkeypatch, PROGRESS_SECONDS=0.0)
    X, y = two_classes(2000, noise=3.0)
    model = LASVC(C=100.0, max_iter=1, random_state=0, verbose=2).fit(X, y)
    fitted = capsys.readouterr().err
    assert "[LASVC] optimizing over " in fitted and fitted.rstrip().endswith(" s left")
    model.set_params(tol=1e-6).finish()
    assert "[LASVC] optimizing over " in capsys.readouterr().err


@pytest.mark.parametrize("n_problems", [1, 4])
def test_remaining_optimization(n_problems):
    total, rng = 60.0, np.random.default_rng(0)
    problems = [SimpleNamespace(finish_distance=np.nan) for _ in range(n_problems)]
    remaining = RemainingFinish(lambda: np.array([p.finish_distance for p in problems]))
    assert remaining.seconds() is None
    for now in np.linspace(0.0, total, 600, endpoint=False):
        # The problems are optimized one after another, from a violation of exp(7) * tol.
        for number, problem in enumerate(problems):
            share = now / total * n_problems - number
            if share > 0:
                problem.finish_distance = max(0.0, 7.0 * (1 - share) + 0.1 * rng.normal())
        remaining.measure(remaining.begin + now)
        if total / 10 <= now <= 0.95 * total:
            assert remaining.seconds() == pytest.approx(total - now, rel=0.5)


def test_bar_shows_size_of_support_set(capsys, monkeypatch):
    at_once = SimpleNamespace(tqdm=partial(tqdm, mininterval=0))
    monkeypatch.setitem(sys.modules, "tqdm", at_once)
    with progress(Engine, 100, 2, "[LASVC]") as report:
        report(100)
    assert "100/100 " in (shown := capsys.readouterr().err)
    assert "1,234 vectors in the support set" in shown


@pytest.mark.parametrize(
    "kind, params, shown",
    [
        (LASVC, {"max_iter": 1}, "384 of 400 samples"),
        (LASVC, {}, "optimizing over 400 samples"),
        (RampSVC, {}, "384 of 400 samples"),
    ],
)
def test_verbose_does_not_change_the_model(kind, params, shown, without_tqdm, monkeypatch, capsys):
    set_limits(monkeypatch, PROGRESS_SECONDS=0.0)
    X, y = two_classes(400)
    verbose = kind(random_state=0, verbose=2, **params).fit(X, y)
    assert f"[{kind.__name__}] {shown}" in capsys.readouterr().err
    silent = kind(random_state=0, **params).fit(X, y)
    assert np.array_equal(verbose.decision_function(X), silent.decision_function(X))
