"""The experiments of Lu, Zhao and Hoi (2016): label-efficient online learning.

``paa_*``: binary sets (Tables 2 and 3, Figures 1 to 3) and sets of several classes (Figures 4
and 5); ``cspaa_*``: uneven classes (Tables 6 and 8, Figure 6); ``paa_url``: a stream of the size
of their malicious URLs (Figure 7). ``arow_*``: AROW on the same sets.
"""

from functools import partial

from ..bench.harness import grid
from . import models, paper, streams


def measure_asked_labels(stream, algorithms, rates, settings, ratio=None):
    """All algorithms at the rates of the paper, and over all shares of labels."""
    cases = grid(algorithm=algorithms)
    return settings.records("asked_labels", cases, stream=stream, rates=rates, ratio=ratio)


def measure_url(settings):
    return settings.records("large_stream", grid(algorithm=models.COST), ratio=99)


STEPS = {
    f"paa_{stream}": partial(measure_asked_labels, stream, list(algorithms), paper.RATES)
    for family, algorithms in (
        (streams.BINARY, models.BINARY),
        (streams.MULTICLASS, models.MULTICLASS),
        (streams.TEXT, models.TEXT),
        (streams.WEB, models.TEXT),
        (streams.TEXT_MULTICLASS, models.MULTICLASS),
    )
    for stream in family
}
STEPS |= {
    f"cspaa_{stream}_{ratio}": partial(
        measure_asked_labels, stream, list(models.COST), rates, ratio=ratio
    )
    for stream in streams.COST
    for ratio, rates in paper.COST_RATES.items()
}
STEPS |= {
    f"arow_{stream}": partial(measure_asked_labels, stream, list(models.AROW), paper.RATES[:1])
    for stream in (*streams.BINARY, "comp_rec")
}
STEPS |= {
    f"arow_{stream}_{ratio}": partial(
        measure_asked_labels, stream, list(models.AROW_COST), rates[:1], ratio=ratio
    )
    for stream in streams.COST
    for ratio, rates in paper.COST_RATES.items()
}
STEPS["paa_url"] = measure_url
