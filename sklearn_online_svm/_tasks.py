"""Tasks of ``fit`` and ``partial_fit``, reported to the callbacks of scikit-learn 1.9.

A training call is a task (the root); epochs and optimizations over the support set are its
subtasks, and theirs are blocks of samples and of steps. The engine returns to Python between two
blocks, where its state is consistent: the function that it calls there ends a task and begins the
next one. Callbacks therefore change neither the order of the samples nor the result.

A callback that requests to stop is treated as Ctrl-C at the same place, except that the call
returns: the exception is ``StopTraining``, which ``reporting`` does not pass on. Without callbacks
the cost of a call is one look-up in ``reporting``.
"""

import inspect
from contextlib import contextmanager, nullcontext, suppress
from threading import Lock
from time import perf_counter

import numpy as np

from ._sklearn_compat import _num_samples, _safe_indexing, callback_management_context

# Number of samples after which the task of a block ends, the next time the engine returns.
TASK_SAMPLES = 1024
# Number of seconds after which a task of the optimization over the support set ends.
TASK_SECONDS = 0.1

_NO_TASKS = nullcontext()


class StopTraining(KeyboardInterrupt):
    """End of training requested by a callback, where Ctrl-C would end it."""


def reporting(model, name, X, y=None, sample_weight=None, n_tasks=None):
    """Return a context in which a call of ``model`` reports its tasks to its callbacks, if any.

    ``n_tasks``: number of subtasks, or a function that returns it for X; None: it is not known.
    """
    if "_skl_callbacks" in model.__dict__:
        return _reporting(model, name, X, y, sample_weight, n_tasks)
    return _NO_TASKS


@contextmanager
def _reporting(model, name, X, y, sample_weight, n_tasks):
    with callback_management_context(model):
        n_tasks = n_tasks(X) if callable(n_tasks) else n_tasks
        model._tasks = tasks = Tasks(model, name, n_tasks, X, y, sample_weight)
        try:
            tasks.begin(tasks.root)
            with suppress(StopTraining):
                yield tasks
            tasks.trained, tasks.attributes = model, None
            tasks.end(tasks.root)
        finally:
            del model._tasks


def n_blocks(X):
    """Return the number of tasks of a chunk; 0: too few samples for tasks of their own."""
    try:
        n_samples = _num_samples(X)
    except TypeError:  # the validation of the input will raise an error
        return 0
    return 0 if n_samples <= TASK_SAMPLES else -(-n_samples // TASK_SAMPLES)


class Tasks:
    """The tasks of a training call of ``model``, which is passed to the callbacks.

    ``trained``: the model that is trained: ``model`` or a draft of it.
    ``attributes``: returns the attributes that ``model`` would have if training ended now; by
        default, those of a copy of ``trained`` or, if it has no ``_attributes_of_copy``, its own.
    ``n_samples``: number of samples processed in this call, over all epochs.
    """

    def __init__(self, model, name, n_tasks, X, y, sample_weight):
        self.model = self.trained = model
        self.X, self.y, self.sample_weight = X, y, sample_weight
        self.attributes, self.stop, self.n_samples = None, False, 0
        self.root = self.parent = model._init_callback_context(name, max_subtasks=n_tasks)
        # Callbacks that take a copy of the model, which may be costly. Those of this package tell
        # at which tasks they need it.
        self.readers = [
            getattr(callback, "_is_due", lambda estimator, context: True)
            for callback in model._skl_callbacks
            if "fitted_estimator" in inspect.signature(callback.on_fit_task_end).parameters
        ]

    def begin(self, context):
        context.call_on_fit_task_begin(estimator=self.model, **self._data(None))

    def end(self, context, rows=None):
        """End a task; ``rows`` are its samples, None: all samples of the call."""
        is_read = any(is_due(self.model, context) for is_due in self.readers)
        self.stop |= context.call_on_fit_task_end(
            estimator=self.model,
            **self._data(rows),
            reconstruction_attributes=self._attributes if is_read else None,
        )

    def _attributes(self):
        if self.attributes is not None:
            return self.attributes()
        of_copy = getattr(self.trained, "_attributes_of_copy", None)
        return dict(vars(self.trained)) if of_copy is None else of_copy()

    def _data(self, rows):
        """Return the samples of a task, selected only if a callback uses them."""
        if rows is None:
            weights = self.sample_weight
            metadata = None if weights is None else {"sample_weight": weights}
            return {"X": self.X, "y": self.y, "metadata": metadata}

        def part(values):
            return None if values is None else lambda: _safe_indexing(values, rows)

        def metadata():
            weights = self.sample_weight
            return None if weights is None else {"sample_weight": _safe_indexing(weights, rows)}

        return {"X": part(self.X), "y": part(self.y), "metadata": metadata}

    def raise_stop(self):
        if self.stop:
            raise StopTraining

    @contextmanager
    def subtask(self, name, n_subtasks):
        """Context of a task whose subtasks are reported within."""
        self.raise_stop()
        self.parent = self.root.subcontext(name, max_subtasks=n_subtasks)
        try:
            self.begin(self.parent)
            try:
                yield self.parent
            except StopTraining:
                self.end(self.parent)
                raise
            self.end(self.parent)
        finally:
            self.parent = self.root

    def leaf(self, name):
        """Begin a task without subtasks, of a part of the work."""
        context = self.parent.subcontext(name)
        context.call_on_fit_task_begin(estimator=self.model)
        return context

    def report(self, name, attributes):
        """Report a task that is over; return whether a callback requests to stop.

        ``attributes`` is a function that returns the attributes of a fitted estimator.
        """
        self.attributes = attributes
        context = self.root.subcontext(name)
        self.begin(context)
        self.end(context)
        return self.stop


def _tasks_of(trained):
    """Return the tasks of a call that trains this model, or None without callbacks."""
    tasks = trained.__dict__.get("_tasks")
    if tasks is not None:
        tasks.trained = trained
    return tasks


def sample_tasks(trained, n_samples, position=None, progress=None, *, order=None, first=0):
    """Return a context of the function that the engine calls with the number of samples processed.

    ``position``: returns the number of samples processed at the end; by default, all.
    ``progress``: called before the callbacks; without callbacks it is the function returned.
    ``order``: order of the samples; it may change up to the sample processed last.
    ``first``: number of samples that an interrupted call has processed.
    """
    if "_tasks" not in vars(trained):
        return _NO_TASKS if progress is None else nullcontext(progress)
    return _sample_tasks(_tasks_of(trained), n_samples, position, progress, order, first)


@contextmanager
def _sample_tasks(tasks, n_samples, position, progress, order, first):
    if tasks.parent.max_subtasks == 0:
        yield progress
        tasks.n_samples += n_samples if position is None else position()
        return
    n_data, task = _num_samples(tasks.X), tasks.leaf("samples")

    def end(last):
        nonlocal first
        rows = np.arange(first, last) if order is None else order[first:last]
        tasks.n_samples += last - first
        first = last
        tasks.end(task, rows[rows < n_data])  # without virtual samples

    def report(n_processed):
        nonlocal task
        if progress is not None:
            progress(n_processed)
        if n_processed - first >= TASK_SAMPLES and n_processed < n_samples:
            end(n_processed)
            tasks.raise_stop()
            task = tasks.leaf("samples")

    yield report
    last = n_samples if position is None else position()
    if last > first:
        end(last)


@contextmanager
def epoch(trained, n_samples, *arguments, first=0, **options):
    """Yield this function for an epoch, which is a task whose subtasks are blocks of samples."""
    tasks = _tasks_of(trained)
    n_subtasks = max(1, -(-(n_samples - first) // TASK_SAMPLES))
    with (
        _NO_TASKS if tasks is None else tasks.subtask("epoch", n_subtasks),
        sample_tasks(trained, n_samples, *arguments, first=first, **options) as report,
    ):
        yield report


@contextmanager
def optimization(trained):
    """Yield the function that the optimization over the support set calls now and then, or None.

    It may call it from several threads; its tasks have no model, which is not consistent before
    the end.
    """
    tasks = _tasks_of(trained)
    if tasks is None:
        yield None
        return
    lock = Lock()
    with tasks.subtask("optimization", None):
        task, since = tasks.leaf("steps"), perf_counter()

        def report():
            nonlocal task, since
            if perf_counter() - since < TASK_SECONDS or not lock.acquire(blocking=False):
                return
            try:
                tasks.stop |= task.call_on_fit_task_end(estimator=tasks.model)
                tasks.raise_stop()
                task, since = tasks.leaf("steps"), perf_counter()
            finally:
                lock.release()

        yield report
        tasks.stop |= task.call_on_fit_task_end(estimator=tasks.model)


def check_stop(trained):
    """Raise StopTraining if a callback has requested to stop; the model must be consistent."""
    tasks = _tasks_of(trained)
    if tasks is not None:
        tasks.raise_stop()


@contextmanager
def _propagating(tasks, estimator, name):
    context = tasks.root.subcontext(name)
    with context.propagate_callback_context(estimator):
        tasks.begin(context)
        yield
        tasks.end(context)


def propagating(trained, estimator, name):
    """Return a context in which a base estimator is trained; callbacks are propagated to it."""
    tasks = _tasks_of(trained)
    return _NO_TASKS if tasks is None else _propagating(tasks, estimator, name)


def unguarded(progress, guard):
    """Return ``progress`` for an engine whose guard this thread holds.

    The guard is released while callbacks run, so that they and other threads can read the model.
    """
    if progress is None:
        return None

    def report(n_processed):
        guard.__exit__(None, None, None)
        try:
            progress(n_processed)
        finally:
            guard.__enter__()

    return report
