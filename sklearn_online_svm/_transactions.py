"""Changes of a model that are made completely or not at all, also after Ctrl-C."""

from signal import SIGINT, getsignal, signal
from threading import current_thread, main_thread


class Transaction:
    """Context for changing a draft of a model that replaces the model at the end.

    Until then, other threads read the unchanged model. After an error the draft is discarded. It
    is kept if ``keep`` has been set; after Ctrl-C also if ``is_usable`` has been set. The caller
    holds the guard of the model.
    """

    __slots__ = ("before", "draft", "is_usable", "keep", "model")

    def __init__(self, model):
        self.model = model
        self.keep = self.is_usable = False

    def __enter__(self):
        self.before = self.model.__dict__
        self.draft = self.model._draft()
        return self

    def __exit__(self, kind, error, traceback):
        interrupted = isinstance(error, KeyboardInterrupt) and self.is_usable
        if error is None or self.keep or interrupted:
            self.model._take(self.draft)

    def undo(self):
        """Restore the attributes that the model had before."""
        self.model.__dict__ = self.before


class PostponedInterrupts:
    """Context in which SIGINT (Ctrl-C) is recorded, to be raised at its end.

    SIGINT is not raised if the block raises another exception. Within another such context it is
    recorded there. In threads other than the main thread, or if SIGINT has no Python handler, the
    context has no effect.
    """

    __slots__ = ("handler", "is_raised", "received")

    def __enter__(self):
        handler, self.received, self.is_raised = getsignal(SIGINT), [], False
        has_effect = callable(handler) and current_thread() is main_thread()
        self.handler = handler if has_effect else None
        if has_effect:
            signal(SIGINT, self._handle)
        return self

    def __exit__(self, kind, error, traceback):
        if self.handler is not None:
            signal(SIGINT, self.handler)
            if kind is None:
                self.check()

    def _handle(self, *arguments):
        self.received.append(arguments)
        if self.is_raised:
            self.check()

    def check(self):
        """Raise SIGINT if it has been recorded; further ones are recorded."""
        if self.received:
            self.is_raised = False
            self.handler(*self.received.pop())

    def raised(self):
        """Return the context of a part of the block in which SIGINT is raised at once."""
        return RaisedInterrupts(self)


class RaisedInterrupts:
    """Context within ``PostponedInterrupts`` in which SIGINT is raised at once."""

    __slots__ = ("outer",)

    def __init__(self, outer):
        self.outer = outer

    def __enter__(self):
        self.outer.is_raised = True
        self.outer.check()

    def __exit__(self, kind, error, traceback):
        self.outer.is_raised = False
