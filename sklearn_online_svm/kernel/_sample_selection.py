"""Sample selection of LASVC: which samples are used, in what order, and when to stop."""

import numpy as np
from sklearn.utils import check_random_state

from .._core.kernel.block import Samples
from .._core.kernel.selection import (
    Active,
    AutoActive,
    Gradient,
    MarginExhausted,
    Selection,
    SupportStable,
)

SELECTIONS = ("random", "gradient", "active", "autoactive")
STOPPINGS = ("margin", "n_support")

_LARGEST_SEED = np.iinfo(np.int64).max


def chooses(model):
    """Return whether samples are selected, rather than all of them used in order."""
    return model._rule != "random" or model.max_labels is not None or model.stopping is not None


def refuse_contradictions(model):
    """Raise ValueError for parameters of the selection that cannot be combined."""
    if model.stopping == "margin" and model._rule not in ("active", "autoactive"):
        raise ValueError(
            "stopping='margin' is based on the sample closest to the decision boundary: it needs "
            f"selection='active' or 'autoactive', got selection={model._rule!r}."
        )
    if model.class_weight == "online_balanced" and chooses(model):
        raise ValueError(
            "class_weight='online_balanced' counts the samples in their order, which is not known "
            "in advance with selection, max_labels or stopping. Use 'balanced' (fit only) or a "
            "dict."
        )


class SampleSelection:
    """Sample selection of a model; the engine uses it inside the context.

    Parameters
    ----------
    model : LASVC
    at : dict
        ``order`` of the samples, and ``choice``, the state of the selection (see ``begun``).
    X, codes, cost : samples, class codes, upper bounds of alpha
    row_ids : ndarray of int64
    origin : int
        What ``row_ids`` refer to: DATA or STREAM.
    """

    def __init__(self, model, at, X, codes, cost, row_ids, origin):
        self.engine, self.X, self.order = model._engine, X, at["order"]
        self.given = Samples(codes, cost, row_ids, origin=origin)
        self.selection = None
        if at["choice"] is not None:
            self.selection = new_selection(model)
            self.selection.restore(at["choice"]["random"], at["choice"]["history"])

    @classmethod
    def begun(cls, model, order, codes, cost, random, salt=0):
        """Return the initial state of a selection among the samples of ``order``, for ``at``.

        Samples of cost 0 are excluded and use no label. ``random`` is a RandomState or a seed,
        ``salt`` a number that differs between the chunks of a stream.
        """
        if not chooses(model):
            return {"order": order, "choice": None}
        order = order[cost[order] > 0.0]
        if model._rule == "random" and model.stopping is None:
            return {"order": order[: model.max_labels], "choice": None}
        seed = int(check_random_state(random).randint(_LARGEST_SEED))
        seed = int(np.random.SeedSequence([seed, salt]).generate_state(1, np.uint64)[0])
        return {"order": order, "choice": {"random": seed, "history": None}}

    def __enter__(self):
        self.engine.selection = self.selection
        return self

    def __exit__(self, *error):
        self.engine.selection = None

    @property
    def state(self):
        """State of the selection, for ``at``."""
        choice = None if self.selection is None else self.selection.state()
        return {"order": self.order, "choice": choice}

    @property
    def stopped(self):
        """Whether the ``stopping`` criterion has been met."""
        return self.selection is not None and self.selection.stopped

    @property
    def n_labels(self):
        """Number of samples processed whose label is used."""
        return self.engine.n_learnt


def new_selection(model):
    """Return the selection that the parameters describe."""
    stopping = {
        None: lambda: None,
        "margin": lambda: MarginExhausted(model.margin_rows),
        "n_support": lambda: SupportStable(model.stable_rows, model.stable_share),
    }[model.stopping]()
    n = -1 if model.pool_size == "all" else int(model.pool_size)
    options = dict(most=model.max_labels, stopping=stopping)
    if model._rule == "random":
        return Selection(1, **options)
    if model._rule == "autoactive":
        return AutoActive(n if n < 0 else 2 * n, n_close=model.n_close, **options)
    return {"gradient": Gradient, "active": Active}[model._rule](n, **options)
