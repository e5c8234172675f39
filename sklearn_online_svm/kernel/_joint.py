"""The solution over the support vectors and the samples of the reservoir together.

If samples had to be replayed, the support vectors alone do not represent the stream: those of a
class that were not needed when it was learned are missing where another class meets it. So the
solution that predictions use is optimized over the support vectors and the samples of the
reservoir, whose upper bounds of alpha are such that each class has its part
(:meth:`Replay.beside`). Every vector takes part in all problems of its class; online training has
added it to those where it violated.

It is solved as a fit of so many samples; then it is continued with the samples that the stream
adds, until the stream has grown by half.

If the stream has drifted, the reservoir still has samples that are no longer valid. So predictions
use the solution over the support vectors, which follows the stream faster, if that is better at
the latest samples of all classes (``is_worse``).
"""

from dataclasses import dataclass, replace

import numpy as np

from .. import _limits
from .._core.interrupts import DeferredInterrupts
from .._core.kernel.vectors.support_set import STREAM
from ._epochs import Rows, by_class
from ._kept_samples import stack
from ._optimum import Optimum, batch_of, keep_reserve
from ._replay import main_target

# Growth of the stream after which the solution is computed anew. Until then samples of former
# predictions keep their boxes, and none leaves: at 2, errors rise with seven classes in bursts of
# 1000.
GROWTH = 1.5

# Largest number of samples of the stream that a stored one stands for with its whole cost. Where
# there are more, all costs are reduced alike: a sample of a hundredfold cost would be fitted
# whatever its noise. With adult, 25,000 samples sorted by class, the error is 24 % without a
# limit, and 17 to 18 % with 2 to 5; with covtype, whose samples have little noise, a limit of 1
# costs 3 points.
LARGEST_FACTOR = 4.0

# Number of members at alpha = 0 that are kept.
ALL = 1 << 40

# Number of the latest samples with which two solutions are compared, growth of the stream after
# which they are compared again, and the number of standard errors by which the mean loss must
# differ.
N_COMPARED, COMPARED_GROWTH, ERRORS_APART = 400, 1.05, 3.0

_STORED = "row_ids", "represented", "scale", "n_seen", "n_changes", "compared_at", "is_worse"
_NO_LIMIT = np.iinfo(np.int64).max


def is_joint(machine):
    """Return whether predictions use a solution over support vectors and reservoir."""
    replay = machine.replay
    if replay is None or not replay.is_needed:
        return False
    if machine.spec.solver.algorithm not in ("lasvm", "lasvm-g"):  # others are not convex
        return False
    # The engine does not have all outputs of a vector that is needed for some.
    if replay.targets is not None and machine.spec.n_problems > 1:
        return False
    return not machine.engine.is_finished


@dataclass
class Joint:
    """The solution over support vectors and reservoir, as an engine or an optimum."""

    trained: object  # Engine or Optimum
    row_ids: np.ndarray  # numbers of the samples that it has been given
    represented: np.ndarray  # sum of their upper bounds of alpha, (n_classes,)
    scale: float = 1.0  # factor of all upper bounds
    n_seen: int = 0  # number of samples of the reservoir's stream when it was solved
    n_changes: int = -1  # count of the engine of the stream that it corresponds to
    # Length of the stream when it was compared with the solution over the support vectors.
    compared_at: int = 0
    is_worse: bool = False  # whether that was better
    solution: object = None  # Solution

    def engine(self, machine, reserve=ALL):
        """Return the engine; if there is none, it is built from the optimum."""
        if isinstance(self.trained, Optimum):
            spec = spec_of(machine.spec) if reserve else machine.spec
            self.trained = self.trained.engine(spec, machine.targets, reserve=reserve)
        return self.trained

    def configure(self, spec):
        """Apply the current options of the stream."""
        if not isinstance(self.trained, Optimum):
            spec_of(spec).configure(self.trained)

    def is_outdated(self, reservoir):
        """Return whether it is to be solved anew, rather than continued."""
        n, before = reservoir.n_seen, self.n_seen
        has_new_ranges = reservoir.has_ranges and n.bit_length() > before.bit_length()
        return n >= GROWTH * before or has_new_ranges

    def take_in(self, machine):
        """Return the samples that this solution has not been given: X, encoded, cost, row_ids."""
        engine, replay = machine.engine, machine.replay
        samples = np.sort(engine.stored_samples(), order="row_id")  # slots depend on chunks
        encoded, cost = machine.targets.of_members(engine, samples)
        is_new = ~np.isin(samples["row_id"], self.row_ids)
        encoded, cost, row_ids = encoded[is_new], cost[is_new], samples["row_id"][is_new]
        own_cost = cost
        places, more, cost, self.represented = replay.beside(
            row_ids, main_target(encoded), cost, self.row_ids, self.represented
        )
        X = [engine.store.vectors(samples["slot"][is_new]), replay.vectors.take(places)]
        row_ids = np.concatenate([row_ids, replay.reservoir.samples["row_id"][places]])
        self.row_ids = np.concatenate([self.row_ids, row_ids])
        encoded = np.concatenate([encoded, replay.encoded(places)])
        if self.n_seen == 0:
            own_cost = np.concatenate([own_cost, replay.reservoir.samples["cost"][places]])
            finite = np.isfinite(own_cost)
            factors = np.concatenate([cost, more])[finite] / own_cost[finite]
            self.scale = min(1.0, LARGEST_FACTOR / factors.max(initial=1.0))
        return stack(X), encoded, self.scale * np.concatenate([cost, more]), row_ids

    def state(self):
        """Return arrays and numbers, for pickling."""
        is_optimum = isinstance(self.trained, Optimum)
        trained = self.trained.as_dict() if is_optimum else self.trained.state()
        values = {name: getattr(self, name) for name in _STORED}
        return dict(trained=trained, is_optimum=is_optimum) | values

    @classmethod
    def from_state(cls, state, spec):
        """Return the value that :meth:`state` stored."""
        if state["is_optimum"]:
            trained = Optimum.from_dict(state["trained"], spec)
        else:
            trained = spec_of(spec).build()
            trained.restore(state["trained"])
        values = {name: state[name] for name in _STORED}
        return cls(trained, **values, solution=solution_of(trained))


def joint_of(machine, threads):
    """Return the up-to-date :class:`Joint` of a machine; the caller holds the guard.

    None, if predictions are to use the solution over the support vectors. May be interrupted:
    nothing changes.
    """
    if not is_joint(machine):  # another thread may have ended replay
        return None
    engine, joint = machine.engine, machine.joint
    reservoir = machine.replay.reservoir
    with DeferredInterrupts():
        if joint is None or joint.n_changes != engine.n_changes:
            if joint is None or joint.is_outdated(reservoir):
                joint = solved(machine, threads)
            else:
                follow(joint, machine, threads)
            joint.n_changes, joint.solution = engine.n_changes, solution_of(joint.trained)
            machine.joint = joint
        if reservoir.n_seen >= COMPARED_GROWTH * joint.compared_at:
            joint.is_worse = is_worse(machine, joint.solution, threads)
            joint.compared_at = reservoir.n_seen
    return None if joint.is_worse else joint


def is_worse(machine, solution, threads):
    """Return whether the solution over the support vectors is better at the latest samples."""
    X, encoded = machine.replay.latest(N_COMPARED)
    machine.engine.prepare(True, machine.most_steps(), threads)
    other = machine.engine.current_solution()
    losses = []
    for each in (solution, other):
        scores = np.empty((len(encoded), machine.spec.n_problems))
        each.decide(X, scores, threads)
        losses.append(machine.targets.errors(encoded, scores))
    gained = losses[0] - losses[1]
    return gained.mean() > ERRORS_APART * gained.std() / np.sqrt(len(gained))


def solution_of(trained):
    """Return the solution of an engine or optimum."""
    return trained.solution if isinstance(trained, Optimum) else trained.current_solution()


def spec_of(spec):
    """Return the specification of an engine that keeps all samples; ``spec``: of the stream."""
    if spec.solver.has_bias:
        return spec
    return replace(spec, solver=replace(spec.solver, algorithm="lasvm-full"))


def consolidated(machine, threads):
    """Return an engine whose support set is that of the solution over the reservoir, too."""
    joint = solved(machine, threads, keeps_all=False)
    if is_worse(machine, solution_of(joint.trained), threads):
        return machine.engine
    engine = joint.engine(machine, reserve=0)
    engine.count_work_of(machine.engine)
    return engine


def solved(machine, threads, keeps_all=True):
    """Return the solution over support vectors and reservoir.

    ``keeps_all``: whether samples with alpha = 0 remain, so that it can be continued.
    """
    joint = Joint(None, np.zeros(0, np.int64), np.zeros(len(machine.replay.reservoir.classes)))
    X, encoded, cost, row_ids = samples = joint.take_in(machine)
    joint.n_seen = machine.replay.reservoir.n_seen
    most = _limits.MANY_SMALL_PAIRS if machine.targets.one_vs_one else _limits.GRAM_SAMPLES
    if len(cost) <= most and machine.targets.is_batchable:
        joint.trained = solved_at_once(machine, *samples, threads, keeps_all)
    else:
        spec = spec_of(machine.spec) if keeps_all else machine.spec
        joint.trained = spec.build()
        keep_reserve(joint.trained, spec, ALL if keeps_all else 0)
        # In any order but one by class.
        order = np.random.RandomState(0).permutation(len(cost))
        visit(joint.trained, machine.targets, *samples, order, threads)
    return joint


def solved_at_once(machine, X, encoded, cost, row_ids, threads, keeps_all):
    """Return the optimum over samples."""
    spec, targets = machine.spec, machine.targets
    order = by_class(targets, encoded, np.arange(len(cost)))
    steps = _limits.MAX_STEPS_PER_SAMPLE * len(cost)
    batch = batch_of(spec, targets, encoded[order], cost[order], steps)
    batch.attach(spec.store, X, order)
    batch.solve(threads)
    if keeps_all:
        batch.is_member[:] = 1
    return Optimum.of(batch, spec, Rows(X, encoded, None, cost), order, row_ids)


def follow(joint, machine, threads):
    """Continue with the samples that have been added since."""
    former, engine = vars(joint).copy(), joint.engine(machine)
    state = engine.state()
    try:
        samples = joint.take_in(machine)
        visit(engine, machine.targets, *samples, np.arange(len(samples[-1])), threads)
    except BaseException:
        engine.restore(state)
        vars(joint).update(former)
        raise


def visit(engine, targets, X, encoded, cost, row_ids, order, threads):
    """Train an engine on samples, of which it may have some, and optimize its support set."""
    given = targets.samples(encoded, cost, row_ids, STREAM)
    given.n_new = 0
    engine.begin_pass()
    engine.allow(_NO_LIMIT)
    engine.learn(X, order, given, threads)
    engine.allow(_limits.MAX_STEPS_PER_SAMPLE * len(engine.stored_samples()))
    engine.finish(threads)
