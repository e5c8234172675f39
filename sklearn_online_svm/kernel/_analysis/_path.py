"""Solution paths: models for several values of C, each warm-started from the last."""

import numpy as np

from ..._core.interrupts import DeferredInterrupts
from ..._transactions import Transaction
from .._diagnosis import coarseness, warn_if_coarse
from .._training import begin_fit, run_to_end
from ._path_solver import recorded_residuals, solver_of


class SolutionPath:
    """Solution path: models of one estimator in ascending order of C.

    Returned by :meth:`LASVC.fit_path` and :meth:`LASVR.fit_path`. A path is a sequence of its
    models: ``len(path)``, ``path[k]`` and ``for model in path`` are supported.

    Parameters
    ----------
    models : list of LASVC or LASVR
        Fitted models in ascending order of C.
    kkt_violation : array-like of shape (n_Cs,)
        Largest violation of the optimality conditions of each problem.
    n_kernel_evaluations : int
        Number of kernel values computed for all models.

    Attributes
    ----------
    models : list of LASVC or LASVR
        Fitted models, independent of each other; the parameter ``C`` of each is its own.
    Cs : ndarray of shape (n_Cs,)
        Value of C of each model.
    dual_objective : ndarray of shape (n_Cs, n_problems)
        Dual objective of each problem: one, or one per class or output.
    n_support : ndarray of shape (n_Cs,)
        Number of support vectors of each model.
    kkt_violation : ndarray of shape (n_Cs,)
        Largest violation of the optimality conditions over all samples at the last check, before
        the violating samples were processed; infinite if an interrupt came before the first check.
    n_kernel_evaluations : int
        Number of kernel values computed for the whole path.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> X, y = make_banana_like(400, random_state=0)
    >>> path = LASVC(gamma=1.0, random_state=0).fit_path(X[:200], y[:200], np.logspace(-1, 2, 7))
    >>> best = path[path.scores(X[200:], y[200:]).argmax()]
    >>> bool(best.score(X[200:], y[200:]) > 0.8)
    True
    """

    def __init__(self, models, kkt_violation, n_kernel_evaluations):
        self.models = models
        self.kkt_violation = np.asarray(kkt_violation, dtype=np.float64)
        self.n_kernel_evaluations = n_kernel_evaluations
        self.Cs = np.array([model.C for model in models], dtype=np.float64)
        self.dual_objective = np.array([model.dual_objective_ for model in models])
        self.n_support = np.array([len(model.support_) for model in models], dtype=np.int64)

    def __len__(self):
        return len(self.models)

    def __getitem__(self, k):
        return self.models[k]

    def __repr__(self):
        if not self.models:
            return "SolutionPath of no model"
        of = f"{len(self)} models" if len(self) > 1 else "1 model"
        return f"SolutionPath of {of}, C from {self.Cs[0]:g} to {self.Cs[-1]:g}"

    def scores(self, X, y, sample_weight=None):
        """Return the accuracy of each model, or its R2 in regression.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Test samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True labels or target values for X.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights.

        Returns
        -------
        scores : ndarray of shape (n_Cs,)
            ``model.score(X, y, sample_weight)`` of each model.

        Raises
        ------
        ValueError
            If the input is invalid.
        """
        return np.array([model.score(X, y, sample_weight) for model in self.models])


def checked_Cs(Cs):
    """Return the values of C in ascending order; raise ValueError if they are invalid."""
    try:
        values = np.asarray(Cs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Cs must be numbers, got {Cs!r}.") from error
    if values.ndim != 1 or not len(values):
        raise ValueError(f"Cs must be one or more numbers, in one dimension, got {Cs!r}.")
    wrong = values[~(values > 0.0)]
    if len(wrong):
        raise ValueError(f"Cs must be positive, got {wrong[0]:g}.")
    values = np.sort(values)
    twice = values[1:][values[1:] == values[:-1]]
    if len(twice):
        raise ValueError(f"Cs must be different from each other, got {twice[0]:g} twice.")
    return values


def check_path_parameters(params):
    """Raise ValueError if the parameters do not allow a solution path."""
    if params.algorithm in ("lasvm-nc", "lasvm-i"):
        raise ValueError(
            "fit_path follows the optimum of a convex problem, and the ramp loss is not convex: "
            f"algorithm must be 'lasvm', 'lasvm-g' or 'lasvm-full', got {params.algorithm!r}."
        )
    for name in ("window_size", "max_support_vectors"):
        value = getattr(params, name, None)
        if value is not None:
            raise ValueError(f"fit_path needs {name}=None, got {name}={value!r}.")
    if not params.finishing:
        raise ValueError(
            "fit_path optimizes each model over its support set: it needs finishing=True, got "
            f"finishing={params.finishing!r}."
        )


def fit_path(estimator, X, y, Cs, sample_weight):
    """Fit the estimator for each C; afterwards it is the model of the largest C."""
    estimator._validate_params()
    check_path_parameters(estimator._plan().params)
    Cs = checked_Cs(Cs)
    with estimator._guard, DeferredInterrupts(), Transaction(estimator) as change:
        draft, former = change.draft, vars(estimator).get("_machine")
        draft.C = float(Cs[0])
        plan = draft._plan()
        run = begin_fit(draft, plan, X, y, sample_weight, former)
        residuals = recorded_residuals(run)
        try:
            run_to_end(run)
        except KeyboardInterrupt as error:
            error.path = SolutionPath([], [], 0)
            change.keep = True
            raise
        solver = solver_of(run, Cs, residuals)
        try:
            solver.run()
            path = SolutionPath(*solver.results())
        except KeyboardInterrupt as error:
            error.path = SolutionPath(*solver.results())
            draft.__dict__.update(vars(solver.model_of(len(error.path) - 1)))
            change.keep = True
            error.add_note(advice(error.path, Cs))
            raise
        draft.__dict__.update(vars(solver.model_of(len(Cs) - 1)))
        uncertain = coarseness(plan, draft._machine)
    warn_if_coarse(plan, run.machine.targets, uncertain)
    return path


def advice(path, Cs):
    """Return the note that is added to the traceback of the KeyboardInterrupt."""
    return (
        f"The path so far, {len(path)} of {len(Cs)} models, is the attribute 'path' of this "
        f"KeyboardInterrupt, and {type(path[0]).__name__} is the model of C={path.Cs[-1]:g}."
    )
