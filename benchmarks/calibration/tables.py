"""Tables of `calibration`."""

from functools import partial
from statistics import mean

from ..bench.rst import count, list_table, percent, times
from ..bench.summary import stored_records
from .sets import SETS
from .steps import CS, DRIFTS, ONLINE_SETS, ROBUST, ROBUST_SETS, STREAMS

DRIFT_TITLES = {"gradual": "growing from 0 to 30 %", "abrupt": "30 % from the middle on"}


def _relative(records, other, ours="ours"):
    """Return the mean ratio of log-losses, with this package in the denominator."""
    return f"{mean(r[other] / r[ours] for r in records.records):.3f}"


def log_losses(C, results):
    """Log-losses; those of other ways as multiples."""
    found = stored_records("calibration_sets", results).ok().where(C=C)
    rows = []
    for name, of_set in SETS.items():
        records = found.where(set=name)
        if not records:
            continue
        rows.append(
            [
                of_set.title,
                count(records.median("n_train")),
                f"{mean(records.values('ours')):.4f}",
                *(_relative(records, other) for other in ("folds", "folds_sigmoid", "training")),
            ]
        )
    header = [
        *("set", "samples", "``probability=True``", "same map, 5 folds"),
        *("sigmoid, 5 folds", "training samples"),
    ]
    return list_table(header, rows)


def _fits(records, seconds):
    return times(mean(r[seconds] / r["seconds_plain"] for r in records.records))


def durations(results):
    """Time of training and calibration, as multiples of a fit."""
    found = stored_records("calibration_sets", results).ok()
    rows = []
    for name, of_set in SETS.items():
        if not found.where(set=name):
            continue
        rows.append([of_set.title])
        for C in CS:
            records = found.where(set=name, C=C)
            rows[-1] += [_fits(records, "seconds"), _fits(records, "seconds_folds")]
    header = ["set"]
    for C in CS:
        header += [f"C = {C:g}, ``probability=True``", f"C = {C:g}, 5 folds"]
    return list_table(header, rows)


def accuracies(results):
    """Accuracy of ``predict``, and of the class of the largest probability."""
    found = stored_records("calibration_sets", results).ok().where(C=CS[0])
    rows = []
    for name, of_set in SETS.items():
        records = found.where(set=name)
        if records:
            both = records.values("accuracy"), records.values("accuracy_by_probability")
            rows.append([of_set.title, *(percent(mean(values)) for values in both)])
    return list_table(["set", "``predict``", "largest probability"], rows)


def streams(results):
    """Log-loss of the second half of a stream."""
    found = stored_records("calibration_streams", results).ok()
    rows = []
    for name in STREAMS:
        for drift in DRIFTS:
            records = found.where(set=name, drift=drift)
            if not records:
                continue
            cost = mean(r["seconds_asked"] / r["seconds_trained"] for r in records.records)
            losses = [
                f"{mean(records.values(field)):.4f}"
                for field in ("ours_second_half", "frozen_second_half")
            ]
            rows.append([f"{SETS[name].title}, {DRIFT_TITLES[drift]}", *losses, times(cost)])
    header = ["stream, flipped labels", "``probability=True``", "map of the first 3000 samples"]
    header += ["time of ``predict_proba`` / training"]
    return list_table(header, rows)


BINARY_MAPS = {
    "sigmoid": "sigmoid",
    "quadratic": "quadratic",
    "beta": "beta",
    "isotonic": "isotonic",
}
MULTICLASS_MAPS = {
    "sigmoid": "a sigmoid for each class",
    "spline": "this map of two classes for each class",
    "pairwise": "pairwise coupling",
}


def maps(ours, others, results):
    """Log-loss of a map of the package; those of others as multiples, for each C."""
    found = stored_records("calibration_maps", results).ok()
    rows = []
    for name, of_set in SETS.items():
        of_each = [found.where(set=name, C=C) for C in CS]
        needed = {ours, *others}
        if not all(records and needed <= records.records[0].keys() for records in of_each):
            continue
        rows.append(
            [
                of_set.title,
                " / ".join(f"{mean(records.values(ours)):.4f}" for records in of_each),
                *(
                    " / ".join(_relative(records, other, ours) for records in of_each)
                    for other in others
                ),
            ]
        )
    return list_table(["set", "this map", *others.values()], rows)


def not_joined(results):
    """Log-loss without samples that join the free support vectors, as a multiple."""
    found = stored_records("calibration_maps", results).ok()
    rows = []
    for name, of_set in SETS.items():
        of_each = [found.where(set=name, C=C) for C in CS]
        if all(of_each):
            rows.append([of_set.title])
            for records in of_each:
                two = "multinomial" not in records.records[0]
                ours = "spline" if two else "multinomial"
                rows[-1].append(_relative(records, "not_joined", ours))
    return list_table(["set", *(f"C = {C:g}" for C in CS)], rows)


def robust(results):
    """Log-loss of the same map fitted to five folds, as a multiple, with the ramp loss."""
    found = stored_records("calibration_robust", results).ok()
    rows = []
    for name in ROBUST_SETS:
        of_each = [found.where(set=name, algorithm=algorithm) for algorithm in ROBUST]
        if all(of_each):
            rows.append([SETS[name].title, *(_relative(records, "folds") for records in of_each)])
    return list_table(["set", *(f'``"{name}"``' for name in ROBUST)], rows)


MODEL_TITLES = {
    "arow": "``AROWClassifier(r=10)``",
    "pa": "``PassiveAggressiveClassifier(C=0.01, average=True)``",
    "perceptron": "``PerceptronClassifier(average=True)``",
    "sgd": "``SGDClassifier(average=True)``",
}


def online(results):
    """Log-loss of online models, and with a map of the test samples."""
    found = stored_records("calibration_online", results).ok()
    rows = []
    for model, title in MODEL_TITLES.items():
        rows.append([title])
        for name in ONLINE_SETS:
            records = found.where(set=name, model=model)
            if not records:
                return None
            both = (mean(records.values(field)) for field in ("ours", "known"))
            rows[-1].append(" / ".join(f"{value:.3f}" for value in both))
    return list_table(["", *(SETS[name].title for name in ONLINE_SETS)], rows)


TABLES = {
    **{f"calibration_c{C:g}": partial(log_losses, C) for C in CS},
    "calibration_time": durations,
    "calibration_accuracy": accuracies,
    "calibration_streams": streams,
    "calibration_online": online,
    "calibration_binary_maps": partial(maps, "spline", BINARY_MAPS),
    "calibration_multiclass_maps": partial(maps, "multinomial", MULTICLASS_MAPS),
    "calibration_joined": not_joined,
    "calibration_robust": robust,
}
