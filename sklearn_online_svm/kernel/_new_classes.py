"""New classes of a kernel model in mid-stream.

In one-vs-rest, all samples so far are negative in the problem of a new class. In one-vs-one, those
of class a are the samples so far of the pair of a and a new class. The samples that a model still
has are its vectors: a problem of one class is trained on them, and the new problems begin with
copies of it. The problems of the former classes do not change. Two classes have a single function
f; the functions of the two are then -f and f.
"""

from dataclasses import replace
from functools import cache

import numpy as np

from .._core.kernel.vectors.block import Samples
from .._core.linear.rows import Dataset

# Arrays of an expansion with a row for each problem, and those of its votes.
_BY_PROBLEM = ("coef", "sums", "weights", "covariance", "f")
_STEPS = ("slots", "problems", "lengths", "rows")


def arranged(former, places, new, n_classes):
    """Return a list with ``former`` at its places, and ``new`` at all others."""
    among = [new] * n_classes
    for place, item in zip(places, former, strict=True):
        among[place] = item
    return among


# ---------------------------------------------------------------------------- the dual loop


def extended_engine(engine, spec, places):
    """Return an engine of ``spec`` with copies of all arrays, and problems for new classes.

    ``places``: indices of the former classes among all classes.
    """
    with engine.guard.reading():
        samples = engine.stored_samples()
    labels = places[samples["label"]]
    extended = spec.build()

    @cache
    def trained(of_class, is_positive):
        some = samples if of_class is None else samples[labels == of_class]
        vectors = engine.store.vectors(some["slot"])
        return _one_sided_engine(vectors, some["cost"], is_positive, spec), some

    def begun(positive, negative):
        if not spec.one_vs_one:
            return trained(None, False)
        return trained(positive, True) if positive in places else trained(negative, False)

    with engine.guard.reading():
        extended.begin_from(engine, places, begun)
    return extended


def _one_sided_engine(vectors, cost, is_positive, spec):
    """Return an engine with one problem, trained on the vectors as samples of one side.

    With a bias, they are all kept with alpha = 0 until the first sample of the other side, as the
    first samples of a stream. Without a bias, they are trained on in their order.
    """
    n = len(cost)
    solver = spec.solver.for_one_side(n)
    engine = replace(spec, n_problems=1, one_vs_one=False, solver=solver).build()
    labels = np.full(n, is_positive, dtype=np.int32)
    engine.learn(vectors, np.arange(n), Samples(labels, np.ascontiguousarray(cost), np.arange(n)))
    return engine


# ---------------------------------------------------------------------------- the update loop


def extended_expansion(state, places, n_classes, factors=None):
    """Return a state with copies of all arrays, and functions for new classes.

    In a joint problem the functions of new classes are 0, and those of two former classes are half
    of -f and f, as the margin is their difference. ``places``: indices of the former classes among
    all classes. ``factors``: their class weights.
    """
    stored = state.as_dict()
    expansion = stored["expansion"]
    former, new = _arrays_by_problem(expansion), _negative_expansion(state, expansion, factors)
    halves = np.array([-1.0, 1.0]) * (0.5 if state.spec.joint else 1.0)
    single = state.spec.n_problems == 1
    if single:
        for name, array in former.items():
            signs = np.ones(2) if name == "covariance" else halves
            former[name] = signs.reshape(2, *[1] * (array.ndim - 1)) * array
    wider = {
        name: np.stack(arranged(array, places, new[name], n_classes))
        for name, array in former.items()
    }
    expansion = _with_arrays(expansion, wider)
    expansion["labels"] = places[expansion["labels"]].astype(np.int32)
    expansion["n_evaluations"] += new["n_evaluations"]
    if "votes" in expansion:
        added = np.setdiff1d(np.arange(n_classes), places)
        expansion["votes"] = _votes_of_all(
            expansion["votes"], places, halves if single else None, added, new["coef"]
        )
    counts = np.zeros(n_classes)
    counts[places] = stored["moved"]["counts"]
    spec = replace(state.spec, n_problems=n_classes)
    return type(state).from_dict(
        {
            "spec": spec.as_dict(),
            "is_sparse": state.is_sparse,
            "method": stored["method"],
            "moved": stored["moved"] | {"counts": counts},
            "expansion": expansion,
            "replay": None,
        }
    )


def _arrays_by_problem(expansion):
    """Return the arrays with a row for each problem, among them the values that a budget keeps."""
    arrays = expansion | expansion.get("budget", {})
    return {name: arrays[name] for name in _BY_PROBLEM if name in arrays}


def _with_arrays(expansion, arrays):
    """Return a state with other arrays by problem."""
    expansion = {name: arrays.get(name, value) for name, value in expansion.items()}
    if "budget" in expansion:
        budget = expansion["budget"]
        expansion["budget"] = {name: arrays.get(name, value) for name, value in budget.items()}
    return expansion


def _negative_expansion(state, expansion, factors):
    """Return the arrays of a function that is trained on the vectors as negative samples.

    All of them are 0 in a joint problem; so are the sums of averages, as if the function had been
    the same from the start. ``n_evaluations`` is the number of kernel values computed.
    """
    one = {name: np.zeros_like(array[:1]) for name, array in _arrays_by_problem(expansion).items()}
    if "covariance" in one:
        one["covariance"][0] = np.eye(expansion["n_slots"])
    new = {name: array[0] for name, array in one.items()} | {"n_evaluations": 0}
    slots = np.setdiff1d(np.arange(expansion["n_slots"]), expansion["free"]).astype(np.int32)
    if state.spec.joint or not len(slots):
        return new
    spec = replace(state.spec, n_problems=1, average=None)
    negative = type(state)(spec, state.update_spec, state.is_sparse)
    negative.expansion.restore(_with_arrays(expansion, one))
    vectors = state.expansion.store.vectors(slots)
    weights = None if factors is None else factors[expansion["labels"][slots]]
    codes = np.zeros(len(slots), dtype=np.int32)
    negative.expansion.expect(len(slots), slots=slots)
    negative.train(Dataset(negative.samples(vectors), codes, weights, None, vectors))
    trained = negative.expansion.state()
    new |= {name: array[0] for name, array in _arrays_by_problem(trained).items()}
    return new | {"n_evaluations": trained["n_evaluations"] - expansion["n_evaluations"]}


def _votes_of_all(votes, places, halves, added, coef):
    """Return the steps of all functions; those of new classes come before the first sample.

    ``halves``: signs of the functions of two classes, or None for more classes.
    """
    slots, problems, lengths, rows = (votes[name] for name in _STEPS)
    if halves is None:
        problems = places[problems]
    else:
        problems = np.tile(places, len(slots))
        lengths = np.outer(lengths, halves).ravel()
        slots, rows = np.repeat(slots, 2), np.repeat(rows, 2)
    first = np.flatnonzero(coef)
    of_new = (
        np.tile(first, len(added)),
        np.repeat(added, len(first)),
        np.tile(coef[first], len(added)),
        np.zeros(len(added) * len(first)),
    )
    return {
        name: np.concatenate([new, old]).astype(votes[name].dtype)
        for name, new, old in zip(_STEPS, of_new, (slots, problems, lengths, rows), strict=True)
    }
