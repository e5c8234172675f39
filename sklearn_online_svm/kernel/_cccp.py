"""Sequence of convex problems of RampSVC (concave-convex procedure, CCCP)."""

from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .. import _limits
from .._core.kernel.vectors.support_set import DATA
from .._validation import warn
from ._diagnostics import advice, warn_unless_solved
from ._epochs import Passes, Position


@dataclass(frozen=True)
class ProblemPosition(Position):
    """Where the sequence of convex problems is.

    Parameters
    ----------
    rows : ndarray of int64 or None
        Samples of the current problem; None: all.
    shifted : ndarray of int8 of shape (n_problems, n_samples) or None
        Flags of the samples beyond the ramp; None at the beginning.
    checked_at : int
        Count of changes at the last check for violations.
    n_solved : int
        Number of convex problems solved.
    """

    rows: np.ndarray | None = None
    shifted: np.ndarray | None = None
    checked_at: int = -1
    n_solved: int = 0


class ConvexProblems(Passes):
    """Solve one convex problem after the other.

    For each problem the samples are processed and the support set is optimized; then the samples
    that violate the optimality conditions are processed, until there are none.
    """

    Position = ProblemPosition
    is_exact = True
    after_finishing = "judge"

    def __init__(self, model, schedule, X, encoded, cost, at):
        super().__init__(model, schedule, X, encoded, cost, at)
        self.y = model._targets.linear_terms(encoded)
        if at.shifted is None:
            self.at = replace(at, shifted=np.zeros(self.y.shape, dtype=np.int8))

    @classmethod
    def first_position(cls, model, schedule, encoded, cost):
        model.objective_history_ = np.empty((0, model._spec.n_problems))
        rows = first_rows(model._order, encoded, cost, model.init_size)
        return ProblemPosition(rows, rows=rows)

    def stages(self):
        return super().stages() | dict(judge=self.judge, shift=self.shift)

    @property
    def visited(self):
        return self.row_ids

    def learn(self):
        self.learn_rows(self.given())
        return self.go_to("finish")

    def given(self):
        """Return the samples with the box constraints of the current problem."""
        targets = self.model._targets
        return targets.samples(self.encoded, self.cost, self.row_ids, DATA, self.at.shifted)

    def judge(self):
        """Find samples of the problem that violate the optimality conditions."""
        model, at = self.model, self.at
        scores = self.scores()
        rows = self.row_ids if at.rows is None else at.rows
        violation = self.engine.violations(self.given(), scores)[:, rows]
        violation = np.fmax.reduce(violation, axis=0)  # NaN: not in the problem of a pair
        model.kkt_violation_ = float(violation.max())
        order, changes = rows[violation > model.tol], self.engine.n_changes
        if not len(order) or changes == at.checked_at or self.engine.out_of_steps:
            warn_unless_solved(model)
            return self.conclude(scores, given_up=self.engine.out_of_steps)
        patience = self.count_round(at.patience)
        if patience["idle"] == _limits.IDLE_ROUNDS or patience["n_rounds"] == _limits.MAX_EPOCHS:
            warn(
                f"A convex problem of RampSVC did not converge within {patience['n_rounds']} "
                f"rounds: the largest violation left is {model.kkt_violation_:.3g}, tol is "
                f"{model.tol:.3g}. {advice(model)}",
                ConvergenceWarning,
            )
            return self.conclude(scores, given_up=True)
        return self.go_to("begin", order=order, checked_at=changes, patience=patience)

    def conclude(self, scores, given_up):
        """Return the boxes of the next problem, or stop: the current problem is solved."""
        model, at = self.model, self.at
        history = np.vstack([model.objective_history_[: at.n_solved], self.objective(scores)])
        n_solved = len(history)
        model.objective_history_, model.n_iter_ = history, n_solved
        shifted = self.beyond_ramp(scores)
        if model.verbose:
            print(
                f"[RampSVC] problem {n_solved}: objective {history[-1].sum():.6g}, "
                f"{np.count_nonzero(shifted)} samples beyond the ramp, "
                f"{len(model.support_)} support vectors"
            )
        if given_up:
            return self.go_to("over")
        # A first problem over a part of the samples does not belong to the sequence.
        in_sequence = n_solved > 1 or model.init_size is None
        if in_sequence and np.array_equal(shifted, at.shifted):
            return self.go_to("over")
        # Objectives decrease in the sequence; with rounded decision values they may rise and fall.
        least = history[0 if model.init_size is None else 1 : -1].min(axis=0, initial=np.inf)
        if n_solved > 2 and (least - history[-1]).max() < model.tol * model.C:
            return self.go_to("over")
        if n_solved == model.max_iter:
            warn(
                f"RampSVC did not converge within max_iter={model.max_iter} convex problems: "
                f"{np.count_nonzero(shifted != at.shifted)} samples still move across the end "
                "of the ramp. Increase max_iter, or tol.",
                ConvergenceWarning,
            )
            return self.go_to("over")
        return self.go_to("shift", shifted=shifted, n_solved=n_solved)

    def shift(self):
        """Move the current solution into the boxes of the next problem."""
        self.engine.rebox(self.given())
        return self.go_to("finish", rows=None, patience=None, checked_at=-1, n_rounds=0)

    def scores(self):
        """Return the decision values of all samples, of shape (n_samples, n_problems)."""
        scores = np.empty((self.X.shape[0], len(self.y)))
        self.engine.solution(False, 0).decide(self.X, scores, self.threads)
        return scores

    def beyond_ramp(self, scores):
        """Return flags of the samples beyond the ramp, with a margin below ``ramp_s``.

        A flag is cleared only if the margin exceeds ``ramp_s`` by more than tol: the scores are
        not more accurate than that, and at ``ramp_s`` both tangents are valid.
        """
        z, s = self.y * scores.T, self.model.ramp_s
        return (z < s + float(self.model.tol) * self.at.shifted).astype(np.int8)

    def objective(self, scores):
        """Return the objective of each problem with the ramp loss, over all samples."""
        z, s = self.y * scores.T, self.model.ramp_s
        loss = np.nan_to_num(np.maximum(0, 1 - z) - np.maximum(0, s - z))
        norms = [problem.squared_norm for problem in self.engine.problems]
        return 0.5 * np.array(norms) + loss @ self.cost


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
