"""Tables of `multiclass`: one-vs-rest compared with one-vs-one."""

from functools import partial
from math import sqrt
from statistics import mean, median, stdev

from ..bench.results import NoResults
from ..bench.rst import count, list_table, number, pivot, times
from ..bench.summary import Records, mean_curve, stored_records
from .sets import SETS
from .steps import FOREST, FOREST_MODELS, SEARCHES
from .tasks import CHUNK, FORMS, N_STREAM

CHOICES = {"tuned": "tuned", "C1": "C = 1", "C10": "C = 10"}
# Samples of the stream after which the table has an error.
SHOWN = (CHUNK, 1000, 2000, 4000, 8000, N_STREAM)


class Comparison:
    """Errors of both forms on one set, in percent: means over the splits."""

    def __init__(self, runs, choice):
        self.runs = [run[choice] for run in runs]
        self.ovr, self.ovo = ([100 * run[form]["error"] for run in self.runs] for form in FORMS)
        self.n_tested = sum(run["n_test"] for run in runs)

    @property
    def difference(self):
        """Error of one-vs-one minus that of one-vs-rest."""
        return mean(self.ovo) - mean(self.ovr)

    @property
    def standard_error(self):
        """The larger one of two estimates, as splits are few and have samples in common.

        From the differences of the splits, and from the number of test samples that only one of
        the forms misclassifies.
        """
        differences = [b - a for a, b in zip(self.ovr, self.ovo, strict=True)]
        discordant = sum(run[form]["n_only"] for run in self.runs for form in FORMS)
        samples = 100 * sqrt(discordant) / self.n_tested
        if len(differences) == 1:
            return samples
        return max(stdev(differences) / sqrt(len(differences)), samples)

    @property
    def is_clear(self):
        return abs(self.difference) > 2 * self.standard_error


def tuned_runs(results):
    """Runs of each set, by name, in the order of the sets; raises NoResults without any."""
    records = [r for step in SEARCHES for r in stored_records(step, results).ok().records]
    found = {record["set"]: record["runs"] for record in records}
    if not found:
        raise NoResults("Nothing was tuned.")
    return {name: found[name] for name in SETS if name in found}


def comparisons(choice, results):
    return {name: Comparison(runs, choice) for name, runs in tuned_runs(results).items()}


def _points(value):
    """Percentage points with their sign; + 0.0 turns a rounded -0 into 0."""
    return f"{round(value, 2) + 0.0:+.2f}"


def _difference(comparison):
    text = f"{_points(comparison.difference)} ± {comparison.standard_error:.2f}"
    return f"**{text}**" if comparison.is_clear else text


def errors(choice, results):
    """A row for each set: both errors, and their difference."""
    found = comparisons(choice, results)
    columns = [
        ("set", lambda name: SETS[name].title),
        ("ovr", lambda name: f"{mean(found[name].ovr):.2f}"),
        ("ovo", lambda name: f"{mean(found[name].ovo):.2f}"),
        ("difference", lambda name: _difference(found[name])),
    ]
    return pivot(found, columns, f"Test error in percent, {CHOICES[choice]}")


def summary(results):
    """A row for each choice of parameters: differences over all sets."""
    rows = []
    for choice, title in CHOICES.items():
        found = comparisons(choice, results)
        differences = [c.difference for c in found.values()]
        clear = [c.difference for c in found.values() if c.is_clear]
        lowest, highest = (end(found, key=lambda n: found[n].difference) for end in (min, max))
        rows.append(
            [
                title,
                ", ".join(_points(middle(differences)) for middle in (mean, median)),
                count(sum(d < 0 for d in clear)),
                count(sum(d > 0 for d in clear)),
                f"{_points(found[lowest].difference)} ({SETS[lowest].title})",
                f"{_points(found[highest].difference)} ({SETS[highest].title})",
            ]
        )
    header = ["parameters", "mean, median", "ovo better", "ovr better", "lowest", "highest"]
    n_sets = len(tuned_runs(results))
    return list_table(header, rows, f"Error of ovo minus error of ovr, in points, {n_sets} sets")


def description(results):
    """A row for each set: its size and the parameters that were found most often."""

    def found(name, form):
        chosen = [run["tuned"][form]["params"] for run in runs[name]]
        best = max(chosen, key=chosen.count)
        return ", ".join(f"{value:g}" for value in best.values())

    runs = tuned_runs(results)
    columns = [
        ("set", lambda name: SETS[name].title),
        ("classes", lambda name: count(runs[name][0]["n_classes"])),
        ("samples", lambda name: count(runs[name][0]["n_train"])),
        ("splits", lambda name: count(len(runs[name]))),
        *[(form, partial(found, form=form)) for form in FORMS],
    ]
    return pivot(runs, columns, {"Training samples": 3, "C and gamma": 2})


def _ratio(runs, choice, field):
    """Median ratio of ovo to ovr over the splits."""
    pairs = ([median(run[choice][form][field]) for form in FORMS] for run in runs)
    return median(ovo / ovr for ovr, ovo in pairs)


def time_ratios(results):
    """A row for each set: times of ovr, and of ovo divided by those of ovr."""
    timed = stored_records("multiclass_times", results).ok().records
    timed = {record["set"]: record["runs"] for record in timed}
    tuned = {name: runs for name, runs in tuned_runs(results).items() if name in timed}

    def seconds(name):
        return median(median(run["tuned"]["ovr"]["fit_seconds"]) for run in timed[name])

    def vectors(name, form):
        return count(median(run["tuned"][form]["n_vectors"] for run in tuned[name]))

    ratios = [
        (title, lambda name, c=choice, f=field: times(_ratio(timed[name], c, f)))
        for choice in ("tuned", "C1")
        for title, field in {"fit": "fit_seconds", "predict": "predict_seconds"}.items()
    ]
    columns = [
        ("set", lambda name: SETS[name].title),
        ("fit, ovr, ms", lambda name: number(seconds(name), 1000)),
        *ratios,
        *[(form, partial(vectors, form=form)) for form in FORMS],
    ]
    parts = {
        "Time of ovo divided by that of ovr, tuned": 3,
        "Time of ovo divided by that of ovr, C = 1": 2,
        "Support vectors, tuned": 2,
    }
    return pivot(tuned, columns, parts)


def forest(results):
    """A row for each number of samples and threads: times and errors of LASVC and its peer."""
    found = stored_records("multiclass_forest", results).ok()
    rows = []
    for n_train, threads in FOREST:
        runs = [found.where(n_train=n_train, threads=threads, model=m) for m in FOREST_MODELS]
        if all(runs):
            numbers = [
                number(run.median(field), factor)
                for field, factor in (("fit_seconds", 1), ("predict_seconds", 1), ("error", 100))
                for run in runs
            ]
            rows.append([count(n_train), count(threads), *numbers])
    parts = [f"{part}, {model}" for part in ("fit (s)", "predict (s)", "error (%)")
             for model in ("LASVC", "intelex")]  # fmt: skip
    return list_table(["samples", "threads", *parts], rows)


def _kinds(found):
    for algorithm in found.distinct("algorithm"):
        for form in FORMS:
            records = found.where(algorithm=algorithm, form=form)
            if records:
                yield f"{algorithm}, {form}", records


def stream(results):
    """Errors along a stream of letters."""
    rows = []
    for title, records in _kinds(stored_records("multiclass_stream", results).ok()):
        curve = {point["n_seen"]: point for point in mean_curve(records)}
        cells = [f"{100 * curve[n]['error']:.1f}" if n in curve else "–" for n in SHOWN]
        rows.append([title, *cells])
    header = ["model", *map(count, SHOWN)]
    return list_table(header, rows, "Test error in percent after so many letters")


def late(results):
    """Errors on late and former letters: added later / known from the start."""
    rows = []
    for title, records in _kinds(stored_records("multiclass_late", results).ok()):
        rows.append([title, *_late_cells(records)])
    header = ["model", "late, after 500", "1000", "3000", "former, at once", "after 3000"]
    return list_table(header, rows, "Error in percent")


def _late_cells(records: Records):
    columns = [("new", 1), ("new", 2), ("new", 3), ("former", 0), ("former", 3)]
    for field, k in columns:
        pair = (mean(r[way][k][field] for r in records.records) for way in ("added", "known"))
        yield " / ".join(f"{100 * error:.1f}" for error in pair)


TABLES = {
    "multiclass_summary": summary,
    **{f"multiclass_errors_{choice}": partial(errors, choice) for choice in CHOICES},
    "multiclass_sets": description,
    "multiclass_times": time_ratios,
    "multiclass_forest": forest,
    "multiclass_stream": stream,
    "multiclass_late": late,
}
