"""One-vs-rest and one-vs-one: errors, times and streams.

``multiclass_real`` and ``multiclass_generated``: parameters of both forms, found by the same
search, and errors. ``multiclass_times``: times with the stored parameters, so that they can be
measured again without a search. ``multiclass_forest``: many samples, by number of threads.
``multiclass_stream``: letters in chunks. ``multiclass_late``: letters of which five come late.
"""

from ..bench.harness import DataMissing, grid
from ..bench.results import load_those_stored
from .sets import GENERATED, REAL
from .tasks import FORMS

SEARCHES = ("multiclass_real", "multiclass_generated")
# Splits whose times are measured, at most.
N_TIMED = 3
# The import of a fresh process takes longer than a small set.
N_QUICK_SETS = 4
# Numbers of generated samples, and of threads.
FOREST = [(20_000, 1), (20_000, 2), (100_000, 2)]
FOREST_MODELS = ("lasvc", "intelex")
STREAMS = dict(form=FORMS, algorithm=("lasvm", "lasvm-g"))


def _tune(settings, sets):
    cases = [
        ({"set": name}, {"set": name, "n_seeds": len(settings.runs(case.seeds))})
        for name, case in list(sets.items())[: N_QUICK_SETS if settings.quick else None]
    ]
    return settings.labelled("tune_multiclass", cases)


def tune_real(settings):
    return _tune(settings, REAL)


def tune_generated(settings):
    return _tune(settings, GENERATED)


def measure_times(settings):
    stored = load_those_stored(SEARCHES, settings.results).values()
    found = [record for part in stored for record in part["records"] if record["status"] == "ok"]
    if not found:
        raise DataMissing(f"It needs the results of {' or '.join(SEARCHES)}.")
    cases = [
        (
            {"set": record["set"]},
            {"set": record["set"], "tuned": [_params(run) for run in record["runs"][:N_TIMED]]},
        )
        for record in found
    ]
    return settings.labelled("time_multiclass", cases)


def _params(run):
    return {form: run["tuned"][form]["params"] for form in FORMS}


def measure_forest(settings):
    cases = [
        dict(n_train=n_train, threads=threads, model=model)
        for n_train, threads in FOREST
        for model in FOREST_MODELS
    ]
    return settings.records("fit_forest", cases, n_classes=7, limit=1800)


def measure_stream(settings):
    return settings.records("stream_multiclass", grid(**STREAMS, seed=settings.runs(3)))


def measure_late(settings):
    return settings.records("late_multiclass", grid(**STREAMS, seed=settings.runs(3)))


STEPS = {
    "multiclass_real": tune_real,
    "multiclass_generated": tune_generated,
    "multiclass_times": measure_times,
    "multiclass_forest": measure_forest,
    "multiclass_stream": measure_stream,
    "multiclass_late": measure_late,
}
