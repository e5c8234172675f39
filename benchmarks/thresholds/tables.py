"""Tables of `thresholds`."""

TABLES = {}
