"""Rows of kernel values: computation, caches, active and working sets."""
