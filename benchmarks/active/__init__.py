"""Choosing examples: which rows of a pool are asked about."""
