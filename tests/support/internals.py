"""Private parts of the package that tests read: no other module of the tests names them.

``from tests.support.internals import name`` works for each name of `NAMES`. The functions return
parts of a fitted model.
"""

from dataclasses import replace
from importlib import import_module

from sklearn_online_svm import LASVC

# Module of the package: the names in it, or submodules of it.
NAMES = {
    "": "_atomic_dump _estimator",
    "_atomic_dump": "ABANDONED atomic_dump atomic_file",
    "_core.kernel.dual.selection": "Active",
    "_core.kernel.expansion": "expansion_budgets",
    "_core.kernel.vectors.block": "Samples",
    "_core.kernel.vectors.support_set": "DATA",
    "_core.linear.queries": "AT_RANDOM SelectiveSampler",
    "_core.linear.rows": "shuffled",
    "_core.svmlight": "parse_number",
    "_estimator": "InconsistentPackageWarning IncrementalEstimator PostponedInterrupts _checksum",
    "_feature_space": "Kernel",
    "_pairs": "PairValues among_more_classes compares_pairs margin_scores pair_values",
    "_validation": "balanced_weights draw_seed running_balanced_weights weighted_variance",
    "calibration._maps": "CouplingMap MultinomialMap SplineMap coupled",
    "calibration._newton": "minimize_convex",
    "calibration._online": "BLOCK ScoreWindow",
    "command_line._main": "_parser main",
    "distributed": "_cells",
    "evaluation._conformal": "conformity_scores threshold_of",
    "kernel": "_cccp _compression _epochs _path _path_solver _probabilities _progress _training",
    "kernel._checkpoint": "refuse_new_parameters",
    "kernel._compression": "CompressedState Selection distinct",
    "kernel._diagnostics": "uncertainty",
    "kernel._engine": "EngineSpec GapDrivenSpec LasvmSpec",
    "kernel._epochs": "OnlinePasses Passes",
    "kernel._expansion": "ExpansionState",
    "kernel._leave_one_out": "Optimum",
    "kernel._progress": "RemainingFinish RemainingTime progress",
    "kernel._sample_selection": "STOPPING_WINDOWS SampleSelection",
    "kernel._span": "Basis proven_shifts reach replacement_shifts span_shifts xi_alpha_shifts",
    "kernel._targets": "noise",
    "kernel._training": "RESERVE",
    "kernel._virtual_points": "VirtualPoints",
    "kernel._virtual_pool": "VirtualPool",
    "linear": "_model",
    "linear._model": "LinearModel",
    "linear._state": "LinearState",
    "model_selection": "_race",
    "model_selection._progress": "Progress StreamProgress",
    "model_selection._candidates": "VALUE_NS Candidate requires_targets",
    "model_selection._learning_curves": "MIN_SHARE Neighbourhood chances fit_costs interleaved "
    "n_survivors predicted_scores",
    "model_selection._progressive_search": "_shortened",
    "model_selection._race": "Race",
    "model_selection._samples": "HeldOut StreamRungs first_rung make_splits repeated_folds "
    "rung_ends stratified",
    "model_selection._scoring": "N_BLOCKS Scores compute_scores jackknife_error mean_scores",
    "partitioned._stream": "CellStream",
    "partitioned._tree": "CellTree principal_direction",
    "readers": "_fit_stream",
}
_PACKAGE = "sklearn_online_svm"
_MODULE_OF = {name: module for module, names in NAMES.items() for name in names.split()}


def __getattr__(name):
    if name not in _MODULE_OF:
        raise AttributeError(f"{name} is not in NAMES of {__name__}.")
    module = f"{_PACKAGE}.{_MODULE_OF[name]}".rstrip(".")
    parent = import_module(module)
    return getattr(parent, name) if hasattr(parent, name) else import_module(f"{module}.{name}")


def has_engine(model):
    """Return whether a model is trained by the solvers of the dual problem."""
    return "_engine" in vars(model)


def engine_of(model):
    """Return the engine of a model with a kernel that is trained by a solver of the dual."""
    return model._engine


def support_arrays(model, k=0):
    """Return the support set of a problem: alpha, g, bounds and row numbers by name."""
    return model._engine.problems[k].members


def spec_of(model):
    """Return what the engine of a model was built from: kernel, layout, solver."""
    return model._spec


def targets_of(model):
    """Return the classes or values that a model with a kernel is trained on."""
    return model._targets


def solution_of(model):
    """Return the solution from which a model predicts."""
    return model._view()._solution()


def has_state(model):
    """Return whether a model is trained by updates, one sample at a time."""
    return "_state" in vars(model)


def update_state(model):
    """Return the weights or the expansion of a model that is trained by updates."""
    return model._state


def set_state(model, state):
    """Replace the weights or the expansion of a model."""
    model._state = state


def set_next_row_id(model, n):
    """Let a model count as if n samples had passed; return whether it numbers its samples."""
    if "_next_row_id" not in vars(model):
        return False
    model._next_row_id = model.n_samples_seen_ = n
    return True


def state_attribute(model):
    """Return the attribute whose absence marks a model as not fitted."""
    return model._state_attribute


def checkpoint_of(model):
    """Return what ``resume`` continues from, or None."""
    return model._checkpoint


def decide(model, X):
    """Return the value of each binary problem for each sample."""
    return model._decide(X)


def predicted_codes(model, scores):
    """Return the predicted class of each sample, as a code, from the values of the problems."""
    return model._predicted(scores)


def probability_map(model):
    """Return the fitted map from decision function values to probabilities."""
    return model._probability_map()


def dtype_of(model):
    """Return the type in which a model stores its vectors."""
    return model._dtype


def estimated_cost(model, n_features):
    """Return the estimated cost of training so far: of steps, and of kernel values."""
    return model._estimated_cost(n_features)


def most_passes(model):
    """Return the largest number of epochs of ``fit``; -1: no limit."""
    return model._schedule().most_passes


def class_rows(model):
    """Return the number of samples of each class that a VIRTUAL model has seen."""
    return model._class_rows


def limit_reprocessing(monkeypatch, n):
    """Let the solver of LASVC take at most n steps after each sample."""
    solver = LASVC._solver
    monkeypatch.setattr(LASVC, "_solver", lambda model: replace(solver(model), max_reprocess=n))


def repeat_epochs(monkeypatch):
    """Let LASVC repeat epochs on small sets, too, which are else solved at once."""
    schedule = LASVC._schedule
    monkeypatch.setattr(LASVC, "_schedule", lambda model: replace(schedule(model), in_batch=False))
