"""The experiments of Lu, Zhao and Hoi (2016): label-efficient online learning.

``paa_*``: binary sets (Tables 2 and 3, Figures 1 to 3) and sets of several classes (Figures 4
and 5); ``cspaa_*``: uneven classes (Tables 6 and 8, Figure 6); ``paa_url``: a stream of the size
of their malicious URLs (Figure 7).
"""

from functools import partial

from ..bench import harness
from ..linear import models as linear_models
from ..linear import streams
from . import paper

# Permutations of the samples that are reported, and others on which C and delta are chosen.
N_RUNS, N_TRIALS = 20, 5
# Where positive samples are few, the share of labels varies more from one permutation to the next.
N_UNEVEN_TRIALS = 40
CS = [2.0**k for k in range(-5, 6)]
DELTAS = [2.0**k for k in range(-10, 11)]
# Where labels are queried at random, the share itself is set.
RATES = [0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
QUICK = dict(n_runs=2, n_trials=1)


def _runs(settings, n_trials=N_TRIALS):
    return QUICK if settings.quick else dict(n_runs=N_RUNS, n_trials=n_trials)


def _curve(algorithm, deltas, quick):
    values = RATES if algorithm in linear_models.RANDOM else deltas
    return values[:: max(1, len(values) // 3)] if quick else values


def measure_asked_labels(stream, algorithms, settings):
    """All algorithms at the rates of the paper, and over all shares of labels."""
    records = []
    for algorithm in algorithms:
        Cs = CS if algorithm in linear_models.TUNED else [1.0]
        record = settings.record(
            "asked_labels",
            dict(algorithm=algorithm),
            stream=stream,
            rates=list(paper.RATES),
            deltas=_curve(algorithm, DELTAS, settings.quick),
            Cs=Cs[:: len(Cs) // 2] if settings.quick and len(Cs) > 1 else Cs,
            **_runs(settings),
        )
        records.append(record)
    return {"stream": stream, "records": records}


COST_DELTAS = [2.0**k for k in range(-10, 11, 2)]
# Of the adaptive rule, which divides delta by the number of samples seen.
ADAPTIVE_DELTAS = [2.0**k for k in range(-4, 21, 2)]


def _cost_curve(algorithm, quick):
    if algorithm in linear_models.FULL:
        return []
    if algorithm != "CSPAA(a)":
        return _curve(algorithm, COST_DELTAS, quick)
    return sorted({*_curve(algorithm, ADAPTIVE_DELTAS, quick), paper.ADAPTIVE_DELTA})


def measure_uneven_classes(stream, ratio, settings):
    """Sum and cost of all algorithms, at the rates of the paper and over all shares."""
    found = settings.call(
        "uneven_classes",
        stream=stream,
        ratio=ratio,
        rates=[paper.COST_RATES[ratio], *([paper.TABLE_8_RATE] if ratio == 99 else [])],
        curves={name: _cost_curve(name, settings.quick) for name in linear_models.COST},
        **_runs(settings, N_UNEVEN_TRIALS),
    )
    harness.say(f"cspaa_{stream}_{ratio}", found)
    each = found.pop("algorithms", [{}])
    return {"stream": stream, "ratio": ratio, "records": [found | own for own in each]}


URL = dict(n_rows=1_000_000, n_columns=3_231_961, per_row=115, chunk=10_000, ratio=99)
QUICK_URL = URL | dict(n_rows=20_000, chunk=5_000)
URL_RATE = 0.02


def _asking(algorithm):
    """CSPAA(a) starts with the delta of the paper, the others get the share of labels."""
    if algorithm == "CSPAA(a)":
        return {"deltas": [paper.ADAPTIVE_DELTA]}
    return {} if algorithm in linear_models.FULL else {"rates": [URL_RATE]}


def measure_url(settings):
    size = QUICK_URL if settings.quick else URL
    records = [
        settings.record("large_stream", dict(algorithm=name), **_asking(name), **size)
        for name in linear_models.COST
    ]
    return {"rate": URL_RATE, "size": size, "records": records}


STEPS = {
    **{
        f"paa_{stream.name}": partial(measure_asked_labels, stream.name, algorithms)
        for family, algorithms in (
            (streams.BINARY, linear_models.BINARY),
            (streams.MULTICLASS, linear_models.MULTICLASS),
            (streams.TEXT, linear_models.TEXT),
            (streams.WEB, linear_models.TEXT),
            (streams.TEXT_MULTICLASS, linear_models.MULTICLASS),
        )
        for stream in family
    },
    **{
        f"cspaa_{stream.name}_{ratio}": partial(measure_uneven_classes, stream.name, ratio)
        for stream in streams.COST
        for ratio in paper.COST_RATES
    },
    "paa_url": measure_url,
}
