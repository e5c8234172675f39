"""Tests of the built documentation."""
