"""Probabilities of LASVC compared with cross-validation, and in streams."""
