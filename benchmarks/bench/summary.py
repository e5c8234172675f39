"""How often the cases of a step were measured."""

from itertools import takewhile

from .results import load_those_stored


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
