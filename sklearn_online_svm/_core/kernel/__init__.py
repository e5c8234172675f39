"""The engine of the kernel models."""
