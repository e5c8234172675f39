"""The engine of the linear models."""
