"""Callbacks for training: stop it, save it, prune a trial, record its progress.

They implement the protocol of :mod:`sklearn.callback`, introduced in scikit-learn 1.9:
``estimator.set_callbacks(callback, ...)`` sets them, and ``fit`` and ``partial_fit`` call them.
The module can be imported with older versions of scikit-learn, where estimators have no
``set_callbacks``.

Hooks are called at the beginning and at the end of tasks, which are nested:

``fit``, ``partial_fit``, ``resume``
    the call
``epoch``
    one epoch over the samples
``samples``
    a block of at least 1024 samples within an epoch, or within a chunk of more than 1024 samples
    (in linear models, whose compiled loop returns only every few milliseconds, blocks may be much
    larger; the last block may be smaller)
``optimization``
    optimization over the support set, or over all samples
``steps``
    a part of the optimization that takes about 0.1 seconds; no model is available at its end
``rung``
    a comparison of candidates of `ProgressiveSearch`
``fit-estimator``, ``partial-fit-estimator``
    training of the base estimator of a meta-estimator, or of the last step of a pipeline

A callback whose hook ``on_fit_task_end`` has the parameter ``fitted_estimator`` receives a copy of
the model, as if training had ended there; ``X`` and ``y`` are the samples of the task. Copies are
made only when a callback of this module uses them: their time is proportional to the size of the
model, and a copy of ``LASVC`` is optimized over the support set before its first prediction.
Within ``partial_fit`` of a linear model, a hook can predict with ``fitted_estimator``, but not
with the model itself, which is being updated. Pickles of a model include its callbacks.
"""

import os
from numbers import Integral, Real
from time import monotonic

import numpy as np
from sklearn.metrics import check_scoring

from ._atomic_dump import atomic_dump
from ._estimator import OF_CALL
from ._sklearn_compat import HasMethods, Interval, validated

__all__ = ["Checkpoint", "EarlyStopping", "OptunaPruning", "SupportVectorMonitor", "TimeLimit"]


def _is_leaf(context):
    """Return whether a task is one after which a model exists, and has no subtasks."""
    return context.max_subtasks == 0 and context.task_name != "steps"


def _is_root(context):
    """Return whether a task is the whole call of an estimator."""
    return context.parent is None or context.source_estimator_name is not None


class _Callback:
    """Base of the callbacks: hooks without effect, and a state for each running call.

    A callback may be set on several estimators that are fitted at the same time.
    """

    def __init__(self):
        self._calls = {}

    def setup(self, estimator, context):
        """Begin a call of ``fit`` or ``partial_fit``.

        Parameters
        ----------
        estimator : estimator
            The estimator that is trained.
        context : CallbackContext
            Task of the call.
        """
        self._calls[estimator] = self._begin_call(estimator, context)

    def teardown(self, estimator, context):
        """End a call of ``fit`` or ``partial_fit``, also after an error.

        Parameters
        ----------
        estimator : estimator
            The estimator that is trained.
        context : CallbackContext
            Task of the call.
        """
        self._calls.pop(estimator, None)

    def on_fit_task_begin(self, estimator, context):
        """Do nothing.

        Parameters
        ----------
        estimator : estimator
            The estimator that is trained.
        context : CallbackContext
            The task.
        """

    def __getstate__(self):
        return {**vars(self), "_calls": {}}


class TimeLimit(_Callback):
    """Stop training after a given time.

    Parameters
    ----------
    seconds : float
        Time in seconds from the beginning of each call of ``fit``, ``partial_fit`` or ``resume``.
        Training stops at the end of the first :ref:`task <callbacks>` that ends after this time.

    Attributes
    ----------
    stopped_ : bool
        Whether the time limit was exceeded before the end of the last call.

    Notes
    -----
    Estimators of this package stop between two blocks of samples (1024 samples, or a few
    milliseconds), or within the optimization over the support set. The model is usable: the first
    prediction of a kernel model optimizes it, with at most four times the steps of its training.
    ``resume`` of :class:`~sklearn_online_svm.LASVC` completes the call.

    Examples
    --------
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.callback import TimeLimit
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> X, y = make_banana_like(5000, random_state=0)
    >>> limit = TimeLimit(seconds=1e-3)
    >>> model = LASVC(max_iter=1, random_state=0).set_callbacks(limit).fit(X, y)
    >>> limit.stopped_, model.n_samples_seen_, model.interrupted_
    (True, 1024, True)
    >>> model.set_callbacks().resume(X, y).n_samples_seen_
    5000
    """

    @validated(seconds=[Interval(Real, 0.0, None, closed="left")])
    def __init__(self, seconds):
        super().__init__()
        self.seconds = seconds

    def _begin_call(self, estimator, context):
        self.stopped_ = False
        return monotonic() + self.seconds

    def on_fit_task_end(self, estimator, context):
        """Return whether the time is over.

        Parameters
        ----------
        estimator : estimator
            The estimator that is trained.
        context : CallbackContext
            The task.

        Returns
        -------
        stop : bool
            Whether to stop training.
        """
        is_over = monotonic() >= self._calls[estimator]
        if is_over and not _is_root(context):
            self.stopped_ = True
        return is_over


class _HeldOutScore(_Callback):
    """Base of callbacks that score the model on held-out samples after every n-th task."""

    def __init__(self, X_val, y_val, scoring, n_tasks):
        super().__init__()
        self.X_val = X_val
        self.y_val = y_val
        self.scoring = scoring
        self.n_tasks = n_tasks

    def _begin_call(self, estimator, context):
        self.scores_ = scores = []
        return {"n_tasks": 0, "scores": scores}

    def _is_due(self, estimator, context):
        """Return whether the model is scored at the end of this task."""
        n_ended = self._calls[estimator]["n_tasks"] + 1
        return _is_leaf(context) and n_ended % self.n_tasks == 0

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        """Score the model, if it is due.

        Parameters
        ----------
        estimator : estimator
            The estimator that is trained.
        context : CallbackContext
            The task.
        fitted_estimator : estimator, default=None
            Copy of the model at the end of the task.

        Returns
        -------
        stop : bool
            Whether to stop training.
        """
        call = self._calls[estimator]
        is_due = self._is_due(estimator, context)
        call["n_tasks"] += _is_leaf(context)
        if not is_due or fitted_estimator is None:
            return False
        scorer = check_scoring(fitted_estimator, self.scoring)
        score = float(scorer(fitted_estimator, self.X_val, self.y_val))
        call["scores"].append(score)
        return self._judge(call, score)


_SCORE_CONSTRAINTS = {
    "scoring": [str, callable, None],
    "n_tasks": [Interval(Integral, 1, None, closed="left")],
}


class EarlyStopping(_HeldOutScore):
    """Stop training when the score on held-out samples does not improve.

    Parameters
    ----------
    X_val : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples that are not used for training.
    y_val : array-like of shape (n_samples,)
        Their labels or targets.
    scoring : str, callable or None, default=None
        Score to maximize. None: the ``score`` method of the estimator.
    n_iter_no_change : int, default=5
        Number of consecutive scores without an improvement after which training stops.
    tol : float, default=0.0
        A score is an improvement if it exceeds the best one by more than ``tol``.
    n_tasks : int, default=1
        Number of tasks between two scores. A task is a block of samples, or one iteration in
        estimators of scikit-learn.

    Attributes
    ----------
    scores_ : list of float
        Scores of the last call, in the order in which they were computed.
    best_score_ : float
        Largest of the scores.
    stopped_ : bool
        Whether the callback requested to stop the last call.

    Notes
    -----
    After a stop, the model is that of the last score; the model of the best score is not restored.
    Each score requires a copy of the model, which for :class:`~sklearn_online_svm.LASVC` is
    optimized over the support set: choose ``n_tasks`` so that few scores are computed.

    Examples
    --------
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.callback import EarlyStopping
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> X, y = make_banana_like(20_000, random_state=0)
    >>> stop = EarlyStopping(X[:1000], y[:1000], n_iter_no_change=2, tol=0.001)
    >>> model = LASVC(C=10, random_state=0).set_callbacks(stop).fit(X[1000:], y[1000:])
    >>> stop.stopped_, model.n_samples_seen_ < 10_000
    (True, True)
    """

    @validated(
        **_SCORE_CONSTRAINTS,
        n_iter_no_change=[Interval(Integral, 1, None, closed="left")],
        tol=[Interval(Real, 0.0, None, closed="left")],
    )
    def __init__(self, X_val, y_val, *, scoring=None, n_iter_no_change=5, tol=0.0, n_tasks=1):
        super().__init__(X_val, y_val, scoring, n_tasks)
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol

    def _begin_call(self, estimator, context):
        self.best_score_, self.stopped_ = -np.inf, False
        return {**super()._begin_call(estimator, context), "best": -np.inf, "n_no_change": 0}

    def _judge(self, call, score):
        call["n_no_change"] = 0 if score > call["best"] + self.tol else call["n_no_change"] + 1
        self.best_score_ = call["best"] = max(call["best"], score)
        self.stopped_ = call["n_no_change"] >= self.n_iter_no_change
        return self.stopped_


class OptunaPruning(_HeldOutScore):
    """Report scores of a trial of Optuna, and end the trial if it is to be pruned.

    Parameters
    ----------
    trial : optuna.trial.Trial
        The trial. Its study must have ``direction="maximize"``.
    X_val : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples that are not used for training.
    y_val : array-like of shape (n_samples,)
        Their labels or targets.
    scoring : str, callable or None, default=None
        Score to report. None: the ``score`` method of the estimator.
    n_tasks : int, default=1
        Number of tasks between two scores. A task is a block of samples, or one iteration in
        estimators of scikit-learn.

    Attributes
    ----------
    scores_ : list of float
        Scores of the last call, in their order; the position is the step of the report.

    Notes
    -----
    ``fit`` raises ``optuna.TrialPruned``, which ``study.optimize`` expects, and the model is left
    unchanged. Optuna must be installed. Use the callback for one ``fit`` per trial, as a trial has
    one report per step.

    Examples
    --------
    >>> import optuna
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.callback import OptunaPruning
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> X, y = make_banana_like(6000, random_state=0)
    >>> def objective(trial):
    ...     model = LASVC(C=trial.suggest_float("C", 1e-3, 1e3, log=True), random_state=0)
    ...     model.set_callbacks(OptunaPruning(trial, X[5000:], y[5000:]))
    ...     return model.fit(X[:5000], y[:5000]).score(X[5000:], y[5000:])
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(
    ...     direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0),
    ...     pruner=optuna.pruners.MedianPruner(n_startup_trials=2),
    ... )
    >>> study.optimize(objective, n_trials=4)
    >>> len(study.trials)
    4
    """

    @validated(**_SCORE_CONSTRAINTS, trial=[HasMethods(["report", "should_prune"])])
    def __init__(self, trial, X_val, y_val, *, scoring=None, n_tasks=1):
        super().__init__(X_val, y_val, scoring, n_tasks)
        self.trial = trial

    def _judge(self, call, score):
        step = len(call["scores"]) - 1
        self.trial.report(score, step)
        if self.trial.should_prune():
            from optuna import TrialPruned

            raise TrialPruned(f"pruned with a score of {score:.6g} at step {step}")
        return False


class Checkpoint(_Callback):
    """Save the model during training, so that it can be continued after a crash.

    The model is written with :mod:`joblib` to a temporary file in the same directory, which then
    replaces the former file atomically, so the file contains a complete model at any time.

    Parameters
    ----------
    path : str or path-like
        Path of the file. Its directory must exist.
    every : float, default=60.0
        Minimum number of seconds between two writes. At the end of the call, the final model is
        always written.

    Notes
    -----
    ``joblib.load(path)`` returns a model that can predict; it has no callbacks. Call
    ``resume(X, y)`` to complete the call of a :class:`~sklearn_online_svm.LASVC`,
    :class:`~sklearn_online_svm.ActiveLASVC`, :class:`~sklearn_online_svm.VirtualLASVC` or
    :class:`~sklearn_online_svm.RampSVC`; the result is the same as without the crash. Other
    models continue with ``partial_fit``, if they have it.

    Examples
    --------
    >>> import os, tempfile
    >>> import joblib
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.callback import Checkpoint, TimeLimit
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> X, y = make_banana_like(3000, random_state=0)
    >>> path = os.path.join(tempfile.mkdtemp(), "model.joblib")
    >>> model = LASVC(max_iter=1, random_state=0)
    >>> model = model.set_callbacks(Checkpoint(path, every=0), TimeLimit(0))
    >>> model = model.fit(X, y)  # interrupted
    >>> stored = joblib.load(path)
    >>> stored.n_samples_seen_, stored.interrupted_
    (1024, True)
    >>> resumed = stored.resume(X, y)
    >>> whole = LASVC(max_iter=1, random_state=0).fit(X, y)
    >>> bool((resumed.dual_coef_ == whole.dual_coef_).all())
    True
    """

    @validated(path=[str, os.PathLike], every=[Interval(Real, 0.0, None, closed="left")])
    def __init__(self, path, *, every=60.0):
        super().__init__()
        self.path = path
        self.every = every

    def _begin_call(self, estimator, context):
        return {"last": monotonic()}

    def _is_due(self, estimator, context):
        """Return whether the model is written at the end of this task."""
        is_late = monotonic() >= self._calls[estimator]["last"] + self.every
        return _is_root(context) or (is_late and _is_leaf(context))

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        """Write the model, if it is due.

        Parameters
        ----------
        estimator : estimator
            The estimator that is trained.
        context : CallbackContext
            The task.
        fitted_estimator : estimator, default=None
            Copy of the model at the end of the task.
        """
        if fitted_estimator is None or not self._is_due(estimator, context):
            return
        for name in OF_CALL:
            vars(fitted_estimator).pop(name, None)
        fitted_estimator.set_callbacks()
        atomic_dump(fitted_estimator, self.path)
        self._calls[estimator]["last"] = monotonic()


class SupportVectorMonitor(_Callback):
    """Record the size of the support set and the cost of training.

    Attributes
    ----------
    data_ : dict of str -> ndarray
        One value for each task of the calls since the last ``fit`` began, ready for
        ``pandas.DataFrame``:

        - ``n_samples``: number of samples processed, over all epochs;
        - ``n_support``: number of vectors in the support set; some may have a coefficient of 0;
        - ``n_kernel_evaluations``: number of kernel values computed for training;
        - ``time``: seconds of training.

    Notes
    -----
    The callback can be set on the kernel models of this package.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.callback import SupportVectorMonitor
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> X, y = make_banana_like(3000, random_state=0)
    >>> monitor = SupportVectorMonitor()
    >>> model = LASVC(max_iter=1, random_state=0)
    >>> model = model.set_callbacks(monitor).fit(X, y)
    >>> monitor.data_["n_samples"]
    array([1024, 2048, 3000, 3000])
    >>> bool(np.all(np.diff(monitor.data_["n_kernel_evaluations"]) >= 0))
    True
    """

    _COLUMNS = ("n_samples", "n_support", "n_kernel_evaluations", "time")

    def __init__(self):
        super().__init__()
        self._rows = []

    def _begin_call(self, estimator, context):
        if not hasattr(estimator, "_counts_of_state"):
            raise TypeError(
                "SupportVectorMonitor records kernel models of sklearn_online_svm; got an "
                f"estimator of type {type(estimator).__name__}."
            )
        if context.task_name == "fit":
            self._rows = []
        n_before, *_, time_before = self._rows[-1] if self._rows else (0, 0, 0, 0.0)
        return n_before, monotonic() - time_before

    @property
    def data_(self):
        """The records, one array per column."""
        columns = zip(*self._rows, strict=True) if self._rows else ((),) * len(self._COLUMNS)
        return {
            name: np.array(values, dtype=float if name == "time" else np.int64)
            for name, values in zip(self._COLUMNS, columns, strict=True)
        }

    def on_fit_task_end(self, estimator, context):
        """Record the state at the end of a block of samples, and of the call.

        Parameters
        ----------
        estimator : estimator
            The estimator that is trained.
        context : CallbackContext
            The task.
        """
        if _is_leaf(context) or _is_root(context):
            n_before, begin = self._calls[estimator]
            tasks = estimator._tasks
            counts = tasks.trained._counts_of_state()
            self._rows.append((n_before + tasks.n_samples, *counts, monotonic() - begin))
