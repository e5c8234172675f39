"""What a kernel machine learns: classes, numbers, or the support of the samples.

An object of these classes is a value: training replaces it. It tells how many binary problems
there are, and translates targets and weights into what the engine is given.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh
from sklearn.utils import check_array, check_random_state

from .. import _limits
from .._class_codes import (
    balanced_weights,
    class_factors,
    class_order_after,
    class_order_among,
    running_balanced_weights,
    signs,
    weights_of_counts,
)
from .._core.class_order import add_to_class_order
from .._core.kernel.vectors.block import Samples
from .._pairs import ClassScores
from .._validation import (
    check_labels,
    check_samples,
    classes_of_stream,
    encode_labels,
    refuse_large_targets,
    require_two_classes,
    unique_labels_and_codes,
)
from ._analysis._solution_view import KernelValues

# Class code that stands for all other classes, for the engine.
OTHERS = -1

# Maximum number of samples for the estimate of the noise.
MAX_SAMPLES = 1000
# Values of the regularization of kernel ridge regression, relative to the mean eigenvalue.
_RIDGES = np.logspace(-6, 3, 19)


class Targets:
    """What is learned, as far as training has fixed it; subclasses are frozen dataclasses.

    A subclass also has ``n_problems``, ``of_stream``, ``validated``, ``encode``, ``costs``,
    ``samples``, ``scale``, and ``linear_terms`` if all samples can be optimized at once.
    """

    # Whether there is a y.
    has_y = True
    # Whether there is a problem for each pair of classes.
    one_vs_one = False
    # Number of classes, None in regression.
    n_classes = None
    # Whether problems over samples in memory can be solved at once.
    is_batchable = True
    # What an uncertainty of decision values is compared with, appended to a message.
    margin_note = ""
    # What helps if the problem with C=inf cannot be solved.
    advice_for_hard_margin = ""

    @classmethod
    def of_fit(cls, plan, X, y):
        """Return the targets of ``fit``, and what is learned of each sample."""
        targets = cls.of_stream(plan, y, None)
        return targets, targets.encode(X, y)

    @classmethod
    def from_dict(cls, fields):
        """Return the targets that :meth:`as_dict` has stored."""
        return cls(**fields)

    def as_dict(self):
        """Return the fields, to be stored."""
        return dict(vars(self))

    def encode_chunk(self, X, y):
        """Return the targets of a chunk of a stream; ``y`` is an array."""
        return self.encode(X, y)

    def check(self, encoded, weights):
        """Raise ValueError if the samples of positive weight cannot be trained on."""

    def tolerance(self, tol):
        """Return the largest violation of the optimality conditions that is accepted."""
        return float(tol)

    def rounding(self, encoded):
        """Return how much the gradients of these samples are rounded."""
        return 0.0

    def fixed(self, plan, spec, X, encoded, weights):
        """Return the targets for the first samples, given the specification of the engine."""
        return self

    def after(self, plan, encoded):
        """Return the targets after a chunk, apart from what ``costs`` returns; may warn."""
        return self

    def after_part(self, whole, encoded, weights):
        """Return the targets after the first samples of a chunk, given those after all of it."""
        return whole

    def scale_of_members(self, machine):
        """Return the size of differences of decision values that matter."""
        return 1.0

    def from_own_side(self, alpha, g):
        """Return gradients of the side of the loss where alpha is for the side of the target."""
        return g


@dataclass(frozen=True)
class ClassTargets(Targets):
    """Class labels: one binary problem, one for each class, or one for each pair of classes.

    The decision value of the problem of a class is positive for the class, that of a pair for the
    first of the two; that of two classes is positive for the second one.
    """

    classes: np.ndarray  # sorted labels; samples have their indices, class codes, (n_classes,)
    factors: np.ndarray  # multiplier of C for each class, (n_classes,)
    # Sum of the sample weights of each class, for ``class_weight="online_balanced"``,
    # (n_classes,).
    counts: np.ndarray
    # Counts of a stream that tell whether it is sorted by class; empty after a warning.
    order: np.ndarray | None = None
    multi_class: str = "ovr"  # problems of more than two classes

    margin_note = " (the margin is 1)"
    advice_for_hard_margin = (
        "With C=inf every sample must lie on the correct side of the margin, but the classes are "
        "not separable, or barely. Use a finite C."
    )

    @classmethod
    def of_fit(cls, plan, X, y):
        """Return the targets of ``fit``, and the class codes of its labels."""
        classes, codes = unique_labels_and_codes(y)
        return cls._begun(plan, classes), codes

    @classmethod
    def of_stream(cls, plan, y, classes):
        """Return the targets of a stream that begins with the labels ``y``."""
        return cls._begun(plan, classes_of_stream(classes))

    @classmethod
    def _begun(cls, plan, classes):
        n, multi_class = len(classes), getattr(plan.params, "multi_class", "ovr")
        return cls(classes, np.ones(n), np.zeros(n), multi_class=multi_class)

    @property
    def one_vs_one(self):
        """Whether there is a problem for each pair of classes."""
        return self.multi_class == "ovo" and len(self.classes) > 2

    @property
    def n_classes(self):
        """Number of classes."""
        return len(self.classes)

    @property
    def n_problems(self):
        """Number of binary problems."""
        n = len(self.classes)
        if n == 2:
            return 1
        return n * (n - 1) // 2 if self.one_vs_one else n

    @staticmethod
    def validated(estimator, X, y, **options):
        """Return validated samples, and y as an array."""
        return check_samples(estimator, X, y, **options)

    def encode(self, X, y):
        """Return the class codes of labels."""
        return encode_labels(y, self.classes)

    def encode_chunk(self, X, y):
        """Return the class codes of a chunk; the error for other labels tells how to add them."""
        try:
            return encode_labels(y, self.classes, extendable=True)
        except ValueError:
            check_labels(y)  # has the error for continuous targets
            raise

    def check(self, encoded, weights):
        n_weighted = np.count_nonzero(np.bincount(encoded, weights=weights))
        require_two_classes(n_weighted, " with positive sample weight.")

    def samples(self, encoded, cost, row_ids, origin, shifted=None):
        """Return what the engine is given."""
        return Samples(encoded, cost, row_ids, shifted, origin=origin)

    def of_members(self, engine, samples):
        """Return class codes and costs of vectors, a result of ``Engine.stored_samples``."""
        return samples["label"], samples["cost"]

    def linear_terms(self, encoded):
        """Return the linear terms of the dual, 1 and -1 in each problem, NaN outside of pairs."""
        if self.one_vs_one:
            terms = np.full((self.n_problems, len(encoded)), np.nan)
            for of_pair, (first, second) in zip(terms, self.pairs, strict=True):
                of_pair[encoded == first] = 1.0
                of_pair[encoded == second] = -1.0
            return terms
        return np.array([signs(encoded, c, self.n_problems) for c in range(self.n_problems)])

    def losses(self, encoded, scores):
        """Return by how much each sample violates its condition; NaN outside of a pair."""
        return 1.0 - self.linear_terms(encoded).T * scores

    def errors(self, encoded, scores):
        """Return whether each sample is misclassified, given decision values, as 0.0 or 1.0."""
        scores = ClassScores(scores, len(self.classes), self.one_vs_one, "ovr", False)
        return (scores.predicted() != encoded).astype(np.float64)

    @property
    def pairs(self):
        """Codes of the classes of each pair, in one-vs-one, (n_problems, 2)."""
        return np.column_stack(np.triu_indices(len(self.classes), 1)).astype(np.int32)

    def batch_arguments(self, encoded, cost):
        """Return labels, costs, classes of each problem, and no targets, for ``Batch``."""
        if self.one_vs_one:
            codes = self.pairs
        else:
            of_problem = range(self.n_problems) if self.n_problems > 1 else [1]
            codes = np.array([(code, OTHERS) for code in of_problem], dtype=np.int32)
        return encoded.astype(np.int32), cost, codes, None

    def scale(self, scores, encoded, engine):
        """Return the size of decision values with which violations are compared."""
        return np.minimum(1.0, scores.std(axis=0))

    # ---------------------------------------------------------------------------- class weights

    def costs(self, plan, encoded, weights, order=None):
        """Return the upper bound of alpha of each sample, and the targets after all of them.

        It is C times class weight times sample weight. ``order``: that of the training of ``fit``,
        whose class counts begin at 0; None: a chunk of a stream.
        """
        C, class_weight, n_classes = plan.params.C, plan.params.class_weight, len(self.classes)
        factors = np.ones(n_classes)
        counts = self.counts if order is None else np.zeros(n_classes)
        by_sample = 1.0
        if isinstance(class_weight, dict):
            factors = class_factors(class_weight, self.classes)
            by_sample = factors[encoded]
        elif class_weight == "balanced":
            factors = balanced_weights(encoded, n_classes, weights)
            by_sample = factors[encoded]
        elif class_weight == "online_balanced":
            counts = counts.copy()
            by_sample = np.empty(len(encoded))
            order = np.arange(len(encoded)) if order is None else order
            by_sample[order] = running_balanced_weights(encoded[order], counts, weights[order])
            factors = weights_of_counts(counts)
        if class_weight is None and float(C) < np.inf:
            cost = C * weights
        else:
            with np.errstate(invalid="ignore", over="ignore"):
                cost = C * by_sample * weights
        if not cost.max(initial=0.0) < np.inf:  # infinite, or not a number
            cost[np.isnan(cost)] = 0.0  # weight 0 and C=inf
            if plan.has_finite_costs and np.isinf(cost).any():
                raise ValueError(
                    "C must be finite here, and so must C times class_weight and sample_weight: "
                    "the ramp loss of an outlier is C (1 - s). "
                    f"Got C={C!r} and a largest product of {cost.max()}."
                )
        return cost, replace(self, factors=factors, counts=counts)

    # ---------------------------------------------------------------------------- streams

    def after(self, plan, encoded):
        """Count changes of class; warn if the stream is sorted by class, and this matters."""
        if plan.replay_size:
            return self
        order = class_order_after(plan.name, len(self.classes), self.order, encoded)
        return replace(self, order=order)

    def after_part(self, whole, encoded, weights):
        order, factors, counts = whole.order, whole.factors, whole.counts
        if order is not None and len(order):
            order = self.order
            if len(encoded):
                order, _ = add_to_class_order(order, len(self.classes), encoded)
        if not np.array_equal(counts, self.counts):  # class_weight="online_balanced"
            counts = self.counts + np.bincount(encoded, weights, len(self.classes))
            factors = weights_of_counts(counts)
        return replace(self, factors=factors, counts=counts, order=order)

    def extended(self, classes):
        """Return the targets with further classes, and the places of the former ones in them."""
        classes = classes_of_stream(classes, self.classes, extendable=True)
        places = np.searchsorted(classes, self.classes)
        counts = np.zeros(len(classes))
        counts[places] = self.counts
        order = class_order_among(self.order, places, len(classes))
        factors = np.ones(len(classes))
        extended = replace(self, classes=classes, factors=factors, counts=counts, order=order)
        return extended, places


@dataclass(frozen=True)
class ValueTargets(Targets):
    """Numbers: one problem for each output, with an epsilon-insensitive loss."""

    n_outputs: int
    is_flat: bool  # whether y is one-dimensional
    squared: bool  # whether the loss is squared
    epsilon: float  # half the width of the tube; 0 until it is estimated (``fixed``)
    # Whether training leads to the optimum, so that ``tol`` is accurate to the end.
    exact: bool = False

    @classmethod
    def of_stream(cls, plan, y, classes):
        """Return the targets of a stream that begins with the values ``y``."""
        n_outputs, is_flat = (1, True) if y.ndim == 1 else (y.shape[1], False)
        epsilon, squared = plan.params.epsilon, plan.params.loss == "squared_epsilon_insensitive"
        return cls(n_outputs, is_flat, squared, 0.0 if epsilon == "auto" else float(epsilon))

    @classmethod
    def of_fit(cls, plan, X, y):
        # The result is the optimum; "auto" is mostly an epoch of large sets.
        most = plan.most_passes
        exact = len(y) <= _limits.SMALL_SET if most == "auto" else most != 1
        targets = replace(cls.of_stream(plan, y, None), exact=exact)
        return targets, targets.encode(X, y)

    @property
    def n_problems(self):
        """Number of binary problems."""
        return self.n_outputs

    def tolerance(self, tol):
        """Return the largest violation of the optimality conditions that is accepted.

        Within the tube there is no loss: higher precision changes predictions by far less.
        """
        return float(tol) if self.exact else max(float(tol), 0.1 * self.epsilon)

    def rounding(self, encoded):
        """Return how much the gradients of these samples are rounded."""
        return np.finfo(np.float64).eps * np.abs(encoded).max()

    @staticmethod
    def validated(estimator, X, y, **options):
        """Return validated samples, and y as an array."""
        X, y = check_samples(estimator, X, y, multi_output=True, **options)
        is_ready = isinstance(y, np.ndarray) and y.dtype == np.float64 and y.flags.c_contiguous
        return X, y if is_ready else _as_numbers(y)

    def encode(self, X, y):
        """Return the values as an array of shape (n_samples, n_outputs)."""
        n_outputs = 1 if y.ndim == 1 else y.shape[1]
        if n_outputs != self.n_outputs:
            raise ValueError(
                f"y has {n_outputs} outputs, but LASVR was fitted with {self.n_outputs}."
            )
        if y.dtype != np.float64 or not np.isfinite(y).all():
            y = _as_numbers(y)
        refuse_large_targets(y)
        return y[:, np.newaxis] if y.ndim == 1 else y

    def fixed(self, plan, spec, X, encoded, weights):
        """Return the targets with the estimate of epsilon."""
        if plan.params.epsilon != "auto":
            return self
        random = check_random_state(plan.params.random_state)
        rows = random.permutation(np.flatnonzero(weights))
        kernel = KernelValues(spec, X, single=True)
        return replace(self, epsilon=automatic_epsilon(kernel, encoded, rows))

    def costs(self, plan, encoded, weights, order=None):
        """Return the upper bound of alpha of each sample, and the targets after all of them."""
        return plan.params.C * weights, self

    def samples(self, encoded, cost, row_ids, origin):
        """Return what the engine is given."""
        return Samples(
            np.zeros(len(encoded), dtype=np.int32),
            cost,
            row_ids,
            targets=np.ascontiguousarray(encoded.T),
            epsilon=self.epsilon,
            squared=self.squared,
            origin=origin,
        )

    def batch_arguments(self, encoded, cost):
        """Return labels, costs, "classes" of each problem, and targets, for ``Batch``."""
        codes = np.array([(0, OTHERS)] * self.n_outputs, dtype=np.int32)
        targets = np.ascontiguousarray(encoded.T)
        return np.zeros(len(encoded), dtype=np.int32), cost, codes, targets

    @property
    def is_batchable(self):
        """Whether problems over samples in memory can be solved at once."""
        return not self.squared

    def of_members(self, engine, samples):
        """Return targets and costs of vectors of the only output."""
        (problem,) = engine.problems
        members = problem.view()
        order = np.argsort(members.index)
        which = order[np.searchsorted(members.index, samples["slot"], sorter=order)]
        values = (members.target + members.y * self.epsilon)[which]
        cost = samples["cost"]
        if self.squared:
            cost = 0.5 / members.ridge[which]
        return values[:, np.newaxis], cost

    def from_own_side(self, alpha, g):
        return np.where(alpha < 0.0, g - 2.0 * self.epsilon, g)

    def linear_terms(self, encoded):
        """Return the linear terms of the dual, (n_outputs, n_samples): the lower ends of tubes."""
        return encoded.T - self.epsilon

    def errors(self, encoded, scores):
        """Return the absolute error of each sample in the first output."""
        return np.abs(encoded[:, 0] - scores[:, 0])

    def losses(self, encoded, scores):
        """Return by how much each sample is outside of the tube; negative within it."""
        return np.abs(encoded - scores) - self.epsilon

    def scale(self, scores, encoded, engine):
        """Return the size of decision values with which violations are compared."""
        return encoded.std(axis=0)

    def scale_of_members(self, machine):
        if machine.optimum is not None:
            return np.ptp(machine.optimum.encoded, axis=0).max() if machine.counts()[0] else 0.0
        values = [problem.view().target for problem in machine.engine.problems]
        return max(np.ptp(of_problem) if len(of_problem) else 0.0 for of_problem in values)


def _as_numbers(y):
    return check_array(y, ensure_2d=False, dtype=np.float64, order="C", input_name="y")


def automatic_epsilon(kernel, targets, rows):
    """Return epsilon for the samples in ``rows``, in random order, from the noise of the targets.

    ``3 sigma sqrt(log(n) / n)`` (Cherkassky and Ma 2004, eq. 13) for the smallest noise sigma of
    an output; ``kernel`` is a :class:`KernelValues`, ``targets`` has shape (n_samples, n_outputs).
    """
    n, rows = len(rows), np.sort(rows[:MAX_SAMPLES])
    K = np.ascontiguousarray(kernel(rows, rows), dtype=np.float64)
    sigma = noise(K, targets[rows])
    return float(3.0 * sigma.min() * np.sqrt(np.log(n) / n))


def noise(K, targets):
    """Estimate the standard deviation of the noise in each column of the targets.

    It is that of the residuals of kernel ridge regression, over n minus the effective number of
    parameters; the regularization is selected by generalized cross-validation (Golub, Heath and
    Wahba 1979).
    """
    n = len(targets)
    centred = targets - targets.mean(axis=0)
    K = K - K.mean(axis=0)
    K -= K.mean(axis=1, keepdims=True)
    values, vectors = eigh(0.5 * (K + K.T))
    values = np.maximum(values, 0.0)
    squares = (vectors.T @ centred) ** 2
    # The constant is a parameter, too: its eigenvalue is 0 after centring, and its share 0.
    ridges = _RIDGES * max(values.mean(), np.finfo(float).tiny)
    left = ridges[:, np.newaxis] / (values + ridges[:, np.newaxis])
    freedom = np.maximum(left.sum(axis=1) - 1.0, 1e-3)[:, np.newaxis]
    variance = left**2 @ squares / freedom
    best = np.argmin(variance / freedom, axis=0)
    return np.sqrt(variance[best, np.arange(targets.shape[1])]) if n > 1 else np.zeros(1)


@dataclass(frozen=True)
class OneClassTargets(Targets):
    """No targets: a single problem that separates the samples from the origin."""

    n_problems = 1
    has_y = False

    @classmethod
    def of_stream(cls, plan, y, classes):
        """Return the targets of a stream."""
        return cls()

    @staticmethod
    def validated(estimator, X, y, **options):
        """Return validated samples; y is ignored."""
        return check_samples(estimator, X, **options), None

    def encode(self, X, y):
        """Return linear terms of 0."""
        return np.zeros(X.shape[0])

    def costs(self, plan, encoded, weights, order=None):
        """Return the upper bound of alpha of each sample, and the targets after all of them."""
        window_size = plan.params.window_size
        if window_size is not None and (weights != 1.0).any():
            raise ValueError(
                f"sample_weight is not supported with window_size={window_size}: the "
                "weights of samples that leave the window are not stored."
            )
        return np.array(weights, dtype=np.float64), self

    def batch_arguments(self, encoded, cost):
        """Return labels, costs, "classes" of the problem, and targets of 0, for ``Batch``."""
        codes = np.array([(1, OTHERS)], dtype=np.int32)
        return np.ones(len(encoded), dtype=np.int32), cost, codes, encoded[np.newaxis]

    def samples(self, encoded, cost, row_ids, origin):
        """Return what the engine is given."""
        return Samples(
            np.ones(len(encoded), dtype=np.int32),
            cost,
            row_ids,
            targets=encoded[np.newaxis],
            origin=origin,
        )

    def scale(self, scores, encoded, engine):
        """Return the size of decision values, in the units of tol."""
        (problem,) = engine.problems
        return scores.std(axis=0) * max(1.0, problem.view().alpha.sum())


# The classes by the names that are stored.
KINDS = {kind.__name__: kind for kind in (ClassTargets, ValueTargets, OneClassTargets)}
