"""Tables and figures of the documentation and the README, from the stored results.

::

    python -m benchmarks.build

writes ``doc/benchmarks/*.inc`` and ``*.png`` and the lines of ``README.rst`` between the markers
``.. benchmark-table-start`` and ``.. benchmark-table-end``. Steps without results are left out.
"""

import contextlib
from functools import partial

from reliability.tables import tables as reliability_tables

from .bench.measure import ROOT
from .bench.results import RESULTS, NoResults, load_those_stored
from .coverage import tables as coverage_tables
from .sets.workloads import COMPARED
from .studies import STUDIES, study, svc

DOC = ROOT / "doc" / "benchmarks"
README = ROOT / "README.rst"
MARKERS = (".. benchmark-table-start", ".. benchmark-table-end")


def environment(results, steps):
    """Dates, hardware and versions of the steps: a sentence for each kind of hardware.

    A package that had several versions is named with all of them.
    """
    dates, versions = {}, {}
    for stored in load_those_stored(steps, results).values():
        about = stored["environment"]
        simd = f", {about['simd']}" if about["simd"] else ""
        machine = f"{about['processor']}, {about['cores']} cores{simd}"
        dates.setdefault(machine, set()).add(about["date"])
        for name, number in about["versions"].items():
            if number:
                versions.setdefault(machine, {}).setdefault(name, set()).add(number)
    lines = []
    for machine in sorted(dates):
        days = " to ".join(sorted({min(dates[machine]), max(dates[machine])}))
        packages = ", ".join(
            f"{name} {' and '.join(sorted(numbers))}"
            for name, numbers in versions[machine].items()
        )
        lines.append(f"{days}; {machine}; {packages}.")
    return "Measured on " + "\n\nand on ".join(lines) + "\n" if lines else None


def _folder(results):
    """Where tables and figures go; those of a quick run stay with its results."""
    folder = DOC if results == RESULTS else results
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def tables(results=RESULTS):
    """Write all tables."""
    folder = _folder(results)
    for name in STUDIES:
        # The versions of `svc` are those of the whole documentation.
        about = "environment" if name == "svc" else f"{name}_environment"
        made = {**study(name).tables, about: partial(environment, steps=study(name).steps)}
        for table, make in made.items():
            with contextlib.suppress(NoResults):
                text = make(results)
                if text is not None:
                    (folder / f"{table}.inc").write_text(text)
    if results == RESULTS:
        for table, text in (coverage_tables() | reliability_tables()).items():
            (folder / f"{table}.inc").write_text(text)
        parts = svc.headline(results), environment(results, COMPARED)
        _into_readme("\n".join(filter(None, parts)))
    print(f"tables are in {folder}")


def figures(results=RESULTS):
    """Draw every figure that has results."""
    folder = _folder(results)
    for name in STUDIES:
        for draw in study(name).figures:
            with contextlib.suppress(NoResults):
                draw(results, folder)
    print(f"figures are in {folder}")


def _into_readme(text):
    start, end = MARKERS
    content = README.read_text() if README.exists() else ""
    if start not in content or end not in content:
        print(f"{README.name} has no markers {start} and {end}: left alone")
        return
    head, rest = content.split(start, 1)
    tail = rest.split(end, 1)[1]
    README.write_text(f"{head}{start}\n\n{text}\n{end}{tail}")


if __name__ == "__main__":
    tables()
    figures()
