"""Compressed kernel classifiers: size, error and time of predictions."""
