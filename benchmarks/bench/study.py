"""A study: what is measured, and the tables and figures that are made from it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from itertools import product


@dataclass(frozen=True)
class Study:
    """A module of `benchmarks.studies` has one, ``STUDY``.

    Parameters
    ----------
    steps : mapping of str to callable
        What is measured, by the name of its file of results: functions that return
        ``{"records": [...]}`` from the `Settings` of a run. Most are made by `step`.
    tables : mapping of str to callable
        Functions that return a table in reStructuredText, or None, from the folder of the
        results, by the name of its file.
    figures : sequence of callable
        Functions that write a figure, from the folder of the results and that of the figures.
    """

    steps: Mapping[str, Callable]
    tables: Mapping[str, Callable] = field(default_factory=dict)
    figures: Sequence[Callable] = ()

    def __or__(self, other):
        steps, tables = {**self.steps, **other.steps}, {**self.tables, **other.tables}
        return Study(steps, tables, [*self.figures, *other.figures])


def step(task, cases, n_quick=None, every=1, **fixed):
    """Return a step that calls a task for each case.

    Parameters
    ----------
    task : callable
        A function of a study. It runs in a process of its own and returns a record, a dict that
        can be written as JSON. It may have the keywords ``seed``, ``threads`` and ``quick``
        (small subsets: does it work?), beside those of the cases.
    cases : list or callable
        Keywords of the task for each record, in which they are stored (`grid` makes many); or
        pairs of what is stored and keywords. A function returns them from the settings.
    n_quick, every : int, optional
        Number of cases of a quick run, and the distance between them.
    **fixed
        Keywords that are the same for all cases and are not stored; ``limit``, the seconds after
        which a process is stopped; and ``split`` (`Settings.records`).
    """

    def measure(settings):
        asked = cases(settings) if callable(cases) else cases
        return settings.records(
            task, asked[::every][:n_quick] if settings.quick else asked, **fixed
        )

    return measure


def named(*functions):
    """Return functions by their names, which those of tables have as files."""
    return {function.__name__: function for function in functions}


def in_turn(*steps):
    """Return a step with the records of several, one after the other."""
    return lambda settings: {"records": [r for each in steps for r in each(settings)["records"]]}


def grid(**axes):
    """Return all combinations of values, as dicts; the last axis changes first."""
    return [dict(zip(axes, values)) for values in product(*axes.values())]


def each_seed(n):
    """Make a task with a list of runs from a function of a seed, called with so many seeds."""

    def decorate(measure):
        @wraps(measure)
        def task(quick, n_seeds=n, **case):
            seeds = range(1 if quick else n_seeds)
            return {"runs": [{"seed": s, **measure(seed=s, quick=quick, **case)} for s in seeds]}

        return task

    return decorate


def seeded(cases, n_seeds=None):
    """Return a function that gives the cases for each seed of a run, or for some seeds."""

    def with_seeds(settings):
        seeds = range(settings.seeds) if n_seeds is None else settings.runs(n_seeds)
        return [{**case, "seed": seed} for seed in seeds for case in cases]

    return with_seeds
