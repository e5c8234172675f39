"""Sequence of convex problems of RampSVC (concave-convex procedure, CCCP)."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .. import _limits
from .._core.kernel.vectors.support_set import DATA
from .._threads import thread_pool, warn
from ._diagnosis import advice, warn_unless_solved
from ._epochs import FINISH_SHARE, Position, Procedure, known_slots, learn, optimize


@dataclass
class ProblemPosition(Position):
    """Where the sequence of convex problems is."""

    ids: np.ndarray | None = None  # samples of the current problem; None: all
    # Flags of the samples beyond the ramp; None at the beginning, (n_problems, n_samples).
    shifted: np.ndarray | None = None
    checked_at: int = -1  # count of changes at the last check for violations
    n_solved: int = 0  # number of convex problems solved


def begun(plan, machine, rows, random):
    """Return the first position: the first problem may be one over a part of the samples."""
    machine.memory["objective_history"] = np.empty((0, machine.spec.n_problems))
    first = first_rows(rows.order, rows.encoded, rows.cost, plan.params.init_size)
    shifted = np.zeros((machine.spec.n_problems, len(rows.encoded)), dtype=np.int8)
    return ProblemPosition(first, ids=first, shifted=shifted)


def convex_problems(run):
    """Solve one convex problem after the other.

    For each problem the samples are processed and the support set is optimized; then the samples
    that violate the optimality conditions are processed, until there are none.
    """
    machine, rows, at = run.machine, run.rows, run.at
    engine, y = machine.engine, machine.targets.linear_terms(rows.encoded)
    with thread_pool(run.plan.params.n_jobs) as threads:
        while at.stage != "over":
            if at.stage == "begin":
                engine.begin_pass(*known_slots(engine, rows.encoded))
                at.stage, at.n_changes, at.n_finishes = "learn", engine.n_changes, 0
            if at.stage == "learn":
                learn(run, threads, given(run), rows.X, at.order)
                at.stage = "finish"
            if at.stage == "shift":
                engine.rebox(given(run))  # moves the solution into the boxes of the next problem
                at.ids, at.best, at.n_rounds, at.idle = None, None, 0, 0
                at.stage, at.checked_at, at.n_finishes = "finish", -1, 0
            optimize(run, threads, None, FINISH_SHARE, after="judge")
            if at.stage == "judge":
                scores = np.empty((len(rows.encoded), len(y)))
                engine.solution(False, 0).decide(rows.X, scores, threads)
                judge(run, scores, y)


def given(run):
    """Return the samples with the box constraints of the current problem."""
    rows = run.rows
    return run.machine.targets.samples(
        rows.encoded, rows.cost, np.arange(len(rows.encoded)), DATA, run.at.shifted
    )


def judge(run, scores, y):
    """Find samples of the problem that violate the optimality conditions (stage "judge")."""
    plan, machine, at, engine = run.plan, run.machine, run.at, run.machine.engine
    some = np.arange(len(run.rows.encoded)) if at.ids is None else at.ids
    violation = engine.violations(given(run), scores)[:, some]
    violation = np.fmax.reduce(violation, axis=0)  # NaN: not in the problem of a pair
    machine.violation = float(violation.max())
    order, changes = some[violation > plan.params.tol], engine.n_changes
    if not len(order) or changes == at.checked_at or engine.out_of_steps:
        warn_unless_solved(plan, machine)
        conclude(run, scores, y, given_up=engine.out_of_steps)
        return
    at.count_round(engine)
    if at.idle == _limits.IDLE_ROUNDS or at.n_rounds == _limits.MAX_EPOCHS:
        warn(
            f"A convex problem of RampSVC did not converge within {at.n_rounds} rounds: the "
            f"largest violation left is {machine.violation:.3g}, tol is {plan.params.tol:.3g}. "
            f"{advice(plan, machine)}",
            ConvergenceWarning,
        )
        conclude(run, scores, y, given_up=True)
        return
    at.stage, at.order, at.checked_at = "begin", order, changes


def conclude(run, scores, y, given_up):
    """Set the boxes of the next problem, or stop: the current problem is solved."""
    plan, machine, at, params = run.plan, run.machine, run.at, run.plan.params
    former = machine.memory["objective_history"][: at.n_solved]
    history = np.vstack([former, objective(run, scores, y)])
    n_solved = len(history)
    machine.memory["objective_history"], machine.n_epochs = history, n_solved
    # A sample beyond the ramp has a margin below ``ramp_s``. It comes back only if its margin
    # exceeds ``ramp_s`` by more than tol: the scores are not more accurate than that, and at
    # ``ramp_s`` both tangents are valid.
    z = y * scores.T
    shifted = (z < params.ramp_s + float(params.tol) * at.shifted).astype(np.int8)
    if params.verbose:
        n_support = len(machine.solution(False, params.n_jobs).support)
        print(
            f"[{plan.name}] problem {n_solved}: objective {history[-1].sum():.6g}, "
            f"{np.count_nonzero(shifted)} samples beyond the ramp, {n_support} support vectors"
        )
    # A first problem over a part of the samples does not belong to the sequence.
    in_sequence = n_solved > 1 or params.init_size is None
    # Objectives decrease in the sequence; with rounded decision values they may rise and fall.
    least = history[0 if params.init_size is None else 1 : -1].min(axis=0, initial=np.inf)
    at.stage = "over"
    if given_up or (in_sequence and np.array_equal(shifted, at.shifted)):
        return
    if n_solved > 2 and (least - history[-1]).max() < params.tol * params.C:
        return
    if n_solved == params.max_iter:
        warn(
            f"RampSVC did not converge within max_iter={params.max_iter} convex problems: "
            f"{np.count_nonzero(shifted != at.shifted)} samples still move across the end "
            "of the ramp. Increase max_iter, or tol.",
            ConvergenceWarning,
        )
        return
    at.stage, at.shifted, at.n_solved = "shift", shifted, n_solved


def objective(run, scores, y):
    """Return the objective of each problem with the ramp loss, over all samples."""
    z, s = y * scores.T, run.plan.params.ramp_s
    loss = np.nan_to_num(np.maximum(0, 1 - z) - np.maximum(0, s - z))
    norms = [problem.squared_norm for problem in run.machine.engine.problems]
    return 0.5 * np.array(norms) + loss @ run.rows.cost


def first_rows(order, codes, cost, size):
    """Return the samples of the first problem: one of each class, then the first in the order.

    With a single class f would be constant, and the other class might lie beyond the ramp.
    ``size`` is their number or share; None: all.
    """
    if size is None:
        return order
    order = order[cost[order] > 0]
    size = size if isinstance(size, Integral) else int(size * len(codes))
    of_each = np.sort(np.unique(codes[order], return_index=True)[1])
    order = np.concatenate([order[of_each], np.delete(order, of_each)])
    return order[: max(size, len(of_each))]


CONVEX_PROBLEMS = Procedure(
    ProblemPosition, begun, convex_problems, visited=lambda run: np.arange(len(run.rows.encoded))
)
