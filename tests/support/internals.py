"""Private parts of the package that tests read: no other module of the tests names them.

``from tests.support.internals import name`` works for each name of `NAMES`. The functions return
parts of a fitted model.
"""

from dataclasses import replace
from importlib import import_module

import numpy as np

from sklearn_online_svm import LASVC

# Module of the package: the names in it, or submodules of it.
NAMES = {
    "": "_atomic_dump _estimator _suspects _updates",
    "_atomic_dump": "ABANDONED atomic_dump atomic_file",
    "_core.interrupts": "DeferredInterrupts",
    "_core.kernel.dual.flat_states": "flattened split",
    "_core.kernel.dual.selection": "Active",
    "_core.kernel.expansion": "expansion_budgets",
    "_core.kernel.vectors.block": "Samples",
    "_core.kernel.vectors.support_set": "DATA",
    "_core.linear.queries": "AT_RANDOM SelectiveSampler",
    "_core.linear.rows": "shuffled",
    "_core.reservoir": "Reservoir",
    "_core.svmlight": "parse_number",
    "_class_codes": "balanced_weights",
    "_estimator": "InconsistentPackageWarning _checksum",
    "_sklearn_compat": "CallbackSupportMixin",
    "_feature_space": "Kernel",
    "_pairs": "PairValues among_more_classes compares_pairs margin_scores pair_values",
    "_transactions": "PostponedInterrupts",
    "_validation": "draw_seed",
    "calibration._maps": "CouplingMap MultinomialMap SplineMap coupled",
    "calibration._newton": "minimize_convex",
    "calibration._online": "BLOCK ScoreWindow",
    "command_line._main": "_parser main",
    "distributed": "_cells",
    "evaluation._adaptive_quantile": "threshold_of",
    "evaluation._conformal": "conformity_scores",
    "evaluation._cuts": "limits",
    "kernel": "_epochs _first_samples _progress",
    "kernel._analysis": "_compression _intervals _kept_values _left_out _path_solver "
    "_probabilities",
    "kernel._checkpoint": "refuse_new_parameters",
    "kernel._analysis._kept_values": "ConformalQuantiles",
    "kernel._analysis._intervals": "fitted_scale",
    "kernel._analysis._compression": "CompressedState Selection distinct",
    "kernel._diagnosis": "precision",
    "kernel._first_samples": "weighted_variance",
    "kernel._joint": "Joint GROWTH joint_of solved",
    "kernel._metric": "_descent",
    "kernel._metric._check": "is_better",
    "kernel._metric._columns": "rank_scores",
    "kernel._metric._descent": "drawn_halves",
    "kernel._metric._forms": "LaplacianWidths RBFMap RBFWidths",
    "kernel._replay": "Vectors",
    "kernel._spec": "EngineSpec GapDrivenSpec LasvmSpec",
    "kernel._epochs": "Position is_above",
    "kernel._updates._expansion": "ExpansionState",
    "kernel._analysis._leave_one_out": "Optimum",
    "kernel._analysis._solution_view": "solution_views",
    "kernel._progress": "RemainingFinish RemainingTime progress",
    "kernel._choice": "STOPPING_WINDOWS SampleSelection",
    "kernel._analysis._span": "Basis may_limit_bias proven_shifts reach replacement_shifts "
    "span_shifts xi_alpha_shifts",
    "kernel._targets": "noise",
    "kernel._virtual_points": "VirtualPoints",
    "kernel._virtual_pool": "VirtualPool",
    "linear._state": "LinearState",
    "model_selection": "_race",
    "model_selection._candidates": "Candidate",
    "model_selection._fit_search": "FARTHEST FIRST_PART FitSearch LEAST_LEFT RUNG_PART",
    "model_selection._neighbours": "DrawnNeighbours GridNeighbours ordered_parameters",
    "model_selection._progressive_search": "_shortened",
    "model_selection._race": "Race Rules",
    "model_selection._samples": "StreamRungs first_rung make_folds n_scored_at rung_ends "
    "stratified",
    "model_selection._scoring": "N_BLOCKS Scores compute_scores jackknife_error mean_scores",
    "model_selection._stream_search": "StreamCandidate StreamSearch",
    "cells._stream": "CellStream",
    "cells._tree": "CellTree principal_direction",
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


def knots_of(metric):
    """Return the values and scores of each numeric column of a fitted KernelMetric."""
    return metric._columns.knots


def has_engine(model):
    """Return whether a model is trained by the solvers of the dual problem."""
    return "_machine" in vars(model)


def engine_of(model):
    """Return the engine of a model with a kernel that is trained by a solver of the dual."""
    return model._machine.engine


def trained_of(model):
    """Return the engine of a model, or its optimum as long as it has no engine."""
    return model._machine.trained


def is_without_engine(model):
    """Return whether a model has its optimum only, and no engine yet."""
    return model._machine.optimum is not None


def note_built_engines(monkeypatch):
    """Return a list to which each engine that is built from an optimum adds an entry."""
    built, kind = [], import_module(f"{_PACKAGE}.kernel._optimum").Optimum
    build = kind.engine

    def noted(*arguments):
        built.append(None)
        return build(*arguments)

    monkeypatch.setattr(kind, "engine", noted)
    return built


def steps_left(model):
    """Return the number of steps of each problem that ``fit`` has left."""
    if (optimum := model._machine.optimum) is not None:
        return optimum.numbers["steps_left"]
    return np.array([problem.steps_left for problem in engine_of(model).problems])


def machine_of(model):
    """Return the fitted state of a model that is trained by a solver of the dual."""
    return model._machine


def reservoir_of(model):
    """Return which samples of the stream a model has stored."""
    return model._machine.replay.reservoir


def beside(model, *arguments):
    """Return the stored samples that stand for the stream beside support vectors."""
    return model._machine.replay.beside(*arguments)


def reservoir_end(model):
    """Return the position in the stream after the last sample that the reservoir was given."""
    return None if model._machine.replay is None else model._machine.replay.end


def replayed_samples(model):
    """Return the stored samples, features and what is learned of them, in the order of places."""
    replay = model._machine.replay
    every = np.arange(replay.reservoir.n)
    return replay.vectors.take(every), replay.encoded(every)


def has_joint_solution(model):
    """Return whether predictions use a solution over support vectors and reservoir."""
    module = import_module(f"{_PACKAGE}.kernel._joint")
    return module.is_joint(model._machine)


def joint_problem(model, scaled=True):
    """Return the samples of a new solution over support vectors and reservoir.

    X, what is learned of them, upper bounds of alpha, and their numbers; ``scaled``: times the
    common factor.
    """
    module, machine = import_module(f"{_PACKAGE}.kernel._joint"), model._machine
    joint = module.Joint(None, np.zeros(0, np.int64), np.zeros(len(reservoir_of(model).classes)))
    X, encoded, cost, row_ids = joint.take_in(machine)
    return X, encoded, cost if scaled else cost / joint.scale, row_ids


def support_arrays(model, k=0):
    """Return the support set of a problem: alpha, g, bounds and row numbers by name."""
    return model._machine.engine.problems[k].members


def spec_of(model):
    """Return what the engine of a model was built from: kernel, layout, solver."""
    return model._fitted.spec


def targets_of(model):
    """Return the classes or values that a model with a kernel is trained on."""
    return model._machine.targets


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
    if not has_engine(model):
        return False
    model._machine.next_id = model._machine.n_seen = n
    return True


def state_attribute(model):
    """Return the attribute whose absence marks a model as not fitted."""
    return model._state_attribute


def checkpoint_of(model):
    """Return what ``resume`` continues from, or None."""
    return model._machine.checkpoint


def training_state(model):
    """Return all that training continues from, or None.

    It is without parameters such as the kernel, the number of kernel values, which is larger after
    an interrupt, and the arrangement of sparse vectors in memory.
    """
    if not has_engine(model):
        return None
    state = model._machine.as_dict()
    state["spec"]["kernel"] = state["watched"] = None
    if (optimum := model._machine.optimum) is not None:
        state["optimum"]["n_kernel_evaluations"] = None
        if state["spec"]["layout"] == "sparse":
            state["optimum"]["store"] = optimum.solution.all_vectors().toarray()
        return state
    state["engine"]["n_evaluations"], store = None, engine_of(model).store
    if state["spec"]["layout"] == "sparse":
        state["engine"]["store"] = store.vectors(range(store.n_slots)).toarray()
    state["engine"]["problems"] = [problem.state() for problem in engine_of(model).problems]
    for problem in state["engine"]["problems"]:
        problem["counters"][0] = 0
        problem["limits"][4:] = 0  # left of the last optimization, also that for a prediction
    return state


def decide(model, X):
    """Return the value of each binary problem for each sample."""
    scores = model._decision_values(X)
    return scores[:, 0] if scores.shape[1] == 1 else scores


def predicted_codes(model, scores):
    """Return the predicted class of each sample, as a code, from the values of the problems."""
    return model._predicted(scores)


def probability_map(model):
    """Return the fitted map from decision function values to probabilities."""
    return model._solution_and_map()[1]


def is_sparse(model):
    """Return whether the first samples of a model were sparse."""
    return model._fitted.is_sparse


def dtype_of(model):
    """Return the type in which a model stores its vectors."""
    return model._fitted.dtype


def estimated_cost(model, n_features):
    """Return the estimated cost of training so far: of steps, and of kernel values."""
    return model._estimated_cost(n_features)


def most_passes(model):
    """Return the largest number of epochs of ``fit``; -1: no limit."""
    return model._plan().most_passes


def class_rows(model):
    """Return the number of samples of each class that a VIRTUAL model has seen."""
    return model._machine.memory["class_rows"]


def begun_selection(model, order, cost, chunk):
    """Return the first state of the selection of samples of a chunk, with the seed 0."""
    plan = model._plan()
    return plan.choice.begun(plan, vars(model).get("_machine"), order, None, cost, 0, chunk)


def changed_solver(plan, **changes):
    """Return a plan whose solver has other options."""
    return replace(plan, solver=lambda *of: replace(plan.solver(*of), **changes))


def note_engine_calls(monkeypatch):
    """Return a list to which the calls of engines built from now on add their names."""
    calls, spec = [], import_module(f"{_PACKAGE}.kernel._spec").EngineSpec
    build = spec.build

    class Noted:
        def __init__(self, engine):
            self.__dict__["engine"] = engine

        def __getattr__(self, name):
            if name in ("learn", "finish", "refresh", "rebox", "seed"):
                calls.append(name)
            return getattr(self.engine, name)

        def __setattr__(self, name, value):
            setattr(self.engine, name, value)

    monkeypatch.setattr(spec, "build", lambda *given: Noted(build(*given)))
    return calls


def check_signals(monkeypatch, work):
    """Let engines check for signals each time that so many array elements were accessed."""
    spec = import_module(f"{_PACKAGE}.kernel._spec").EngineSpec
    build = spec.build

    def build_for_test(self, *matrix):
        engine = build(self, *matrix)
        for problem in engine.problems:
            problem.work_limit = work
        return engine

    monkeypatch.setattr(spec, "build", build_for_test)
    epochs = import_module(f"{_PACKAGE}.kernel._epochs")
    begin = epochs.batch_of

    def begin_for_test(*arguments):
        batch = begin(*arguments)
        batch.work_limit = work
        return batch

    monkeypatch.setattr(epochs, "batch_of", begin_for_test)


def report_each_round(monkeypatch):
    """Let an optimization call callbacks after each check for signals, not now and then."""
    monkeypatch.setattr(import_module(f"{_PACKAGE}._tasks"), "TASK_SECONDS", 0.0)


def limit_reprocessing(monkeypatch, n):
    """Let the solver of LASVC take at most n steps after each sample."""
    change_plan(
        monkeypatch, solver=lambda solver: lambda *of: replace(solver(*of), max_reprocess=n)
    )


def repeat_epochs(monkeypatch):
    """Let LASVC repeat epochs on small sets, too, which are else solved at once."""
    change_plan(monkeypatch, in_batch=lambda _: False)


def change_plan(monkeypatch, **changes):
    """Change fields of the plans of LASVC, by functions of their values."""
    plan_of = LASVC._plan

    def changed(model):
        plan = plan_of(model)
        return replace(plan, **{name: of(getattr(plan, name)) for name, of in changes.items()})

    monkeypatch.setattr(LASVC, "_plan", changed)
