"""Maps from decision values to class probabilities."""

__all__ = []
