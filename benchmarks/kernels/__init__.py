"""Kernels by name beside the same kernels as functions."""
