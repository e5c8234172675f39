"""Kernel learners of a single step: streams with a budget, sets beside SVC, ten digits."""
