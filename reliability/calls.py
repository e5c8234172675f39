"""Sequences of calls of every estimator that is trained, chosen at random.

Three models have the same parameters. The first one gets all calls: it is trained, interrupted,
gives predictions, is copied, and is given input that it must refuse. Its twin is trained,
interrupted and read in the same way, but is neither copied nor given invalid input. The third is
only trained, without an interrupt, on arrays of another memory layout. After each call,
predictions are finite, and the models are equal to the last bit, except for what predictions
change with ``finishing=True``: the solution optimized over the support set, from which the next
optimization starts.
"""

import contextlib
import copy
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

from tests.support.interrupts import Interrupt, n_lines
from tests.support.samples import LAYOUTS
from tests.support.trainable import (
    FINISHING,
    FITTED_AT_ONCE,
    MODELS,
    REPRESENTATION,
    assert_same_state,
    n_samples_seen,
    samples_of,
    seeded,
    state_of,
)

PROMISE = (
    "Predictions are finite after any sequence of calls. A call that is refused and a call that "
    "reads change nothing. An interrupted call that is resumed, a copy, and arrays of another "
    "memory layout give the same bits."
)
# The quick size is tests/test_state_machine.py, with a test for each estimator.
TESTED_IN = "test_state_machine.py"

N = 120
N_FIRST = 30  # samples that contain all classes
SIZES = (1, 2, 7, 25)
PREDICTIONS = (
    *("predict", "decision_function", "predict_proba", "predict_log_proba"),
    *("score_samples", "decision_variance"),
)
OF_SAMPLES = (*PREDICTIONS, "transform", "explain_advice")
OF_LABELLED_SAMPLES = (
    *("score", "suspect_labels", "leave_one_out_errors", "leave_one_out_decision_function"),
)
OF_MODEL = ("snapshot", "__repr__")
COPIES = {
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "old pickle": lambda model: pickle.loads(pickle.dumps(model, protocol=2)),
}
# Parameters that must not be -2; those of OF_FIT have no effect on partial_fit.
OF_TRAINING = ("C", "nu", "r", "a", "eta", "cell_size")
OF_FIT = ("max_iter", "cv")
# Parts of a state that predictions change with finishing=True; and, of a search over such models,
# estimates of costs, which contain those of predictions that an interrupt has ended.
OPTIMIZED = (*REPRESENTATION, ".optimized_")
COSTS = (".cost", "._linear", "._superlinear", "._scoring", "._growth")


def other_layout(values):
    """Return the same values with gaps between them, or with 64-bit indices."""
    if sparse.issparse(values):
        values = values.copy()
        values.indices, values.indptr = (
            indices.astype(np.int64) for indices in (values.indices, values.indptr)
        )
        return values
    spaced = np.zeros_like(values, shape=[2 * n for n in values.shape])
    view = spaced[tuple(slice(None, None, 2) for _ in values.shape)]
    view[...] = values
    return view


def is_fitted(model):
    """Return whether a model has been trained on a sample."""
    return hasattr(model, "n_features_in_") and getattr(model, "n_queries_", 1) > 0


class Calls(RuleBasedStateMachine):
    """Calls of a model of the table, with the name in the attribute ``name``."""

    name = None
    n_calls = 0

    def __init__(self):
        super().__init__()
        self.model, self.twin, self.unread = (seeded(self.name) for _ in range(3))
        self.X, self.y = samples_of(self.name)
        # A window has no weights; in a search, all chunks or none have.
        self.weighted = self.name != "one class, window" and "search" not in self.name
        self.is_classifier = is_classifier(self.model)
        self.former, self.checked = {}, None

    # -- training ----------------------------------------------------------------------------

    def train(self, call):
        for model in (self.model, self.twin, self.unread):
            call(model)

    def train_on(self, method, X, y, **arguments):
        """Train all models, the third one on arrays of another layout."""
        for model in (self.model, self.twin):
            getattr(model, method)(X, y, **arguments)
        getattr(self.unread, method)(other_layout(X), other_layout(y), **arguments)

    def chunk(self, first, size, layout="dense", dtype=np.float64):
        chunk = slice(first, first + size)
        return LAYOUTS[layout](self.X[chunk].astype(dtype)), self.y[chunk]

    def classes(self):
        needed = self.is_classifier and not hasattr(self.model, "classes_")
        return {"classes": np.unique(self.y)} if needed else {}

    def weights(self, kind, n, method="partial_fit"):
        if kind is None or not self.weighted:
            return {}
        weights = np.random.default_rng(n).uniform(0.5, 2.0, n)
        weights[:: 1 if kind == "zeros" else 3] *= 0.0 if "zero" in kind else 1.0
        is_pipeline = method == "fit" and hasattr(self.model, "steps")
        step = f"{self.model.steps[-1][0]}__" if is_pipeline else ""
        return {f"{step}sample_weight": weights}

    @precondition(lambda self: self.name not in FITTED_AT_ONCE)
    @rule(
        first=st.integers(0, N - max(SIZES)),
        size=st.sampled_from(SIZES),
        layout=st.sampled_from([*LAYOUTS]),
        dtype=st.sampled_from([np.float64, np.float32]),
        weights=st.sampled_from([None, "positive", "some zero", "zeros"]),
    )
    def partial_fit(self, first, size, layout, dtype, weights):
        X, y = self.chunk(first, size, layout, dtype)
        arguments = {**self.classes(), **self.weights(weights, size)}
        self.train_on("partial_fit", X, y, **arguments)

    @rule(
        first=st.integers(0, N - 2 * N_FIRST),
        size=st.integers(N_FIRST, 2 * N_FIRST),
        layout=st.sampled_from([*LAYOUTS]),
        weights=st.sampled_from([None, "positive", "some zero"]),
    )
    def fit(self, first, size, layout, weights):
        X, y = self.chunk(first, size, layout)
        self.train_on("fit", X, y, **self.weights(weights, size, "fit"))

    @precondition(lambda self: is_fitted(self.model) and hasattr(self.model, "finish"))
    @rule()
    def finish(self):
        self.train(lambda model: model.finish())

    @precondition(lambda self: is_fitted(self.model) and hasattr(self.model, "sparsify"))
    @rule(method=st.sampled_from(["sparsify", "densify"]))
    def convert(self, method):
        self.train(lambda model: getattr(model, method)())

    @precondition(lambda self: hasattr(self.model, "resume"))
    @rule(
        method=st.sampled_from(["fit", "partial_fit"]),
        first=st.integers(0, N - 2 * N_FIRST),
        part=st.floats(0, 1),
        repeated=st.booleans(),
        layout=st.sampled_from([*LAYOUTS]),
    )
    def interrupt(self, method, first, part, repeated, layout):
        """Interrupt a call of two models, perhaps twice, and resume it."""
        method = method if method in self.methods() else "fit"
        X, y = self.chunk(first, 2 * N_FIRST, layout)
        given = self.classes() if method == "partial_fit" else {}
        n = 1 + int(part * n_lines(getattr(copy.deepcopy(self.model), method), X, y, **given))
        for model in (self.model, self.twin):
            before = n_samples_seen(model) if is_fitted(model) else 0
            call = Interrupt(n, getattr(model, method), X, y, **given)
            if call.raised and repeated:
                with contextlib.suppress(ValueError):
                    call = Interrupt(n // 2, model.resume, X, y)
            if not call.raised:
                continue
            if model is self.model and "search" not in self.name:  # which keeps its samples
                with pytest.raises(ValueError):
                    model.resume(X[1:], y[1:])
            try:
                model.resume(X, y)
            except ValueError as error:
                if "nothing to resume" not in str(error):
                    raise
                # The interrupt came before the first step, or after the last one.
                if "taken these samples" in call.notes:  # of a search
                    taken = "pass them again" not in call.notes
                else:
                    taken = is_fitted(model) and n_samples_seen(model) != before
                if method == "fit" or not taken:
                    getattr(model, method)(X, y, **given)
        getattr(self.unread, method)(X, y, **given)

    @rule(factor=st.sampled_from([0.5, 2.0]), parameter=st.sampled_from(["C", "tol"]))
    def set_a_parameter(self, factor, parameter):
        for name, value in self.model.get_params().items():
            if name.split("__")[-1] == parameter and value is not None:
                self.train(lambda m, n=name, v=value: m.set_params(**{n: v * factor}))
        if hasattr(self.model, "C") and is_fitted(self.model):
            self.check_unchanged(states=False)

    # -- calls that are refused ----------------------------------------------------------------

    def refused(self, method, *arguments, errors=ValueError, **params):
        """Call a method of the first model, which must raise an error."""
        with pytest.raises(errors):
            getattr(self.model, method)(*arguments, **params)
        self.check_refused()

    def check_refused(self):
        if self.name == "calibrated, finishing":  # decision values come before the refusal
            assert_same_state(state_of(self.model), state_of(self.twin), OPTIMIZED)
            self.twin = copy.deepcopy(self.model)
        self.check_unchanged()

    def methods(self):
        return ["fit"] if self.name in FITTED_AT_ONCE else ["fit", "partial_fit"]

    @rule(
        kind=st.sampled_from(["nan", "inf", "huge", "empty", "length", "features", "none"]),
        position=st.integers(0, N_FIRST - 1),
        layout=st.sampled_from([*LAYOUTS]),
        method=st.sampled_from(["fit", "partial_fit"]),
    )
    def refuse_samples(self, kind, position, layout, method):
        X, y = self.chunk(0, N_FIRST)
        values = {"nan": np.nan, "inf": -np.inf, "huge": 1e200}
        if kind in values:
            X = X.copy()
            X[position, position % X.shape[1]] = values[kind]
        if kind == "empty":
            X, y = X[:0], y[:0]
        elif kind == "length":
            y = y[1:]
        elif kind == "features":
            X = X[:, :3]
        elif kind == "none":
            X = X[:, :0]
        if method not in self.methods():
            method = "fit"
        if (
            (kind == "length" and "one class" in self.name)  # y is ignored
            or (kind == "huge" and "pipeline" in self.name)  # the scaler makes it small
            or (kind == "huge" and "Python loop" in self.name)  # if its label is not queried
            # The base estimator is trained on the blocks before the sample that it refuses.
            or (kind == "huge" and "calibrated" in self.name and method == "partial_fit")
            # The base estimator predicts the chunk first, and keeps the optimized solution.
            or (self.name == "calibrated, finishing" and method == "partial_fit")
            or (kind == "empty" and "advice" in self.name)  # the model of the advice alone
            or (kind == "features" and (method == "fit" or not is_fitted(self.model)))
        ):
            return
        classes = self.classes() if method == "partial_fit" else {}
        self.refused(method, LAYOUTS[layout](X), y, **classes)
        if kind in ("nan", "inf", "features") and is_fitted(self.model):
            self.refused("predict", X)

    @rule(
        kind=st.sampled_from(["label", "one class", "classes", "nan", "huge"]),
        method=st.sampled_from(["fit", "partial_fit"]),
    )
    def refuse_targets(self, kind, method):
        X, y = self.chunk(0, N_FIRST)
        if method not in self.methods() or "one class" in self.name:
            return
        arguments = self.classes() if method == "partial_fit" else {}
        if not self.is_classifier and kind in ("nan", "huge"):
            y = y.astype(float)
            y[3] = {"nan": np.nan, "huge": 1e200}[kind]
        elif self.is_classifier and kind == "label" and method == "partial_fit":
            y = np.where(np.arange(len(y)) == 1, 99, y)
        elif self.is_classifier and kind == "one class" and method == "fit":
            y = np.full(len(y), y[0])
        elif self.is_classifier and kind == "classes" and method == "partial_fit":
            if not is_fitted(self.model):
                return
            arguments = {"classes": [10, 99]}
        else:
            return
        self.refused(method, X, y, **arguments)

    @rule(
        kind=st.sampled_from(["negative", "nan", "length"]),
        method=st.sampled_from(["fit", "partial_fit"]),
    )
    def refuse_weights(self, kind, method):
        X, y = self.chunk(0, N_FIRST)
        weights = np.ones(N_FIRST - (kind == "length"))
        weights[2] = {"negative": -1.0, "nan": np.nan, "length": 1.0}[kind]
        if method in self.methods():
            arguments = self.classes() if method == "partial_fit" else {}
            self.refused(method, X, y, sample_weight=weights, **arguments)

    @rule(data=st.data(), method=st.sampled_from(["fit", "partial_fit"]))
    def refuse_a_parameter(self, data, method):
        if method not in self.methods():
            return
        params = self.model.get_params()
        names = [name for name in params if self.is_checked(name, method)]
        if not names:
            return
        name = data.draw(st.sampled_from(names))
        X, y = self.chunk(0, N_FIRST)
        value = params[name]
        self.model.set_params(**{name: -2})
        with pytest.raises(ValueError):
            getattr(self.model, method)(X, y, **(self.classes() if method != "fit" else {}))
        self.model.set_params(**{name: value})
        self.check_refused()

    def is_checked(self, name, method):
        """Return whether a method refuses -2 as the value of a parameter."""
        *outer, last = name.split("__")
        if last not in OF_TRAINING and (last not in OF_FIT or method == "partial_fit"):
            return False
        if not outer:
            return True
        # New cells have the present parameters, and the candidates of a search those of the grid.
        # The models of the first chunk check their parameters.
        is_first = not hasattr(self.model, "n_features_in_")
        if "Python loop" in self.name:  # an estimator of another package
            return False
        is_read = not self.name.startswith(("cells", "search")) or (method == "fit" or is_first)
        return is_read and (last, self.name.split(",")[0]) != ("C", "search")

    @rule(
        call=st.sampled_from(
            [
                ("set_params", {"no_parameter": 1}),
                ("resume", {"X": None, "y": None}),
                ("compress", {}),
                ("compress", {"max_support_vectors": 0}),
                ("compress", {"tolerance": -1.0}),
                ("fit_path", {"X": np.zeros((3, 5)), "y": np.arange(3), "Cs": [-1.0]}),
            ]
        )
    )
    def refuse_arguments(self, call):
        method, arguments = call
        if hasattr(self.model, method):
            self.refused(method, **arguments)

    # -- reads and copies ----------------------------------------------------------------------

    def read(self, call, errors=()):
        """Read from the model and its twin, which must give the same and not change."""
        for model in (self.model, self.twin):
            try:
                call(model)
            except errors:
                continue
        self.check_unchanged(states=self.name not in FINISHING)

    @rule(method=st.sampled_from(OF_SAMPLES), layout=st.sampled_from([*LAYOUTS]))
    def predict(self, method, layout):
        X = LAYOUTS[layout](self.X[:9])
        if not is_fitted(self.model):
            with pytest.raises((NotFittedError, AttributeError)):
                getattr(self.model, method)(X)
            self.check_unchanged()
        elif hasattr(self.model, method):
            self.read(lambda model: getattr(model, method)(X))

    @rule(method=st.sampled_from(OF_LABELLED_SAMPLES))
    def look_at_labelled_samples(self, method):
        if hasattr(self.model, method) and is_fitted(self.model):
            self.read(lambda model: getattr(model, method)(self.X, self.y), errors=ValueError)

    @rule(method=st.sampled_from(OF_MODEL))
    def look_at_the_model(self, method):
        if hasattr(self.model, method) and is_fitted(self.model):
            self.read(lambda model: getattr(model, method)(), errors=(ValueError, AttributeError))

    @precondition(lambda self: is_fitted(self.model) and hasattr(self.model, "compress"))
    @rule(max_support_vectors=st.sampled_from([3, 20]))
    def compress(self, max_support_vectors):
        decisions = []

        def compressed(model):
            small = model.compress(max_support_vectors=max_support_vectors)
            decisions.append(small.decision_function(self.X))

        self.read(compressed, errors=ValueError)
        assert len({values.tobytes() for values in decisions}) <= 1
        assert np.isfinite(decisions).all()

    @rule()
    def look_at_attributes(self):
        def look(model):
            for name in sorted(dir(model)):
                if name.endswith("_") and not name.startswith("_"):
                    getattr(model, name, None)

        self.read(look)

    @rule(kind=st.sampled_from([*COPIES]), continues=st.booleans())
    def copies(self, kind, continues):
        copied = COPIES[kind](self.model)
        assert_same_state(state_of(copied), state_of(self.model))
        if continues:
            self.model = copied
        elif is_fitted(copied) and hasattr(copied, "partial_fit"):
            copied.partial_fit(*self.chunk(0, N_FIRST))
        self.check_unchanged()

    @rule()
    def cloned(self):
        params = clone(self.model).get_params(deep=False)
        assert params.keys() == self.model.get_params(deep=False).keys()
        self.check_unchanged()

    # -- what holds after each call -----------------------------------------------------------

    def predictions(self, model):
        """Return the predictions of a copy, which leave the model as it is."""
        if not is_fitted(model):
            return {}
        model = copy.deepcopy(model)
        return {
            method: np.asarray(getattr(model, method)(self.X[::3]))
            for method in PREDICTIONS
            if hasattr(model, method)
        }

    def check_unchanged(self, states=True):
        for method, expected in self.former.items():
            found = np.asarray(getattr(copy.deepcopy(self.model), method)(self.X[::3]))
            assert found.tobytes() == expected.tobytes(), method
        if states:
            assert_same_state(state_of(self.model), state_of(self.twin))

    @invariant()
    def predictions_are_finite(self):
        Calls.n_calls += 1
        self.former = self.predictions(self.model)
        for method, values in self.former.items():
            finite = np.isfinite(values)
            if method == "predict_log_proba":
                finite |= values == -np.inf  # of probabilities of 0
            assert finite.all(), method

    @invariant()
    def replicas_are_equal(self):
        assert_same_state(state_of(self.model), state_of(self.twin))
        ignored = (*OPTIMIZED, *COSTS) if self.name == "search, finishing" else OPTIMIZED
        assert_same_state(state_of(self.model), state_of(self.unread), ignored)
        for model in (self.twin, self.unread):
            if model is self.unread and self.name in FINISHING:
                continue
            found = self.predictions(model)
            assert found.keys() == self.former.keys()
            for method, values in found.items():
                assert values.tobytes() == self.former[method].tobytes(), method


def run(name, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run_state_machine_as_test(
            type("Calls", (Calls,), {"name": name}),
            settings=settings(
                derandomize=True,
                database=None,
                deadline=None,
                phases=[Phase.generate],  # a failure with many calls takes minutes to shrink
                suppress_health_check=[*HealthCheck],
                **options,
            ),
        )


def campaign(quick):
    for name in MODELS:
        Calls.n_calls, failures = 0, []
        try:
            run(name, max_examples=1 if quick else 8, stateful_step_count=10 if quick else 40)
        except (Exception, pytest.fail.Exception) as error:
            failures.append(f"{name}: {error!r}"[:300])
        yield {"what": name, "cases": Calls.n_calls, "failures": failures}
