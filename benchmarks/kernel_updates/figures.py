"""Figures of the kernel learners of a single step: none, their tables say it."""


def draw_all(results, folder):
    """Draw nothing."""
