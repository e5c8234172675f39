"""Medians over the records of one step."""

import statistics
from itertools import takewhile

from .results import NoResults, load_those_stored


class Records:
    """Records of one step; `where` selects, `median` reduces, None stands for "not measured"."""

    def __init__(self, records):
        self.records = list(records)

    def where(self, **wanted):
        return Records(
            record
            for record in self.records
            if all(record.get(key) == value for key, value in wanted.items())
        )

    def ok(self):
        return self.where(status="ok")

    def values(self, field):
        """The values of a field; of repeated times, the median of each record."""
        found = [record.get(field) for record in self.ok().records]
        return [
            statistics.median(value) if isinstance(value, list) else value
            for value in found
            if value is not None
        ]

    def distinct(self, field):
        """The different values of a field, in the order in which they were measured."""
        return list(dict.fromkeys(record[field] for record in self.records))

    def median(self, field):
        values = self.values(field)
        return statistics.median(values) if values else None

    def verdict(self):
        """Why there is no number: how it ended, in a word; "–" if it was not tried."""
        for record in self.records:
            if record["status"] == "no result":
                return f"no result in {record['limit']:g} s"
            if record["status"] == "failed":
                return "failed"
        return "–"

    def __bool__(self):
        return bool(self.records)


def stored_records(step, results):
    """Records of a step; empty without results."""
    stored = load_those_stored([step], results)
    return Records(stored[step]["records"] if stored else ())


def measured(step, results):
    """Records of a step that went well; raises NoResults if there are none."""
    found = stored_records(step, results).ok()
    if not found:
        raise NoResults(f"Nothing was measured in {step}.")
    return found


def n_runs(steps, results, counted=None):
    """How often the cases of some steps were measured: the smallest and the largest number.

    A case is what was asked of a record except for its seed; None without results. `counted`:
    a field of the runs that count.
    """
    numbers = []
    for stored in load_those_stored(steps, results).values():
        seeds = {}
        for record in stored["records"]:
            if record.get("status", "ok") == "ok":
                asked = takewhile(lambda item: item[0] != "status", record.items())
                case = [item for item in asked if item[0] != "seed"]
                case = tuple(item for item in case if not isinstance(item[1], (dict, list)))
                seeds.setdefault(case, {})[record.get("seed")] = _runs_within(record, counted)
        for of_case in seeds.values():
            numbers += [sum(map(min, of_case.values())), sum(map(max, of_case.values()))]
    return (min(numbers), max(numbers)) if numbers else None


def _runs_within(record, counted):
    """Numbers of orders of the samples within a record, which has one of these fields, or one."""
    if "n_orders" in record:
        return [record["n_orders"]]
    if "runs" in record:
        return [sum(not counted or bool(run.get(counted)) for run in record["runs"])]
    orders = {point.get("order") for point in record.get("sweep", ())}
    models = record.get("models", {}).values()
    lists = [part["score"] for part in record.get("fixed", ())]
    lists += [model["errors"] for model in models if "errors" in model]
    return [len(found) for found in lists or [orders or [0]]]


def flat(records, field, *labels):
    """A record for each point in a list of each record, with some labels of its record."""
    return Records(
        {"status": "ok", **{label: record[label] for label in labels}, **point}
        for record in records.ok().records
        for point in record[field]
    )


def ratio(slow, fast):
    """How many times as fast; None if one side is missing."""
    return slow / fast if slow is not None and fast else None


def mean(records, field, **wanted):
    """Mean of a field over the records that match; None without records."""
    values = records.where(**wanted).values(field)
    return statistics.fmean(values) if values else None


def mean_curve(records, **wanted):
    """Mean points over the records that match: dicts in the order in which they were measured."""
    curves = [record["points"] for record in records.ok().where(**wanted).records]
    return [_mean_point(points) for points in zip(*curves)]


def _mean_point(points):
    found = {name: [point[name] for point in points] for name in points[0]}
    return {n: statistics.fmean(values) for n, values in found.items() if None not in values}
