"""Errors of user code: kernels, callbacks, transformers, queries, oracles, metrics, samples."""

import copy
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import (
    LASVC,
    LASVR,
    ActiveLASVC,
    AROWClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    LabelEfficientClassifier,
    OneClassLASVM,
    RampSVC,
)
from sklearn_online_svm.active import MarginQuery
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.callback import EarlyStopping
from sklearn_online_svm.cells import CellClassifier
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.pipeline import make_online_pipeline
from sklearn_online_svm.readers import fit_stream, read_arrays
from tests.support.samples import three_classes
from tests.support.trainable import FITTED_AT_ONCE, MODELS, n_samples_seen, samples_of, seeded

PROMISE = (
    "An error raised by your own code is passed on unchanged. The model then predicts finite "
    "values, and continued training gives the same model as without the error."
)
PREDICTIONS = ("predict", "decision_function", "predict_proba", "score_samples")
N = 120


class UserError(Exception):
    pass


class Hook:
    """User code that raises in its n-th call; copies of a model share it."""

    def __init__(self):
        self.reset(0)

    def reset(self, n):
        self.n, self.calls, self.error = n, 0, UserError("of the user")

    def __call__(self):
        self.calls += 1
        if self.calls == self.n:
            raise self.error

    def __deepcopy__(self, memo):
        return self

    def __eq__(self, other):
        return isinstance(other, Hook)

    __hash__ = None


HOOK = Hook()

# ------------------------------------------------------------------------------- user code


def kernel(A, B):
    HOOK()
    A, B = (M.toarray() if hasattr(M, "toarray") else M for M in (A, B))
    # Without exp, whose last bits depend on the position in an array.
    return 1.0 / (1.0 + 0.3 * ((A[:, None] - B[None]) ** 2).sum(axis=2))


def metric(model, X, y):
    HOOK()
    return float(np.mean(model.predict(X) == y))


class Samples:
    """Samples that are converted to an array when they are used."""

    def __init__(self, X):
        self.X, self.shape = X, X.shape

    def __len__(self):
        return len(self.X)

    def __getitem__(self, rows):
        return Samples(self.X[rows])

    def __array__(self, dtype=None, copy=None):
        HOOK()
        return np.array(self.X, dtype)


class Callback:
    def setup(self, estimator, context):
        HOOK()

    def teardown(self, estimator, context):
        HOOK()

    def on_fit_task_begin(self, estimator, context):
        HOOK()

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        HOOK()


class Scaler(TransformerMixin, BaseEstimator):
    """Transformer with ``partial_fit``."""

    def fit(self, X, y=None):
        HOOK()
        self.scaler_ = StandardScaler().fit(X)
        return self

    def partial_fit(self, X, y=None):
        HOOK()
        self.scaler_ = getattr(self, "scaler_", StandardScaler()).partial_fit(X)
        return self

    def transform(self, X):
        HOOK()
        return self.scaler_.transform(X)


class Classifier(ClassifierMixin, BaseEstimator):
    """Linear classifier that is not one of the package."""

    def fit(self, X, y, sample_weight=None):
        HOOK()
        self.model_ = AROWClassifier(random_state=0).fit(X, y, sample_weight)
        self.classes_ = self.model_.classes_
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        HOOK()
        model = getattr(self, "model_", AROWClassifier(random_state=0))
        model = copy.deepcopy(model).partial_fit(X, y, classes, sample_weight)
        self.model_, self.classes_, self.n_features_in_ = model, model.classes_, X.shape[1]
        return self

    def predict(self, X):
        HOOK()
        return self.model_.predict(X)

    def decision_function(self, X):
        HOOK()
        return self.model_.decision_function(X)


class Query(BaseEstimator):
    """Query strategy that queries every second sample."""

    def query(self, scores):
        HOOK()
        return (np.arange(len(scores)) + getattr(self, "n_", 0)) % 2 == 0

    def update(self, scores, queried, updated=None):
        self.n_ = getattr(self, "n_", 0) + len(queried)
        HOOK()
        return self


# ------------------------------------------------------------------------------- models

KERNEL_MODELS = {
    "LASVC": LASVC(kernel=kernel),
    "LASVC, one-vs-rest": LASVC(kernel=kernel, multi_class="ovr", finishing=False),
    "LASVC, two threads": LASVC(kernel=kernel, n_jobs=2, finishing=False),
    "LASVC, lasvm-g": LASVC(kernel=kernel, algorithm="lasvm-g", finishing=False),
    "LASVC, window": LASVC(kernel=kernel, window_size=50, finishing=False),
    "ActiveLASVC": ActiveLASVC(kernel=kernel, random_state=0, finishing=False),
    "LASVR": LASVR(kernel=kernel, finishing=False),
    "OneClassLASVM": OneClassLASVM(kernel=kernel, nu=0.2, finishing=False),
    "RampSVC": RampSVC(kernel=kernel),
    "KernelPassiveAggressiveClassifier": KernelPassiveAggressiveClassifier(kernel=kernel),
    "KernelPassiveAggressiveClassifier, budget": KernelPassiveAggressiveClassifier(
        kernel=kernel, max_support_vectors=15, budget_policy="projection"
    ),
    "KernelPerceptronClassifier": KernelPerceptronClassifier(kernel=kernel),
    "KernelAROWClassifier": KernelAROWClassifier(kernel=kernel, max_support_vectors=15),
}
BASE = Classifier()
COMPOSITES = {
    "pipeline": make_online_pipeline(Scaler(), AROWClassifier(), freeze_after=40),
    "pipeline, LASVC": make_online_pipeline(Scaler(), LASVC(finishing=False), freeze_after=40),
    "pipeline, estimator": make_online_pipeline(StandardScaler(), BASE, freeze_after=40),
    "calibrated": OnlineCalibratedClassifier(BASE),
    "calibrated, kernel": OnlineCalibratedClassifier(LASVC(kernel=kernel, finishing=False)),
    "cells": CellClassifier(BASE, cell_size=30, random_state=0),
    "labels": LabelEfficientClassifier(BASE, MarginQuery(random_state=0)),
    "labels, strategy": LabelEfficientClassifier(AROWClassifier(), Query()),
    "labels, kernel": LabelEfficientClassifier(LASVC(kernel=kernel, finishing=False), Query()),
    "search": ProgressiveSearch(
        AROWClassifier(), {"r": [0.1, 1.0]}, cv=2, scoring=metric, error_score="raise"
    ),
    "search, estimator": ProgressiveSearch(
        make_online_pipeline(Scaler(), AROWClassifier()),
        {"arowclassifier__r": [0.1, 1.0]},
        cv=2,
        error_score="raise",
    ),
}


def oracle_of(y):
    """Return the argument of ``LabelEfficientClassifier`` that is called for labels."""

    def oracle(i):
        HOOK()
        return y[i]

    return oracle


class Case:
    """A model, and calls of its methods that run user code."""

    def __init__(self, name, model, X, y, wrapped=None, asks=False):
        self.name, self.model, self.X, self.y, self.asks = name, model, X, y, asks
        seeds = [key for key in model.get_params() if key.split("__")[-1] == "random_state"]
        model.set_params(**dict.fromkeys(seeds, 0))
        if hasattr(model, "error_score"):
            model.set_params(error_score="raise")
        self.wrapped = wrapped or (lambda X: X)
        self.classes = np.unique(y) if is_classifier(model) else None

    def fit(self, model, last=N):
        X, y = self.wrapped(self.X[:last]), self.y[:last]
        given = {"oracle": oracle_of(y), "classes": self.classes} if self.asks else {}
        return model.fit(X, None if self.asks else y, **given)

    def chunk(self, model, first, last):
        X, y = self.wrapped(self.X[first:last]), self.y[first:last]
        given = {} if self.classes is None else {"classes": self.classes}
        if self.asks:
            given["oracle"] = oracle_of(y)
        return model.partial_fit(X, None if self.asks else y, **given)


def cases(names):
    """Return lists of cases by the kind of user code; ``names`` are those of the table."""
    X, y = three_classes(N)
    numbers = X[:, 0] + y / 10.0
    binary = np.where(y == 10, 10, 20)
    early = EarlyStopping(X[:30], y[:30], scoring=metric)
    kernels = []
    for name, model in KERNEL_MODELS.items():
        targets = y if "LASVC" in name else binary
        kernels.append(Case(name, model, X, targets if is_classifier(model) else numbers))
    return {
        "kernel": kernels,
        "part of a model": [Case(name, model, X, y) for name, model in COMPOSITES.items()],
        "oracle": [
            Case(
                name, LabelEfficientClassifier(model, MarginQuery(random_state=0)), X, y, asks=True
            )
            for name, model in (("linear", AROWClassifier()), ("LASVC", LASVC(finishing=False)))
        ],
        "callback": [
            Case("EarlyStopping", AROWClassifier().set_callbacks(early), X, y),
            *(
                Case(name, seeded(name).set_callbacks(Callback()), *samples_of(name, N))
                for name in names
                if hasattr(MODELS[name], "set_callbacks")
            ),
        ],
        "conversion of samples": [
            Case(name, seeded(name), *samples_of(name, N), wrapped=Samples) for name in names
        ],
    }


# ------------------------------------------------------------------------------- checks


def predictions(case, model):
    """Return the bytes of the predictions of a copy; None if the model is not fitted."""
    model = copy.deepcopy(model)
    try:
        found = [
            np.asarray(getattr(model, method)(case.X[::3]))
            for method in PREDICTIONS
            if hasattr(model, method)
        ]
    except NotFittedError:
        return None
    if not all(values.dtype.kind in "OU" or np.isfinite(values).all() for values in found):
        raise AssertionError("predictions are not finite")
    return [values.tobytes() for values in found]


def seen(model):
    try:
        return int(n_samples_seen(model))
    except (AttributeError, NotFittedError):
        return 0


def campaign(quick):
    warnings.simplefilter("ignore")
    names, most = ([*MODELS][::13], 1) if quick else (MODELS, 6)
    for kind, chosen in cases(names).items():
        found = [
            (f"{case.name}, {what}", reason)
            for case in (chosen[::3] if quick else chosen)
            for what, reason in check(case, most)
        ]
        failures = [f"{kind}, {what}: {reason}" for what, reason in found if reason is not None]
        yield {"what": kind, "models": len(chosen), "cases": len(found), "failures": failures}
    yield streams(quick)


def streams(quick):
    """Errors of an iterator of chunks: the model has been trained on the preceding ones."""
    found = []
    for name in [*MODELS][:: 13 if quick else 1]:
        if name in FITTED_AT_ONCE:
            continue
        X, y = samples_of(name, N)
        for n in (1, 2):

            def chunks(n=n, X=X, y=y):
                for k, chunk in enumerate(read_arrays(X, y, chunk_size=40)):
                    if k == n:
                        raise HOOK.error
                    yield chunk

            model, expected = seeded(name), seeded(name)
            classes = {"classes": np.unique(y)} if is_classifier(model) else {}
            HOOK.reset(0)
            try:
                fit_stream(model, chunks, **classes)
                reason = "no error"
            except Exception as raised:
                reason = None if raised is HOOK.error else f"raised {raised!r}"
            fit_stream(expected, list(read_arrays(X, y, chunk_size=40))[:n], **classes)
            case = Case(name, model, X, y)
            if predictions(case, model) != predictions(case, expected):
                reason = "other predictions"
            found.append((f"{name}, chunk {n}", reason))
    failures = [f"chunks, {what}: {reason}" for what, reason in found if reason is not None]
    return {"what": "chunks", "models": len(found) // 2, "cases": len(found), "failures": failures}


def check(case, most):
    """Yield (what, reason of a failure or None) of errors in all methods of a case."""
    fresh = copy.deepcopy(case.model)
    fitted = case.fit(copy.deepcopy(fresh), 90)
    streams = hasattr(fresh, "partial_fit") and case.name not in FITTED_AT_ONCE
    yield from failing(case, "first fit", fresh, case.fit, most)
    yield from failing(case, "second fit", fitted, case.fit, most)
    if streams:
        begun = case.chunk(copy.deepcopy(fresh), 0, 50)
        yield from failing(case, "first chunk", fresh, (0, 50), most)
        yield from failing(case, "next chunk", begun, (50, N), most)


def failing(case, what, before, call, most):
    """Yield the outcome of errors spread over the calls of user code in a method."""
    is_fit = callable(call)
    train = call if is_fit else lambda model: case.chunk(model, *call)
    HOOK.reset(0)
    expected = copy.deepcopy(before)
    train(expected)
    total, expected = HOOK.calls, predictions(case, expected)
    former = predictions(case, before)
    for n in sorted({1 + k * total // most for k in range(most)} | {total}) if total else ():
        found = outcome(case, before, former, train, call, n, expected)
        yield f"{what}, call {n} of {total}", found


def outcome(case, before, former, train, call, n, expected):
    """Let a call of user code raise; return what is wrong then, or None."""
    model = copy.deepcopy(before)
    HOOK.reset(n)
    error, raised = HOOK.error, None
    try:
        train(model)
    except Exception as found:
        raised = found
    HOOK.reset(0)
    if raised is not error:
        return f"raised {raised!r}"
    # Labels that have been queried are kept, and the call is repeated.
    repeats = isinstance(model, LabelEfficientClassifier)
    try:
        after = predictions(case, model)
        if after is None and former is not None:
            return "the model is lost"
        if after == expected:  # a callback has raised when the call was complete
            return None
        if callable(call) or repeats:
            if after != former and not repeats:
                return "fit has changed the model"
            train(model)
        else:
            first, last = call
            n_new = seen(model) - seen(before)
            if n_new == 0 and after != former:
                return "the model has changed, and counts no samples"
            if first + n_new < last:
                case.chunk(model, first + n_new, last)
        # An active learner selects other samples from a part of a chunk.
        same = predictions(case, model) == expected or isinstance(model, ActiveLASVC)
        return None if same else "other predictions afterwards"
    except Exception as later:
        return f"afterwards {type(later).__name__}: {later}"
