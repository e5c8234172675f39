"""Tasks of `deployment`: predictions of a model and of its graphs, in a fresh process."""

from dataclasses import dataclass
from itertools import combinations
from statistics import median

import numpy as np
import onnxruntime
from skl2onnx import to_onnx

import sklearn_online_svm.onnx  # noqa: F401
from sklearn_online_svm import LASVC, KernelAROWClassifier, PassiveAggressiveClassifier

from ..bench.job import Job
from ..bench.measure import microseconds_of_calls, timed
from ..sets.calibration import SETS, Set

N_SINGLE = 300
# Samples of a batch: graphs store the kernel values of a whole batch.
BATCH = 500

MODELS = {
    # The values of pairs: those of classes count votes, which a rounding error can change.
    "lasvc": lambda: LASVC(decision_function_shape="ovo", random_state=0),
    "kernel_arow": lambda: KernelAROWClassifier(max_support_vectors=500, random_state=0),
    "pa": lambda: PassiveAggressiveClassifier(C=0.01, average=True, random_state=0),
}


@dataclass(frozen=True)
class DeploymentJob(Job):
    """A set and a model."""

    set: str = ""
    model: str = ""


def problem_coefficients(model):
    """Return the coefficients of the support vectors, one column per binary problem."""
    coef, n_classes = model.dual_coef_, len(model.classes_)
    if n_classes == 2 or getattr(model, "decision_function_shape", "ovr") == "ovr":
        return coef.T
    codes = np.repeat(np.arange(n_classes), model.n_support_)
    pairs = combinations(range(n_classes), 2)
    return np.column_stack(
        [np.where(codes == a, coef[b - 1], np.where(codes == b, coef[a], 0.0)) for a, b in pairs]
    )


def exact_scores(model, X):
    """Return decision values in double precision, and the sum of absolute terms."""
    X = X.astype(np.float64)
    if not hasattr(model, "dual_coef_"):
        coef = np.atleast_2d(model.coef_).astype(np.float64)
        return X @ coef.T + model.intercept_, (np.abs(X) @ np.abs(coef).T).max()
    vectors, coef = model.support_vectors_.astype(np.float64), problem_coefficients(model)
    scores = np.empty((len(X), coef.shape[1]))
    for first in range(0, len(X), BATCH):
        rows = slice(first, first + BATCH)
        squares = np.square(X[rows, np.newaxis] - vectors).sum(axis=2) if X.shape[1] < 20 else None
        if squares is None:
            # Many features: rounding of 1e-16 of the squared norms is as good.
            squares = np.square(X[rows]).sum(axis=1)[:, np.newaxis] - 2 * X[rows] @ vectors.T
            squares += np.square(vectors).sum(axis=1)
        scores[rows] = np.exp(-model.gamma_ * squares) @ coef + model.intercept_
    return scores, np.abs(coef).sum(axis=0).max()


def deploy(job):
    """Time and error of the model, and of graphs for float32 and float64 input."""
    of_set = SETS.get(job.set) or Set("Banana", job.set)
    X, y, X_test, _ = of_set.load(job.seed, job.quick)
    X, X_test = X.astype(np.float32), X_test.astype(np.float32)
    model = MODELS[job.model]()
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=job.threads)
    model.fit(X, y)
    exact, scale = exact_scores(model, X_test)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = job.threads
    record = {"n_test": len(X_test)}

    def measure(name, scores_of, labels, dtype):
        Z = X_test.astype(dtype)
        batches = [Z[first : first + BATCH] for first in range(0, len(Z), BATCH)]
        scores, seconds = timed(
            lambda: np.concatenate([scores_of(batch) for batch in batches]), 1.0, max_repeats=15
        )
        error = np.abs(scores.reshape(exact.shape) - exact).max() / scale
        singles = [(Z[i : i + 1],) for i in range(min(N_SINGLE, len(Z)))]
        record[name] = {
            "seconds": min(seconds),
            "microseconds": median(microseconds_of_calls(scores_of, singles)),
            "error": float(error),
            "n_differ": int((labels(Z) != expected).sum()),
        }

    expected = model.predict(X_test)
    measure("ours", model.decision_function, model.predict, np.float32)
    for name, dtype in (("float32", np.float32), ("float64", np.float64)):
        graph = to_onnx(model, X[:1].astype(dtype)).SerializeToString()
        session = onnxruntime.InferenceSession(graph, options)

        def outputs(Z, *names, session=session):
            return session.run(list(names), {"X": Z})[0]

        measure(name, lambda Z: outputs(Z, "scores"), lambda Z: outputs(Z, "label"), dtype)
    return record


JOB = DeploymentJob
TASKS = {"deploy": deploy}
