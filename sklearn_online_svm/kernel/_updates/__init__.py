"""Kernel models that make one update per sample."""
