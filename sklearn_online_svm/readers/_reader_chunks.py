"""Chunks of a reader, with its options."""


class ReaderChunks:
    """Iterator of chunks; ``options`` say how they are read, and are compared with checkpoints."""

    def __init__(self, chunks, **options):
        self._chunks, self.options = chunks, options

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._chunks)
