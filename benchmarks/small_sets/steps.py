"""Small sets and many classes: time of fits, streams, searches and label loops, memory, files."""

from ..bench.harness import grid
from .sets import COMPARED, FEW, FILE, GRID, LARGE, SETS, STREAMS, THREADS, title

# Seconds after which a task is given up.
LIMIT = 300
N_VECTORS = (550, 1770)
SEARCHED = ("digits", title(300, 10, 5))
LOOP = "waveform"


def measure_fits(settings):
    cases = grid(kind=["classes"], set=COMPARED)
    for kind in ("regression", "novelty"):
        cases += grid(kind=[kind], set=SETS[kind])
    return settings.records("fit_small_set", cases[:: 7 if settings.quick else 1], limit=LIMIT)


def measure_grid(settings):
    cases = grid(kind=["classes"], set=GRID.values())
    return settings.records("fit_small_set", cases[:: 7 if settings.quick else 1], limit=LIMIT)


def measure_memory(settings):
    large = [title(*LARGE)]
    cases = grid(set=FEW.values(), model=["svc", "lasvc", "ovr"], stream=[False])
    # One-vs-rest takes minutes.
    cases += grid(set=large, model=["svc", "lasvc"], stream=[False])
    cases += grid(set=large, model=["lasvc"], stream=[True])
    return settings.records(
        "memory_of_small_set", cases[:: 4 if settings.quick else 1], limit=LIMIT
    )


def measure_streams(settings):
    cases = grid(set=[title(*shape) for shape in STREAMS.values()])
    return settings.records("stream_of_classes", cases, limit=LIMIT)


def measure_calls(settings):
    return settings.records("single_calls", grid(n_vectors=N_VECTORS, seed=range(settings.seeds)))


def measure_loops(settings):
    found = settings.records("search_small_set", grid(set=SEARCHED), limit=LIMIT)["records"]
    loops = settings.records("refit_for_labels", grid(set=[LOOP]), limit=LIMIT)["records"]
    return {"records": found + loops}


def measure_threads(settings):
    cases = grid(set=[title(*THREADS)], threads=[1, 2])
    return settings.records("fit_small_set_on_threads", cases)


def measure_files(settings):
    cases = [*grid(set=["letter"], n_train=[5000, 15_000]), {"set": title(*FILE)}]
    return settings.records("files_of_models", cases, limit=LIMIT)


STEPS = {
    "small_sets": measure_fits,
    "small_sets_grid": measure_grid,
    "small_sets_memory": measure_memory,
    "small_sets_streams": measure_streams,
    "small_sets_calls": measure_calls,
    "small_sets_loops": measure_loops,
    "small_sets_threads": measure_threads,
    "small_sets_files": measure_files,
}
