"""The experiments of Lu, Zhao and Hoi (2016): label-efficient online learning.

``paa_*``: binary sets (Tables 2 and 3, Figures 1 to 3) and sets of several classes (Figures 4
and 5); ``cspaa_*``: uneven classes (Tables 6 and 8, Figure 6); ``paa_url``: a stream of the size
of their malicious URLs (Figure 7).
"""

from functools import partial

from ..linear import models as linear_models
from ..linear import streams
from . import paper

# Permutations of the samples that are reported, and others on which C and delta are chosen: more
# where positive samples are few and the share of labels varies between permutations.
N_RUNS, N_TRIALS, N_UNEVEN_TRIALS = 20, 5, 40
QUICK = dict(n_runs=2, n_trials=1)
CS = [2.0**k for k in range(-5, 6)]
# Constants of a curve: of even and of uneven classes, and of the adaptive rule, which divides
# delta by the number of samples seen.
DELTAS = [2.0**k for k in range(-10, 11)]
COST_DELTAS = DELTAS[::2]
ADAPTIVE_DELTAS = [2.0**k for k in range(-4, 21, 2)]
# Where labels are queried at random, the share itself is set.
RATES = [0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
URL = dict(n_rows=1_000_000, n_columns=3_231_961, per_row=115, chunk=10_000, ratio=99)
QUICK_URL = URL | dict(n_rows=20_000, chunk=5_000)
URL_RATE = 0.02


def _values(algorithm, ratio):
    """Shares or constants of the curve of an algorithm."""
    if algorithm in linear_models.FULL:
        return []
    if algorithm in linear_models.RANDOM:
        return RATES
    if algorithm == "CSPAA(a)":
        return ADAPTIVE_DELTAS
    return DELTAS if ratio is None else COST_DELTAS


def _start(algorithm):
    """CSPAA(a) also starts with the delta of the paper."""
    return {"start": paper.ADAPTIVE_DELTA} if algorithm == "CSPAA(a)" else {}


def measure_asked_labels(stream, algorithms, rates, settings, ratio=None):
    """All algorithms at the rates of the paper, and over all shares of labels."""
    records = []
    runs = dict(n_runs=N_RUNS, n_trials=N_TRIALS if ratio is None else N_UNEVEN_TRIALS)
    for algorithm in algorithms:
        Cs, values = CS if algorithm in linear_models.TUNED else [1.0], _values(algorithm, ratio)
        if settings.quick:
            Cs, values, runs = Cs[::5], values[::5], QUICK
        fixed = dict(stream=stream, ratio=ratio, values=values, Cs=Cs, **_start(algorithm), **runs)
        fixed["rates"] = [1.0] if algorithm in linear_models.FULL else rates
        records.append(settings.record("asked_labels", dict(algorithm=algorithm), **fixed))
    return {"records": records}


def measure_url(settings):
    size = QUICK_URL if settings.quick else URL
    records = []
    for name in linear_models.COST:
        rates = {} if name in (*linear_models.FULL, "CSPAA(a)") else {"rates": [URL_RATE]}
        asked = dict(algorithm=name)
        records.append(settings.record("large_stream", asked, **rates, **_start(name), **size))
    return {"records": records}


STEPS = {
    f"paa_{stream.name}": partial(measure_asked_labels, stream.name, algorithms, list(paper.RATES))
    for family, algorithms in (
        (streams.BINARY, linear_models.BINARY),
        (streams.MULTICLASS, linear_models.MULTICLASS),
        (streams.TEXT, linear_models.TEXT),
        (streams.WEB, linear_models.TEXT),
        (streams.TEXT_MULTICLASS, linear_models.MULTICLASS),
    )
    for stream in family
}
STEPS |= {
    f"cspaa_{stream.name}_{ratio}": partial(
        measure_asked_labels, stream.name, linear_models.COST, rates, ratio=ratio
    )
    for stream in streams.COST
    for ratio, rates in paper.COST_RATES.items()
}
STEPS["paa_url"] = measure_url
