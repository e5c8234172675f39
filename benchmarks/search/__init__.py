"""Hyper-parameter searches: ProgressiveSearch, the exhaustive choice, and searches of others."""
