"""The linear models: one pass, one sample, a hundred samples; how the cost grows; errors.

``linear_fit``: one pass, compared with scikit-learn; ``linear_calls``: one sample and chunks,
compared with scikit-learn, river and Vowpal Wabbit; ``linear_second_order``: AROW, CW and SCW;
``linear_growth``: samples, features, nonzeros, classes and the full covariance; ``linear_sgd``:
errors and times of whole fits, with parameters chosen on held-out samples.
"""

from ..bench.harness import grid
from ..sets.linear import AXES
from .models import TUNED
from .sets import SETS

WORKS = ["dense_64", "dense_32", "text", "newsgroups"]
# In the order of the samples, then with the default shuffle=True.
FIT_MODELS = ["pa", "sgd", "pa_shuffled", "sgd_shuffled"]
CALLS_MODELS = ["pa", "sgd", "river", "vw_parsed", "vw_text"]
DIAGONAL = ["pa", "arow", "cw", "scw1", "scw2", "sgd"]
# Ours, and the peer that has the same algorithm.
OLPY = {"arow_full": "olpy_arow", "cw_full": "olpy_cw", "scw1_full": "olpy_scw"}
# olpy above this takes minutes.
OLPY_FEATURES = 256


def _fits(works, models, repeats, settings):
    """Fits on several works, in processes that take turns."""
    cases = grid(seed=range(settings.seeds), work=works)
    repeats = 3 if settings.quick else repeats
    return settings.records("fit_in_turns", cases, models=models, repeats=repeats)


def measure_fit(settings):
    return _fits(WORKS, FIT_MODELS, 12, settings)


def measure_calls(settings):
    cases = grid(seed=range(settings.seeds))
    return settings.records("calls_in_turns", cases, models=CALLS_MODELS)


def measure_second_order(settings):
    diagonal = _fits(["text", "newsgroups"], DIAGONAL, 12, settings)["records"]
    # The peer takes half a second.
    full = _fits(["small_dense"], [*OLPY, *OLPY.values()], 6, settings)["records"]
    return {"records": diagonal + full}


def measure_growth(settings):
    """One process for each point."""
    cases = []
    for name, axis in AXES.items():
        for value in axis.values[: 3 if settings.quick else None]:
            labels = dict(axis=name, value=value)
            slow = value > OLPY_FEATURES
            models = [m for m in axis.models if not (slow and m.startswith("olpy"))]
            cases.append((labels, labels | dict(models=models)))
    repeats = 1 if settings.quick else 5
    return settings.labelled("fit_in_turns", cases, repeats=repeats)


def measure_sgd(settings):
    """One process for each set and seed."""
    sets = list(SETS)[: 3 if settings.quick else None]
    cases = grid(set=sets, seed=range(settings.seeds))
    return settings.records("choose_and_fit", cases, models=list(TUNED))


STEPS = {
    "linear_calls": measure_calls,
    "linear_fit": measure_fit,
    "linear_second_order": measure_second_order,
    "linear_growth": measure_growth,
    "linear_sgd": measure_sgd,
}
