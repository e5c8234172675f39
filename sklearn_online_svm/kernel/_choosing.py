"""Which rows of a labelled set LASVC learns, in what order, and when it is enough."""

import numpy as np
from sklearn.utils import check_random_state

from .._core.kernel.selection import Active, AutoActive, Gradient, Selection
from .._core.kernel.stopping import MarginExhausted, SupportStable

SELECTIONS = ("random", "gradient", "active", "autoactive")
STOPPINGS = ("margin", "n_support")

_LARGEST_SEED = np.iinfo(np.int64).max


def chooses(model):
    """Whether rows are not simply learnt all of them, as they come."""
    return (
        model.selection != "random" or model.max_labels is not None or model.stopping is not None
    )


def refuse_contradictions(model):
    """Raise where parameters of the choice do not go together."""
    if model.stopping == "margin" and model.selection not in ("active", "autoactive"):
        raise ValueError(
            "stopping='margin' looks at the row that is nearest to the boundary: it needs "
            f"selection='active' or 'autoactive', got selection={model.selection!r}."
        )
    if model.class_weight == "online_balanced" and chooses(model):
        raise ValueError(
            "class_weight='online_balanced' counts the rows in their order, which is not known "
            "beforehand with selection, max_labels or stopping. Use 'balanced' (fit only) or a "
            "dict."
        )


def first_choice(model, order, cost, random, salt=0):
    """Return what a choice among the rows of ``order`` begins with: fields of ``at``.

    Rows of cost 0 are not learnt: they cost no label. ``random`` is a RandomState or a seed,
    ``salt`` a number that tells the chunks of a stream apart.
    """
    order = order[cost[order] > 0.0]
    if model.selection == "random" and model.stopping is None:
        return {"order": order[: model.max_labels], "choice": None}
    seed = int(check_random_state(random).randint(_LARGEST_SEED))
    seed = int(np.random.SeedSequence([seed, salt]).generate_state(1, np.uint64)[0])
    return {"order": order, "choice": {"random": seed, "history": None}}


def checked_choice(model, at, n_rows):
    """Return a stored choice, or refuse it."""
    order = at.array("order", np.int64, (None,), low=0, high=n_rows - 1)
    at.require(len(np.unique(order)) == len(order), "order", "must name no row twice")
    checked = {"order": np.array(order), "choice": None}
    if at.value("choice") is not None:
        choice = at.part("choice")
        history = choice.value("history")
        if history is not None:
            history = choice.array("history", np.int64, (None,), low=0)
            choice.require(
                len(history) <= model.stable_rows,
                "history",
                f"must be of {model.stable_rows} rows or fewer",
            )
        checked["choice"] = {
            "random": choice.integer("random", 0, 2**64 - 1),
            "history": history,
        }
    return checked


def selection_for(model, choice):
    """Return the selection that goes on from ``choice``; None: rows are learnt as they come."""
    if choice is None:
        return None
    stopping = {
        None: lambda: None,
        "margin": MarginExhausted,
        "n_support": lambda: SupportStable(model.stable_rows, model.stable_share),
    }[model.stopping]()
    n = -1 if model.n_candidates == "all" else int(model.n_candidates)
    options = dict(most=model.max_labels, stopping=stopping)
    if model.selection == "random":
        selection = Selection(1, **options)
    elif model.selection == "autoactive":
        selection = AutoActive(n if n < 0 else 2 * n, n_close=model.n_close, **options)
    else:
        kind = {"gradient": Gradient, "active": Active}[model.selection]
        selection = kind(n, **options)
    selection.restore(**choice)
    return selection
