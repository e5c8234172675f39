"""Kernel learners of a single step: streams with a budget, sets compared with SVC, ten digits."""
