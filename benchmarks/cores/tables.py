"""Tables of `cores`: what more threads gain, measured and predicted."""

from statistics import median

from ..bench import summary
from ..bench.rst import count, list_table, percent, seconds, times
from .sets import CASES
from .steps import MODELS

NAMES = {"ovo": "LASVC", "ovr": "LASVC, one-vs-rest", "intelex": "scikit-learn-intelex"}
PREDICTED = (4, 8, 16, 32)


def _fits(results):
    """Title, model and median time by number of threads, for each set and model."""
    found = summary.measured("cores", results).records
    for name, case in CASES.items():
        for model in MODELS:
            runs = [r for r in found if (r["set"], r["model"]) == (name, model)]
            if runs:
                title = NAMES[model] if case.epsilon is None else NAMES[model].replace("C", "R")
                yield name, title, {r["threads"]: median(r["seconds"]) for r in runs}


def measured(results):
    """Times by number of threads, and their ratio."""
    rows = []
    for name, title, by_threads in _fits(results):
        one, (most, best) = by_threads[1], max(by_threads.items())
        title = f"{CASES[name].title}: {title}"
        rows.append([title, *map(seconds, by_threads.values()), times(one / best)])
    header = [f"{count(n)} thread{'s' * (n > 1)}" for n in by_threads]
    return list_table(["", *header, f"speed-up with {most} threads"], rows)


def serial_share(by_threads):
    """Share of the time that is not divided, by Amdahl's law from 1 and the most threads."""
    most = max(by_threads)
    ratio = by_threads[most] / by_threads[1]
    return min(max((most * ratio - 1) / (most - 1), 0.0), 1.0) if most > 1 else 1.0


def predicted(results):
    """Amdahl's law: a model, not a measurement."""
    rows = []
    for name, title, by_threads in _fits(results):
        if name == "small":
            continue
        share, one = serial_share(by_threads), by_threads[1]
        expected = [one * (share + (1 - share) / n) for n in PREDICTED]
        rows.append([f"{CASES[name].title}: {title}", percent(share, 0), *map(seconds, expected)])
    return list_table(["", "serial share", *(f"{n} cores" for n in PREDICTED)], rows)


def passes(results):
    """Time of a pass over the gradient, and its gain."""
    found = summary.measured("cores_pass", results)
    threads = sorted(found.distinct("threads"))
    rows = []
    for n_slots in sorted(found.distinct("n_slots")):
        here = [found.where(n_slots=n_slots, threads=n).median("nanoseconds") for n in threads]
        rows.append([count(n_slots), *(f"{ns / 1000:.2f}" for ns in here),
                     times(here[0] / here[-1])])  # fmt: skip
    header = [f"{count(n)} thread{'s' * (n > 1)} (µs)" for n in threads]
    return list_table(["support vectors", *header, f"speed-up with {threads[-1]} threads"], rows)


TABLES = {"cores": measured, "cores_predicted": predicted, "cores_pass": passes}
