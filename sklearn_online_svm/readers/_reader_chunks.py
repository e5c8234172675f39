"""Chunks of a reader, with its options."""


class ReaderChunks:
    """Iterator of chunks; ``options`` are compared with checkpoints, ``path`` is for messages."""

    def __init__(self, chunks, path=None, /, **options):
        self._chunks, self.path, self.options = chunks, path, options

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._chunks)
