# Written by `make stubs`.

__all__ = []
