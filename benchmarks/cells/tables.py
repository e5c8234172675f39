"""Tables of `cells`."""

from ..bench.rst import count, list_table, percent, seconds
from ..bench.summary import stored_records
from .models import TITLES
from .sets import CASES
from .steps import CURVE, SETS_MODELS, SIZES

COLUMNS = [*SETS_MODELS[:2], "svc_part", *SETS_MODELS[2:]]


def _by_set(results, cell):
    """Return a table with a row for each set and a column for each model."""
    found, rows = stored_records("cells_sets", results), []
    for name, case in CASES.items():
        of_set = [found.where(set=name, model=model) for model in COLUMNS]
        if any(of_set):
            rows.append([case.title, *(cell(records) for records in of_set)])
    return list_table(["set", *(TITLES[model] for model in COLUMNS)], rows)


def _or_verdict(records, text):
    return text(records) if records.ok() else records.verdict()


def errors(results):
    """Test errors on real sets."""
    return _by_set(results, lambda found: _or_verdict(found, lambda f: percent(f.median("error"))))


def times(results):
    """Processor times of fit and predict on real sets."""
    return _by_set(
        results,
        lambda found: _or_verdict(
            found,
            lambda f: (
                f"{seconds(f.median('fit_cpu_seconds'))}; "
                f"{seconds(f.median('predict_cpu_seconds'))}"
            ),
        ),
    )


def curve(results, n_classes):
    """Times and errors over the number of samples."""
    found, rows = stored_records("cells_curve", results).where(n_classes=n_classes), []
    for n in SIZES:
        before = count(n)
        for model in CURVE:
            of_model = found.where(n_train=n, model=model)
            if of_model:
                numbers = [
                    _or_verdict(of_model, lambda f: seconds(f.median("fit_seconds"))),
                    seconds(of_model.median("predict_seconds")),
                    percent(of_model.median("error")),
                ]
                rows.append([before, TITLES[model], *numbers])
                before = ""
    return list_table(["samples", "model", "fit", "predict 20 000", "error"], rows)


TABLES = {
    "cells_errors": errors,
    "cells_times": times,
    "cells_curve_2": lambda results: curve(results, 2),
    "cells_curve_7": lambda results: curve(results, 7),
}
