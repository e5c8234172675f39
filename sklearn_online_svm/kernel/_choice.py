"""Which samples a stream or an epoch uses for training, in what order, and when they stop."""

import numpy as np
from sklearn.utils import check_random_state

from .. import _limits
from .._core.kernel.dual.selection import (
    Active,
    AutoActive,
    FewErrors,
    Gradient,
    MarginExhausted,
    Selection,
    SupportStable,
)

SELECTIONS = ("random", "gradient", "active", "autoactive")
STOPPINGS = ("margin", "n_support", "errors")

# selection="autoactive": number of samples within the margin among which the closest is selected
# (Bordes et al. 2005, section 4: "five examples").
N_CLOSE = 5

# Number of samples over which a stopping criterion must be met, if the model does not say.
# "margin": one is enough in the thesis of Ertekin (2009, section 4.2.3); several are more robust.
STOPPING_WINDOWS = {"margin": 5, "n_support": 200, "errors": 200}

# stopping="n_support": training stops when the number of support vectors grew by less than this
# share of the last samples. The thesis requires a stable number, without a figure.
# stopping="errors": less than this share of the last samples became support vectors.
STABLE_SHARE = 0.1

# stopping="errors": largest share of misclassified samples among the candidates of each class.
ERROR_SHARE = 0.01

_LARGEST_SEED = np.iinfo(np.int64).max


class AllSamples:
    """Training on all samples in their order; a context in which the engine processes them.

    ``choice``: state of a sample selection, or None. ``cost``: upper bounds of alpha.
    ``origin``: what ``row_ids`` refer to: DATA or STREAM.
    """

    # Whether a stopping criterion has been met; whether samples may be left out.
    stopped = False
    leaves_out = False

    def __init__(self, plan, machine, order, choice, X, encoded, cost, row_ids, origin):
        self.engine, self.X, self.order = machine.engine, X, order
        self.given = machine.targets.samples(encoded, cost, row_ids, origin)

    @classmethod
    def begun(cls, plan, machine, order, encoded, cost, random, chunk=None):
        """Return the initial state; raise ValueError for inconsistent parameters.

        ``random`` is a RandomState or a seed, ``chunk`` a number that differs between the chunks
        of a stream; None: ``fit``.
        """
        return {"order": order, "choice": None}

    @classmethod
    def used(cls, plan, machine, order):
        """Return the samples of further epochs, given the ``order`` of the last one."""
        return np.arange(len(order))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    @property
    def state(self):
        """Order of the samples, and state of the selection."""
        return {"order": self.order, "choice": None}

    @property
    def n_labels(self):
        """Number of samples processed whose label is used."""
        return self.engine.n_processed


class SampleSelection(AllSamples):
    """Training on samples selected by the parameters of :class:`ActiveLASVC`.

    ``selection="random"`` without a stopping criterion is a fixed order: ``choice`` is then None.
    """

    leaves_out = True

    def __init__(self, plan, machine, order, choice, X, encoded, cost, row_ids, origin):
        super().__init__(plan, machine, order, choice, X, encoded, cost, row_ids, origin)
        self.selection = None
        if choice is not None:
            self.selection = new_selection(plan.params, machine.targets)
            self.selection.restore(choice["random"], choice["history"], choice["n_seeds"])

    @classmethod
    def begun(cls, plan, machine, order, encoded, cost, random, chunk=None):
        """Return the initial state of a selection; samples of cost 0 are excluded."""
        params = plan.params
        if params.stopping == "margin" and params.selection not in ("active", "autoactive"):
            raise ValueError(
                "stopping='margin' is based on the sample closest to the decision boundary: it "
                f"needs selection='active' or 'autoactive', got selection={params.selection!r}."
            )
        if params.stopping == "errors" and params.selection == "random":
            raise ValueError(
                "stopping='errors' is based on the samples drawn for each selection: it needs "
                "selection='active', 'autoactive' or 'gradient', got selection='random'."
            )
        if uses_all_samples(plan.params):
            return super().begun(plan, machine, order, encoded, cost, random, chunk)
        order, n_seeds = order[cost[order] > 0.0], 0
        if chunk is None:
            order, n_seeds = seeds_first(order, encoded)
        if params.selection == "random" and params.stopping is None:
            return {"order": order[: params.max_labels], "choice": None}
        seed = int(check_random_state(random).randint(_LARGEST_SEED))
        seed = int(np.random.SeedSequence([seed, chunk or 0]).generate_state(1, np.uint64)[0])
        choice = {"random": seed, "history": None, "n_seeds": n_seeds}
        return {"order": order, "choice": choice}

    @classmethod
    def used(cls, plan, machine, order):
        if uses_all_samples(plan.params):
            return super().used(plan, machine, order)
        return order[: machine.n_labels]

    def __enter__(self):
        self.engine.stream.selection = self.selection
        return self

    def __exit__(self, *error):
        self.engine.stream.selection = None

    @property
    def state(self):
        choice = None if self.selection is None else self.selection.state()
        return {"order": self.order, "choice": choice}

    @property
    def stopped(self):
        """Whether the ``stopping`` criterion has been met."""
        return self.selection is not None and self.selection.stopped


def uses_all_samples(params):
    """Return whether the parameters select all samples, in their order."""
    return params.selection == "random" and params.max_labels is None and params.stopping is None


def seeds_first(order, codes):
    """Move the first samples of each class to the front, in turns; return also their number."""
    turn = np.empty(len(order), dtype=np.int64)
    for code in np.unique(codes[order]):
        same = codes[order] == code
        turn[same] = np.arange(np.count_nonzero(same))
    n = _limits.SAMPLES_OF_EACH_CLASS
    turn = np.minimum(turn, n)
    return order[turn.argsort(kind="stable")], np.count_nonzero(turn < n)


def new_selection(params, targets):
    """Return the selection of the engine for parameters and classes."""
    stopping = None
    if params.stopping is not None:
        window = params.stopping_window
        window = int(STOPPING_WINDOWS[params.stopping] if window is None else window)
        if params.stopping == "margin":
            stopping = MarginExhausted(window)
        elif params.stopping == "n_support":
            stopping = SupportStable(window, STABLE_SHARE)
        else:
            stopping = FewErrors(window, STABLE_SHARE, ERROR_SHARE, len(targets.classes))
    is_all = params.pool_size == "all"
    n = -1 if is_all else int(params.pool_size)
    options = dict(most=params.max_labels, stopping=stopping)
    if params.selection == "random":
        return Selection(1, **options)
    if params.selection == "autoactive":
        return AutoActive(n if is_all else 2 * n, n_close=N_CLOSE, **options)
    return {"gradient": Gradient, "active": Active}[params.selection](n, **options)
