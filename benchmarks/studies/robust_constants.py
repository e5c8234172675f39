"""Other constants of LASVM-G, -NC and -I than the package has."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from sklearn_online_svm.kernel._spec import GapDrivenSpec

from ..bench.frames import frame, median, points, ratio, values, where
from ..bench.measure import processor_seconds
from ..bench.rst import change, count, cross, joined, list_table, times
from ..bench.study import Study, grid, named, step
from ..sets.workloads import WORKLOADS
from .robust_thesis import ALGORITHMS, N_RUNS, how_many, in_orders, thesis, titled
from .svc_models import build, scores_of, warm_up

# Fields of `GapDrivenSpec` other than those of the package, by title.
ONE_COORDINATE = "one coordinate"
SINGLE_STEPS = {"single_steps": 10**9}
CONSTANTS = {
    "default": {},
    ONE_COORDINATE: SINGLE_STEPS,
    **{f"CLEAN every {n}": {"clean_interval": n} for n in (100, 1000)},
    **{f"m = {n}": {"max_non_sv": n} for n in (0, 1000)},
}
# With those of the algorithms with a ramp.
ALL_CONSTANTS = CONSTANTS | {
    **{f"S = {n}": {"ramp_start": n} for n in (0, 50, 200, 500)},
    f"S = 0, {ONE_COORDINATE}": {"ramp_start": 0} | SINGLE_STEPS,
    f"S = 0, {ONE_COORDINATE}, m = 0": {"ramp_start": 0, "max_non_sv": 0} | SINGLE_STEPS,
}
USED_BY = ("lasvm-g", "lasvm-nc", "lasvm-i")
SETS = ("banana_c10", "reuters_wide", "usps_noise_c1", "usps_noise")
# On large sets only what depends on their size: steps with a large C, and the first samples.
LARGE = {
    **{("adult_dense", name): ("default", ONE_COORDINATE) for name in USED_BY},
    ("mnist_8_c100", "lasvm-i"): ("default", "S = 0"),
}


def vary_constants(workload, algorithm, seed=0, threads=1, quick=False):
    """One pass of `partial_fit` in several orders, for several constants of the solver.

    These are values of constants that the thesis does not state, or has otherwise.
    """
    split = WORKLOADS[workload].load(seed, quick)
    make = partial(build, workload, "lasvc", seed, threads, algorithm=algorithm)
    warm_up(make(), split)
    of_algorithm = CONSTANTS if algorithm == "lasvm-g" else ALL_CONSTANTS
    sweep = []
    for title in LARGE.get((workload, algorithm), of_algorithm):
        runs = [
            _run_with(ALL_CONSTANTS[title], make(finishing=False), rows)
            for rows in in_orders(split, 2 if quick else N_RUNS)
        ]
        sweep.append({"title": title} | {name: [run[name] for run in runs] for name in runs[0]})
    return {"sweep": sweep}


def _run_with(constants, model, rows):
    """What other fields of `GapDrivenSpec` change; the time is that of the processor."""
    plan = model._plan()
    model._plan = lambda: replace(
        plan, solver=lambda *given: replace(plan.solver(*given), **constants)
    )
    data = rows.X_train, rows.y_train
    _, passed = processor_seconds(lambda: model.partial_fit(*data, classes=[-1, 1]))
    scores = scores_of(model, rows)
    return {
        "seconds": passed,
        "n_support": len(model.support_),
        "n_steps": int(model._machine.engine.n_changes),
        "n_kernel_evaluations": int(model.n_kernel_evaluations_),
        "duality_gap": float(model.duality_gap_[0]),
        "error": scores["error"],
        "gmean": scores["gmean"],
    }


# Meaning of the constants, and where the thesis has them.
CONSTANT_FIELDS = {
    "ramp_start": (
        '``"lasvm-nc"``, ``"lasvm-i"``: largest number of support vectors with which samples '
        "left of the ramp are treated like the others (the initial phase)",
        "S in section 6.2.2, without a value; LASVM-I in section 6.3 has no initial phase (0)",
    ),
    "single_steps": (
        "REPROCESS steps on one coordinate for a sample, before steps on two",
        "section 6.1.2: on one coordinate only",
    ),
    "max_reprocess": ("largest number of REPROCESS steps for a sample", "no limit"),
    "clean_interval": ("number of inserted samples between two runs of CLEAN", "300, section 6.5"),
    "max_non_sv": (
        "number of elements with :math:`\\alpha = 0` that CLEAN keeps",
        "m in section 6.1.2, without a value",
    ),
}


def gap_driven_constants(results):
    """The constants of LASVM-G, -NC and -I, from the code."""
    rows = [
        [f"``{name}``", count(getattr(GapDrivenSpec, name)), *about]
        for name, about in CONSTANT_FIELDS.items()
    ]
    return list_table(["field", "value", "meaning", "thesis"], rows)


def constants_of(results):
    """A row for each set, algorithm and title, with means over the runs."""
    found = points(frame("chapter_6_constants", results), "sweep", "workload", "algorithm")
    found["n_runs"] = found.error.map(len)
    found["n_collapsed"] = [gmeans.count(0.0) for gmeans in found.gmean]
    lists = ["seconds", "n_support", "n_steps", "duality_gap", "error"]
    found[lists] = found[lists].map(np.mean)
    return found


def only(found, field, **wanted):
    """The value of a field that a single row has, or None."""
    return next(iter(values(found, field, **wanted)), None)


def one_coordinate(results):
    """REPROCESS on two coordinates compared with single steps only, as in the thesis."""
    rows, numbers = [], {}
    cases = constants_of(results).groupby(["workload", "algorithm"], sort=False)
    for (name, algorithm), found in cases:
        by_title = found.set_index("title")
        if ONE_COORDINATE not in by_title.index:
            continue
        two, one = by_title.loc["default"], by_title.loc[ONE_COORDINATE]
        numbers[titled(name)] = two.n_runs
        vectors = two.n_support, one.n_support
        rows.append([
            *(titled(name), ALGORITHMS[algorithm]),
            *(*map(count, vectors), change(*vectors)),
            count(median(thesis(), "n_support", workload=name, algorithm=algorithm)),
            *(times(ratio(one[f], two[f])) for f in ("n_steps", "seconds", "duality_gap")),
            f"{100 * two.error:.2f} → {100 * one.error:.2f}",
        ])  # fmt: skip
    header = [
        "set", "algorithm", "two coordinates", "one", "change", "thesis",
        "steps", "time", "duality gap", "error (%)",
    ]  # fmt: skip
    parts = {
        f"Support vectors, {how_many(numbers)}": 4,
        "Multiples with steps on one coordinate only": 4,
    }
    return list_table(header, rows, parts, n_keys=2)


def other_constants(results):
    """Support vectors and errors with other constants, and the runs that see one class only."""
    ours, theirs = constants_of(results), thesis()
    ours["shown"] = [
        f"{count(n)}; {100 * error:.2f}" + (f" ({k} collapsed)" if k else "")
        for n, error, k in zip(ours.n_support, ours.error, ours.n_collapsed)
    ]
    theirs["shown"] = [
        f"{count(n)}; {100 - accuracy:.2f}"
        for n, accuracy in zip(theirs.n_support, theirs.accuracy)
    ]
    both = pd.concat([theirs.assign(title="thesis"), ours])
    tables = []
    for algorithm, here in ours.groupby("algorithm", sort=False):
        default = where(here, title="default")
        runs = how_many(dict(zip(default.workload.map(titled), default.n_runs)))
        title = f"{ALGORITHMS[algorithm]}, {runs}: support vectors; error (%)"
        rows = "title", ["thesis", *ALL_CONSTANTS]
        sets = "workload", {name: titled(name) for name in here.workload.unique()}
        shown = where(both, algorithm=algorithm)
        tables.append(cross(shown, rows, sets, "shown", str, title, corner="", middle=only))
    return joined(tables)


STUDY = Study(
    steps={
        "chapter_6_constants": step(
            vary_constants,
            grid(workload=SETS, algorithm=USED_BY)
            + [dict(workload=name, algorithm=key) for name, key in LARGE],
        ),
    },
    tables=named(gap_driven_constants, one_coordinate, other_constants),
)
