"""Where learning is: a few stages over the engine, which Ctrl-C may end anywhere.

What a run of passes knows is ``at``, a dict of plain numbers and arrays. Each stage returns what
it changes, and ``at`` is replaced as a whole: an interrupt finds it as it was before a stage or as
it is afterwards. A stage that is begun again does nothing twice, as the engine counts what it has
done. So ``at`` and the state of the engine are all that it takes to go on.
"""

import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._base import thread_pool
from .._core.kernel.members import DATA
from .._persistent import stored_generator
from ._choosing import chooses
from ._progress import progress_of


class Passes:
    """Passes over rows that are all at hand; a subclass defines the stages after ``learn``.

    Parameters
    ----------
    model : KernelLearner
        Its ``_engine`` is learnt with.
    X, codes, cost : rows, class codes, upper bounds of alpha
    at : dict
        ``stage``, the name of a method; ``order`` of the running pass; ``n_done`` and ``changes``,
        counts of the engine; ``patience``, what ``tried_again`` gave; and what a subclass adds.
    """

    stages = ("begin", "learn", "finish", "refresh", "over")
    # Finishing exactly gives up so often.
    max_rounds = 10
    # Rounds of learning and solving may go round in circles, with a kernel that is none: each
    # raises the dual objective, but for rounding. So many that do not are the last.
    idle_rounds = 20

    def __init__(self, model, X, codes, cost, at):
        self.model, self.engine = model, model._engine
        self.X, self.codes, self.cost = X, codes, cost
        self.at = at
        self.row_ids = np.arange(X.shape[0])
        self.start = time.perf_counter()

    @classmethod
    def needs_known(cls, model):
        """Whether the engine has to know which rows are members: one pass need not."""
        return True

    @classmethod
    def checked(cls, model, at, n_rows):
        """Return what a stored ``at`` holds beside its stage and counts, or refuse it."""
        cls.check_counts(at)
        return {"order": at.array("order", np.int64, (None,), low=0, high=n_rows - 1)}

    @staticmethod
    def check_counts(at):
        """Refuse a generator or counts that are none."""
        if at.value("random") is not None:
            stored_generator(at, "random")
        if at.value("patience") is not None:
            patience = at.part("patience")
            patience.number("best")
            patience.integer("n_rounds")
            patience.integer("idle")

    def run(self):
        with thread_pool(self.model.n_jobs) as self.threads:
            while self.at["stage"] != "over":
                self.at = {**self.at, **getattr(self, self.at["stage"])()}

    def begin(self):
        known = known_slots(self.engine, len(self.codes)) if self.needs_known(self.model) else None
        self.engine.begin_pass(known)
        self.start = time.perf_counter()
        return dict(
            stage="learn", changes=self.engine.n_changes, n_done=self.engine.n_done, n_rounds=0
        )

    def learn_rows(self, given, X=None, order=None):
        """Learn the rest of the running pass; of other rows, in another order, where given."""
        order = self.at["order"] if order is None else order
        begin, model = self.engine.n_learnt, self.model
        title = f"[{type(model).__name__}]"
        progress = progress_of(self.engine, len(order), model.verbose, title)
        try:
            X = self.X if X is None else X
            self.engine.learn(X, order, given, self.threads, begin, progress)
        finally:
            if progress is not None:
                progress.close()

    def finish(self):
        """Solve the problem over the vectors kept."""
        self.once(self.engine.finish, self.threads)
        n_rounds = self.at["n_rounds"] + 1
        exactly = self.is_exact and n_rounds <= self.max_rounds
        return dict(
            stage="refresh" if exactly else self.after_finishing,
            n_rounds=n_rounds,
            n_done=self.at["n_done"] + 1,
        )

    def refresh(self):
        """Compute every gradient anew, and finish again if that uncovers violations."""
        self.once(self.engine.refresh)
        over = self.model._is_solved() or self.engine.out_of_steps
        return dict(stage=self.after_finishing if over else "finish", n_done=self.at["n_done"] + 1)

    def tried_again(self, patience):
        """Count a round, and those without a gain; ``patience`` as it was before, or None."""
        objective = float(sum(problem.objective for problem in self.engine.problems))
        if patience is None:
            return dict(best=objective, n_rounds=1, idle=0)
        best, gained = (
            patience["best"],
            objective > patience["best"] + 1e-13 * abs(patience["best"]),
        )
        return dict(
            best=objective if gained else best,
            n_rounds=patience["n_rounds"] + 1,
            idle=0 if gained else patience["idle"] + 1,
        )

    def once(self, operation, *arguments):
        """Have the engine do what this stage wants, if it has not been done."""
        if self.engine.n_done == self.at["n_done"]:
            operation(*arguments)


class OnlinePasses(Passes):
    """``max_iter`` passes of LASVC, each with finishing where more than one is allowed.

    The first of several that changes nothing is the last one.
    """

    stages = (*Passes.stages, "next", "end")
    after_finishing = "next"

    @classmethod
    def needs_known(cls, model):
        return model._most_passes != 1 or model._starts_warm

    @classmethod
    def checked(cls, model, at, n_rows):
        at.require(
            model._most_passes == 1 or at.value("random") is not None,
            "random",
            "must be the state of a generator",
        )
        at.integer("n_pass", 1)
        cls.check_counts(at)
        return model._choice.checked(model, at, n_rows)

    def __init__(self, model, X, codes, cost, at):
        super().__init__(model, X, codes, cost, at)
        until_quiet = model._most_passes == -1
        self.n_passes = model.max_passes if until_quiet else model._most_passes
        self.finishing = until_quiet or model.finishing
        self.is_exact = self.n_passes > 1

    def begin(self):
        self.model.n_iter_ = self.at["n_pass"]
        return super().begin()

    def learn(self):
        model, engine = self.model, self.engine
        choice = model._choice(model, self.at, self.X, self.codes, self.cost, self.row_ids, DATA)
        try:
            with choice:
                self.learn_rows(choice.given, choice.X, choice.order)
        finally:
            if self.at["n_pass"] == 1:
                model.n_labels_used_ = choice.n_labels
                model.stopped_early_ = choice.stopped
            self.at = {**self.at, **choice.state}
        unchanged = engine.n_changes == self.at["changes"]
        done = self.n_passes > 1 and unchanged and (model._is_solved() or not self.finishing)
        model.kkt_violation_ = engine.violation_left() if done else engine.violation_met()
        if done:
            self.report()
            return dict(stage="end")
        return dict(stage="finish" if self.finishing else "next")

    def next(self):
        """Go on with another pass, if there is one to be made and it may help."""
        model, n_pass, patience = self.model, self.at["n_pass"], self.at["patience"]
        self.report()
        if self.finishing and self.engine.out_of_steps:
            return dict(stage="end")
        if n_pass < self.n_passes:
            patience = self.tried_again(patience)
            if not self.finishing or patience["idle"] < self.idle_rounds:
                order = self.next_order()
                random = model._random.get_state(legacy=False)
                return dict(
                    stage="begin",
                    n_pass=n_pass + 1,
                    order=order,
                    choice=None,
                    random=random,
                    patience=patience,
                )
        if model._most_passes == -1:
            warnings.warn(
                f"LASVC did not converge within {n_pass} passes: the largest violation of the "
                f"last pass was {model.kkt_violation_:.3g}, tol is {model.tol:.3g}. "
                f"{model._advice()}",
                ConvergenceWarning,
                stacklevel=6,
            )
        return dict(stage="end")

    def next_order(self):
        """Return the order of another pass, over rows whose label has been looked at."""
        model = self.model
        if not chooses(model):
            return model._next_order(self.X.shape[0])
        learnt = self.at["order"][: model.n_labels_used_]
        return learnt[model._next_order(len(learnt))]

    def end(self):
        """Warn of what is left."""
        if self.finishing:
            self.model._warn_unless_solved(stacklevel=6)
        else:
            self.model._warn_if_cut_short(stacklevel=6)
        return dict(stage="over")

    def report(self):
        if not self.model.verbose:
            return
        members = sum(problem.members.n_members for problem in self.engine.problems)
        print(
            f"[LASVC] pass {self.at['n_pass']}: {members} vectors kept, largest violation "
            f"{self.model.kkt_violation_:.3g}, {self.engine.n_kernel_evaluations:,} kernel "
            f"values, {time.perf_counter() - self.start:.1f} s"
        )


def known_slots(engine, n_rows):
    """Slot of each row of the data set, or -1, for each problem."""
    known = [np.full(n_rows, -1, dtype=np.int32) for _ in engine.problems]
    for slots_of, problem in zip(known, engine.problems, strict=True):
        slots = problem.slots()
        slots = slots[problem.members["origin"][slots] == DATA]
        slots_of[problem.members["row_id"][slots]] = slots
    return known
