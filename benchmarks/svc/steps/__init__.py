"""What is measured of LASVC compared with SVC and other peers."""

from . import (
    cache_size,
    classes,
    compare,
    how_long,
    leave_one_out,
    one_row,
    prefixes,
    reproduction,
    roof,
    scaling,
)

_ALL = one_row.STEPS | compare.STEPS | scaling.STEPS | reproduction.STEPS | cache_size.STEPS
_ALL |= prefixes.STEPS | classes.STEPS | how_long.STEPS | roof.STEPS | leave_one_out.STEPS
# About by their time, so that something is there to look at soon.
_ORDER = [
    "one_row", "waveform", "banana", "usps", "reuters", "prefixes", "figure_3_7", "scaling",
    "how_long", "table_3_2", "classes", "usps_ten", "letter", "newsgroups_linear",
    "newsgroups", "adult_csr", "adult_dense", "mnist_digits", "mnist_signed", "roof",
    "leave_one_out", "cache_size", "mnist_8", "mnist_ten",
]  # fmt: skip
STEPS = {name: _ALL[name] for name in _ORDER}
