"""Solver of a solution path: the solutions of one model for ascending values of C.

The boxes of the dual grow with C, so the solver for the next C is warm-started from a multiple of
the solution for the current C; gradients are scaled without computing kernel values. A *sweep*
goes through the values of C in order: for each it optimizes over the support set and then
processes the samples outside that may violate their margin most by now.

A *check* goes over all samples once for the whole path: their kernel values with the support set
are computed once and show for every C which samples violate the optimality conditions. These are
processed in the next sweep. A path therefore costs about as many epochs as one fit, independent of
the number of values of C. No vector is removed from the support set meanwhile, because another C
may need it.

Here g is always t - K alpha (minus ridge alpha) for one linear term t per sample and problem: the
label, in regression the lower end of the tube. With respect to the upper end it is g + width. A
sample with alpha = 0 has both sides in regression, and the side of its label in classification.

Several problems of few samples, such as the pairs of many classes, are solved for each C by a fit
of its own (``Fits``): solving them at once takes less time than the checks and sweeps.
"""

import copy
import time
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ... import _limits
from ..._core.kernel.vectors.stores import BLOCK
from ..._core.kernel.vectors.support_set import DATA
from ..._threads import thread_pool, warn
from .._diagnosis import advice, most_steps_of, warn_unless_solved
from .._epochs import ALL_AT_ONCE, Run, by_class, known_slots
from .._kept_samples import KeptSamples
from .._training import run_to_end


@dataclass
class State:
    """Solution for one C: row ids of the support set, alpha and g of each problem.

    ``high`` is the largest g in the support set whose alpha can increase, ``low`` the smallest g
    whose alpha can decrease.
    """

    ids: list
    alpha: list
    g: list
    low: np.ndarray
    high: np.ndarray
    tau: np.ndarray
    n_evaluations: int


def recorded_residuals(run):
    """Return an array to which a call of ``fit`` writes the residuals of samples it visits."""
    residuals = np.full((run.machine.spec.n_problems, len(run.rows.encoded)), np.nan)
    if run.machine.trained is not None:
        keep_residuals(run.machine.engine, residuals)
    return residuals


def keep_residuals(engine, residuals):
    """Let the engine write the residuals of the samples that it visits to an array."""
    for problem, of_problem in zip(engine.problems, residuals, strict=True):
        problem.keep_residuals(of_problem)


def solver_of(call, Cs, residuals):
    """Return the solver of a path whose first model has been fitted by ``call``."""
    if call.procedure is ALL_AT_ONCE and call.machine.spec.n_problems > 1:
        return Fits(call, Cs)
    return Sweeps(call, Cs, residuals)


def estimator_of(draft, C):
    """Return an estimator with the attributes of a draft, but another C."""
    one = type(draft).__new__(type(draft))
    one.__dict__ = {**draft.__dict__, "C": float(C)}
    for name in {"class_weight", "random_state"} & vars(draft).keys():
        setattr(one, name, copy.deepcopy(getattr(draft, name)))
    return one


class Fits:
    """A fit for each value of C, all problems at once. The arguments are those of ``Sweeps``."""

    def __init__(self, call, Cs):
        self.calls, self.Cs = [call], Cs

    def run(self):
        """Solve the problems of all values of C."""
        for C in self.Cs[1:]:
            call = self.begun(C)
            try:
                run_to_end(call)
            except KeyboardInterrupt as error:
                # The notes are about the model of this C, which is discarded.
                vars(error).pop("__notes__", None)
                raise
            self.calls.append(call)

    def begun(self, C):
        """Return a fit of the samples before its first step."""
        first = self.calls[0]
        one, machine, rows = estimator_of(first.draft, C), first.machine, first.rows
        plan = one._plan()
        spec = replace(machine.spec, solver=plan.solver(plan.params, machine.targets))
        cost, targets = machine.targets.costs(plan, rows.encoded, rows.weights, rows.order)
        one._machine = replace(
            machine, spec=spec, targets=targets, trained=None, watched=one._current_params()
        )
        rows = replace(rows, cost=cost)
        at = ALL_AT_ONCE.begun(plan, one._machine, rows, None)
        return Run(one, plan, one._machine, rows, ALL_AT_ONCE, at)

    def results(self):
        """Return the models fitted so far, their violations, and the kernel values computed."""
        machines = [call.machine for call in self.calls]
        models = [self.model_of(k) for k in range(len(machines))]
        violation = [machine.violation for machine in machines]
        return models, violation, sum(machine.counts()[1] for machine in machines)

    def model_of(self, k):
        """Return an independent estimator that holds the k-th solution."""
        return copy.deepcopy(estimator_of(self.calls[k].draft, self.Cs[k]))


class Sweeps:
    """Sweeps over the values of C, with checks of all samples in between.

    ``Cs`` are in ascending order, and the model of the first one has been fitted by ``call``, with
    ``residuals``, a result of ``recorded_residuals``.
    """

    # Share of all samples that is processed for each C (at least a block): in classification, in
    # regression, and with max_iter=-1, where the path continues until no sample violates. In
    # regression more samples are close to violating, those at either end of the tube; with half
    # the share the dual objective was up to 0.6 % below that of a separate fit. A sample violates
    # in fewer problems of pairs than of classes, and each pair needs its own; with a quarter of
    # the share the accuracy of 4 and 5 classes was up to 0.05 below that of a separate fit.
    share = 0.025
    share_two_sided = 0.05
    share_one_vs_one = 0.1
    share_until_converged = 0.1

    def __init__(self, call, Cs, residuals):
        self.call, self.plan, self.machine, self.rows = call, call.plan, call.machine, call.rows
        self.engine, self.Cs = call.machine.engine, Cs
        self.X, self.encoded = call.rows.X, call.rows.encoded
        self.row_ids = np.arange(len(call.rows.encoded))
        self.t = self.machine.targets.linear_terms(self.encoded)
        # NaN for samples that do not belong to the problem: they rise and fall in no problem.
        self.belongs = ~np.isnan(self.t)
        epsilon = self.machine.spec.solver.epsilon
        self.two_sided, self.width = epsilon is not None, 2.0 * (epsilon or 0.0)
        # Whether alpha can increase from 0, and decrease.
        self.rises, self.falls = self.t > 0, self.t < 0
        if self.two_sided:
            self.rises, self.falls = np.ones((2, *self.t.shape), dtype=bool)
        # Residual t - f(x) of each sample of a problem, and how far it may be from that.
        self.residuals, self.distances = residuals, np.zeros(self.t.shape)
        keep_residuals(self.engine, residuals)
        self.compute_residuals()
        # Relevant samples of the last check: row ids, g, and the violating ones for each C.
        self.found = np.empty(0, np.int64)
        self.found_g = np.empty((len(Cs), len(self.t), 0))
        self.violators = [self.found] * len(Cs)
        self.violation = np.full(len(Cs), np.inf)
        self.n_checks = 0
        self.has_bias, most = self.machine.spec.solver.has_bias, self.plan.most_passes
        self.until_converged = most == -1 or (
            most == "auto" and len(self.encoded) <= _limits.SMALL_SET
        )
        self.most_checks = (
            _limits.MAX_EPOCHS if self.until_converged else 1 if most == "auto" else most
        )
        self.violation[0] = self.machine.violation
        self.states = [self.state()]
        self.start = time.perf_counter()

    def compute_residuals(self):
        """Compute the residuals of samples that ``fit`` has not visited one by one."""
        unknown = (np.isnan(self.residuals) & self.belongs).any(axis=0)
        rows = np.flatnonzero(unknown & (self.cost_of(0) > 0.0))
        scores = np.empty((len(rows), len(self.t)))
        if len(rows):
            self.engine.current_solution().decide(self.X[rows], scores, None)
        self.residuals[:, unknown] = 0.0
        self.residuals[:, rows] = self.t[:, rows] - scores.T

    # ---------------------------------------------------------------------------- sweeps

    def run(self):
        """Solve the problems of all values of C."""
        engine, n = self.engine, len(self.Cs)
        if n == 1:
            return
        engine.begin_pass(*known_slots(engine, self.encoded))
        self.disable_eviction()
        with thread_pool(self.plan.params.n_jobs) as self.threads:
            for k in range(1, n):
                self.solve_next(k)
            while self.n_checks < self.most_checks:
                self.check_samples()
                changes = engine.n_changes
                for k in range(n):
                    if len(self.violators[k]):
                        self.solve_again(k)
                if engine.n_changes == changes:
                    break
        left, tau = self.violation.max(), max(state.tau.max() for state in self.states)
        if self.until_converged and left > tau:
            warn(
                f"fit_path did not converge within {self.n_checks} checks of all samples: the "
                f"largest violation is {left:.3g}, tol is {self.plan.params.tol:.3g}. "
                f"{advice(self.plan, self.machine)}",
                ConvergenceWarning,
            )

    def disable_eviction(self):
        """Configure the problems not to remove vectors from their support sets."""
        options = self.machine.spec.options()
        options |= {"evicts": False} if self.has_bias else {"max_non_sv": -1}
        for problem in self.engine.problems:
            problem.configure(**options)

    def solve_next(self, k):
        """Solve the k-th problem, warm-started from the last one, with the nearest samples."""
        given = self.given(k)
        self.engine.allow(most_steps_of(self.engine.n_problems_of_sample, len(self.encoded)))
        biases = [problem.b for problem in self.engine.problems]
        times = self.scale_to_boxes(given)
        before = [problem.objective for problem in self.engine.problems]
        self.engine.finish(self.threads)
        self.update_residuals(times, biases, before)
        self.solve(k, given, self.nearest())

    def solve_again(self, k):
        """Solve the k-th problem again, with the samples that violate."""
        given = self.given(k)
        self.engine.allow(most_steps_of(self.engine.n_problems_of_sample, len(self.encoded)))
        self.engine.place(given, *self.extended_solution(k))
        self.solve(k, given, self.violators[k])

    def solve(self, k, given, order):
        """Process samples, optimize over the support set, and store the solution."""
        if len(order):
            self.engine.learn(self.X, order, given, self.threads)
            self.distances[:, order] = 0.0
        self.engine.finish(self.threads)
        warn_unless_solved(self.plan, self.machine)
        self.states[k : k + 1] = [self.state()]
        if self.plan.params.verbose:
            self.report(k)

    def report(self, k):
        """Print a line of progress."""
        vectors = np.concatenate(
            [
                ids[alpha != 0]
                for ids, alpha in zip(self.states[k].ids, self.states[k].alpha, strict=True)
            ]
        )
        objective = sum(problem.objective for problem in self.engine.problems)
        print(
            f"[{self.plan.name}] C={self.Cs[k]:g}: {len(np.unique(vectors))} support "
            f"vectors, objective {objective:.6g}, {self.engine.n_kernel_evaluations:,} kernel "
            f"values, {time.perf_counter() - self.start:.1f} s"
        )

    # ---------------------------------------------------------------------------- solutions

    def given(self, k):
        """Return the samples with the boxes of the k-th C."""
        targets = self.machine.targets
        return targets.samples(self.encoded, self.cost_of(k), self.row_ids, DATA)

    def cost_of(self, k):
        """Return the k-th C times the weights, for each sample."""
        params = SimpleNamespace(**vars(self.plan.params) | {"C": float(self.Cs[k])})
        plan, rows = replace(self.plan, params=params), self.rows
        return self.machine.targets.costs(plan, rows.encoded, rows.weights, rows.order)[0]

    def state(self):
        """Return the current solution of the engine."""
        problems = self.engine.problems
        ids, alphas, gs, low, high = [], [], [], [], []
        for problem in problems:
            members = problem.view()
            alpha, g = members.alpha, members.lower_g
            at_zero = self.two_sided & (alpha == 0)
            may_rise, may_fall = (members.up != 0) | at_zero, (members.down != 0) | at_zero
            high.append((g + self.width * (alpha < 0))[may_rise].max(initial=-np.inf))
            low.append((g + self.width * (alpha <= 0))[may_fall].min(initial=np.inf))
            ids.append(members.row_id)
            alphas.append(alpha)
            gs.append(g)
        tau = np.array([problem.tau for problem in problems])
        n_evaluations = self.engine.n_kernel_evaluations
        return State(ids, alphas, gs, np.array(low), np.array(high), tau, n_evaluations)

    def scale_to_boxes(self, given):
        """Grow the boxes and scale alpha with them; return the factor of alpha of each problem.

        Factors between 1 and the ratio of the boxes are feasible; the one with the largest dual
        objective is used. If many alpha are at a bound it is the ratio: they stay at the bound.
        With a squared loss there is no bound, but the ridge of the kernel matrix changes.
        """
        pairs, multiples = [], []
        for c, problem in enumerate(self.engine.problems):
            members = problem.view()
            alpha, ids, target = members.alpha, members.row_id, members.target
            old = np.maximum(-members.lower, members.upper)
            lower, upper = given.boxes(c, problem.classes, ids)
            new = np.maximum(-lower, upper)
            ridge = given.ridges(ids) - members.ridge
            values = target - members.g + ridge * alpha
            kept = alpha != 0
            limited = kept & np.isfinite(new)
            ratio = (new[limited] / old[limited]).min(initial=np.inf)
            squared_norm = (alpha * values)[kept].sum()
            best = (alpha * target)[kept].sum() / squared_norm if squared_norm > 0 else 1.0
            times = min(max(best, 1.0), ratio)
            size = np.minimum(np.abs(alpha) * times, new)
            if times == ratio:
                size = np.where(np.abs(alpha) == old, new, size)
            alphas, gs = np.zeros((2, problem.members.n))
            alphas[members.slots] = np.copysign(size, alpha)
            gs[members.slots] = self.t[c, ids] - times * values
            pairs.append((alphas, gs))
            multiples.append(times)
        self.engine.place(given, *zip(*pairs, strict=True))
        return multiples

    def extended_solution(self, k):
        """Return alpha and g of the k-th solution over the current support set.

        Vectors added since then have been checked, so that their g is known.
        """
        state, alphas, gs = self.states[k], [], []
        for c, problem in enumerate(self.engine.problems):
            alpha, g = np.zeros((2, len(self.encoded)))
            g[self.found] = self.found_g[k, c]
            alpha[state.ids[c]], g[state.ids[c]] = state.alpha[c], state.g[c]
            ids = problem.members["row_id"]  # -1 for free slots, whose values are not used
            alphas.append(alpha[ids])
            gs.append(g[ids])
        return alphas, gs

    # ---------------------------------------------------------------------------- samples outside

    def most_rows(self):
        """Return how many samples are processed for one C."""
        share = self.share_two_sided if self.two_sided else self.share
        if not self.belongs.all():
            share = self.share_one_vs_one
        if self.until_converged:
            share = self.share_until_converged
        return max(BLOCK, int(share * len(self.encoded)))

    def update_residuals(self, times, biases, before):
        r"""Update the residuals and their distances after the optimization for another C.

        ``biases`` are those before w was scaled, ``before`` the objectives after that. From the
        scaled weights w to the optimum w' the dual objective has increased by
        :math:`\ge \|w' - w\|^2 / 2`, and no decision value moves by more than
        :math:`\|w' - w\| \sqrt{K(x, x)}`; K(x, x) is approximated by its mean over the support
        set.
        """
        for c, problem in enumerate(self.engine.problems):
            members, gain = problem.view(), max(problem.objective - before[c], 0.0)
            diag = members.diag.astype(np.float64)
            size = max(diag.mean(), 0.0) if len(diag) else 0.0
            # In regression the bias follows the mean of the targets; otherwise it is scaled, too.
            former, bias = (biases[c], problem.b) if self.two_sided else (0.0, 0.0)
            values = times[c] * (self.t[c] - self.residuals[c] - former)
            self.residuals[c] = self.t[c] - values - bias
            self.distances[c] = times[c] * self.distances[c] + np.sqrt(2.0 * gain * size)
            # Known residuals of the support set, for vectors that are removed later.
            ridge = members.ridge * members.alpha
            self.residuals[c, members.row_id] = members.lower_g + ridge - members.b
            self.distances[c, members.row_id] = 0.0

    def nearest(self):
        """Return the samples outside the support set that may violate the most, sorted."""
        above = np.where(self.rises, self.residuals, -np.inf)
        below = np.where(self.falls, -self.residuals - self.width, -np.inf)
        bounds = np.maximum(above, below) + self.distances
        for c, problem in enumerate(self.engine.problems):
            bounds[c, problem.view().row_id] = -np.inf
        most = np.where(self.cost_of(0) > 0.0, bounds.max(axis=0), -np.inf)
        return self.largest(most, -self.plan.params.tol)

    def largest(self, values, above):
        """Return the samples with the largest values, as many as are processed for one C."""
        rows = np.argsort(-values, kind="stable")[: self.most_rows()]
        return rows[values[rows] > above]

    def check_samples(self):
        """Find the samples that violate for any C, and their g for all values of C."""
        member = self.known_gradients()
        late = np.zeros(len(self.encoded), dtype=bool)
        for c, problem in enumerate(self.engine.problems):
            ids = problem.view().row_id
            late[ids] |= ~member[:, c, ids].all(axis=0)
        rows = np.flatnonzero((self.cost_of(0) > 0.0) & ~member.all(axis=(0, 1)))
        high = np.array([state.high for state in self.states])
        low = np.array([state.low for state in self.states])
        tau = np.array([state.tau for state in self.states])
        # Bounds of g within which an increase, or a decrease, of alpha is no violation.
        up_to, down_to = tau, -tau
        if self.has_bias:
            # Support set all at bounds: samples in between may violate with each other.
            apart = high < low
            up_to = np.where(apart, high, low + tau)
            down_to = np.where(apart, low, high - tau)
        found, found_g, excess = [], [], []
        coefs = self.coefficients()
        size = _limits.PATH_VALUES_AT_ONCE // max(self.engine.store.n_slots, high.size)
        size = max(1, size // BLOCK) * BLOCK
        for first in range(0, len(rows), size):
            chunk = rows[first : first + size]
            g = self.gradients(chunk, coefs)
            outside = ~member[:, :, chunk]
            rises, falls = outside & self.rises[:, chunk], outside & self.falls[:, chunk]
            upper_g = g + self.width
            beyond = np.maximum(
                np.where(rises, g - up_to[:, :, None], -np.inf),
                np.where(falls, down_to[:, :, None] - upper_g, -np.inf),
            )
            keep = (beyond > 0).any(axis=(0, 1)) | late[chunk]
            found.append(chunk[keep])
            found_g.append(g[:, :, keep])
            excess.append(beyond[:, :, keep])
            high = np.maximum(high, g.max(axis=2, where=rises, initial=-np.inf))
            low = np.minimum(low, upper_g.min(axis=2, where=falls, initial=np.inf))
        self.n_checks += 1
        left = high - low if self.has_bias else np.maximum(high, -low)
        self.violation = np.maximum(left.max(axis=1), 0.0)
        if not found:
            self.violators = [self.found[:0]] * len(self.Cs)
            return
        self.found, self.found_g = np.concatenate(found), np.concatenate(found_g, axis=2)
        excess = np.concatenate(excess, axis=2)
        excess[~(left > tau)] = -np.inf
        self.violators = [self.found[self.largest(of_k.max(axis=0), 0.0)] for of_k in excess]

    def known_gradients(self):
        """Return flags (n_Cs, n_problems, n_rows): samples whose gradient is known or not needed.

        A solution holds those of its support set; samples of other problems have none.
        """
        member = np.tile(~self.belongs, (len(self.Cs), 1, 1))
        for k, state in enumerate(self.states):
            for c, ids in enumerate(state.ids):
                member[k, c, ids] = True
        return member

    def coefficients(self):
        """Return, for each problem, store slots and their alpha of shape (n_Cs, n_slots)."""
        pairs = []
        for c, problem in enumerate(self.engine.problems):
            members, alpha = problem.view(), np.zeros((len(self.Cs), len(self.encoded)))
            for k, state in enumerate(self.states):
                alpha[k, state.ids[c]] = state.alpha[c]
            pairs.append((members.index, alpha[:, members.row_id]))
        return pairs

    def gradients(self, rows, coefs):
        """Return g of some samples, (n_Cs, n_problems, len(rows)); NaN outside of a problem."""
        values = self.engine.kernel_values(self.X, rows, self.threads)
        g = np.full((len(self.Cs), len(coefs), len(rows)), np.nan)
        for c, (index, alpha) in enumerate(coefs):
            mine = self.belongs[c, rows]
            of_mine = values if mine.all() else values[mine]
            products = alpha @ of_mine[:, index].T.astype(np.float64)
            g[:, c, mine] = self.t[c, rows[mine]] - products
        return g

    # ---------------------------------------------------------------------------- models

    def results(self):
        """Return the models solved so far, their violations, and the kernel values computed."""
        models = [self.model_of(k) for k in range(len(self.states))]
        return models, self.violation[: len(models)], self.engine.n_kernel_evaluations

    def model_of(self, k):
        """Return an independent estimator that holds the k-th solution."""
        machine, rows = self.machine, self.rows
        one = estimator_of(self.call.draft, self.Cs[k])
        plan, watched = one._plan(), one._current_params()
        if len(self.Cs) == 1:
            one._machine = replace(machine, watched=watched)
            return copy.deepcopy(one)
        spec = replace(machine.spec, solver=plan.solver(plan.params, machine.targets))
        engine, kept = self.engine_of(k, spec), None
        if plan.keeps_samples:
            support = engine.current_solution().row_ids
            kept = KeptSamples.of_fit(rows.X, rows.encoded, rows.weights, rows.order, support)
        one._machine = replace(
            machine,
            spec=spec,
            trained=engine,
            kept=kept,
            violation=float(self.violation[k]),
            n_epochs=machine.n_epochs + self.n_checks,
            watched=watched,
        )
        return one

    def engine_of(self, k, spec):
        """Return an independent engine with the k-th solution and only the vectors it needs."""
        state = self.states[k]
        alpha, g = np.zeros(self.t.shape), np.full(self.t.shape, np.nan)
        for c in range(len(self.t)):
            kept = self.worth_keeping(state, c)
            ids = state.ids[c][kept]
            alpha[c, ids], g[c, ids] = state.alpha[c][kept], state.g[c][kept]
        kept = np.flatnonzero(~np.isnan(g).all(axis=0))
        kept = by_class(self.machine.targets, self.encoded, kept)
        engine = spec.build(self.X)
        engine.seed(self.X, kept, self.given(k), alpha[:, kept].copy(), g[:, kept])
        engine.conclude(state.n_evaluations)
        return engine

    def worth_keeping(self, state, c):
        """Return which vectors of a solution ``fit`` would have kept in the support set."""
        idle = np.flatnonzero(state.alpha[c] == 0)
        g, upper_g = state.g[c][idle], state.g[c][idle] + self.width
        rises, falls = (may[c, state.ids[c][idle]] for may in (self.rises, self.falls))
        if self.has_bias:
            low, high = state.low[c], state.high[c]
            may_rise = rises & ~((g <= low) & (g < high))
            may_fall = falls & ~((upper_g >= high) & (upper_g > low))
            idle = idle[may_rise | may_fall]
        elif self.plan.params.algorithm != "lasvm-full":
            residual = np.maximum(np.where(rises, g, -np.inf), np.where(falls, -upper_g, -np.inf))
            most = self.machine.spec.solver.max_non_sv
            idle = idle[np.argsort(-residual, kind="stable")[:most]]
        return np.sort(np.concatenate([np.flatnonzero(state.alpha[c]), idle]))
