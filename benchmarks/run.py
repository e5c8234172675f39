"""Measure everything, or the steps named, the cheap first; then build tables and figures."""

from . import (
    cache_size,
    compare,
    harness,
    label_efficient,
    linear,
    one_row,
    prefixes,
    reproduction,
    robust,
    scaling,
    tables,
)

_ALL = one_row.STEPS | compare.STEPS | scaling.STEPS | reproduction.STEPS | cache_size.STEPS
_ALL |= prefixes.STEPS | robust.STEPS | linear.STEPS | label_efficient.STEPS
# About by their time, so that something is there to look at soon.
_ORDER = [
    "one_row", "waveform", "banana", "usps", "reuters", "prefixes", "figure_3_7", "scaling",
    "table_3_2", "adult_csr", "adult_dense", "mnist_digits", "cache_size", "mnist_8", "mnist_ten",
    *robust.STEPS, *linear.STEPS, *label_efficient.STEPS,
]  # fmt: skip
STEPS = {name: _ALL[name] for name in _ORDER}


def main(argv=None):
    settings = harness.main(STEPS, __doc__, argv)
    tables.build(settings.results)


if __name__ == "__main__":
    main()
