"""Local online learning beside linear models, approximated kernels and kernels: one pass."""
