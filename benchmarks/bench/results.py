"""Stored results: JSON with one record per line, times to four digits."""

import json
from pathlib import Path

from .measure import ROOT

RESULTS = ROOT / "benchmarks" / "results"
PAPERS = ROOT / "benchmarks" / "papers"


class NoResults(Exception):
    """A step has no stored results."""


def load(name, folder=RESULTS):
    """Stored results of a step."""
    path = Path(folder) / f"{name}.json"
    if not path.exists():
        raise NoResults(f"{path} does not exist.")
    return json.loads(path.read_text())


def printed(name):
    """Return the numbers that a paper prints."""
    return json.loads((PAPERS / f"{name}.json").read_text())


def load_those_stored(names, folder=RESULTS):
    """Stored results of several steps, by name, without the steps that have none."""
    return {name: load(name, folder) for name in names if (Path(folder) / f"{name}.json").exists()}


def store(name, payload, folder=RESULTS):
    """Write the results of a step."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / f"{name}.json").write_text(dumps(payload))


def dumps(payload):
    """One line for each field, and for each record."""
    lines = []
    for name, value in payload.items():
        text = json.dumps(_rounded(value, name))
        if name == "records":
            records = [json.dumps(_rounded(record)) for record in value]
            text = "[\n  " + ",\n  ".join(records) + "\n ]" if records else "[]"
        lines.append(f' "{name}": {text}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _rounded(value, name=""):
    """Everything under a name that ends in "seconds" is a time: more digits are noise."""
    if isinstance(value, dict):
        if name.endswith("seconds"):
            return {key: _rounded(part, name) for key, part in value.items()}
        return {key: _rounded(part, key) for key, part in value.items()}
    if isinstance(value, list):
        return [_rounded(part, name) for part in value]
    if isinstance(value, float) and name.endswith("seconds"):
        return float(f"{value:.4g}")
    return value
