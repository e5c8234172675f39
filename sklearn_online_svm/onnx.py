"""Conversion of fitted models to ONNX with skl2onnx.

Importing this module registers converters for all models of the package with skl2onnx, also
for use within a :class:`~sklearn.pipeline.Pipeline` or
:class:`~sklearn_online_svm.pipeline.OnlinePipeline`::

    import sklearn_online_svm.onnx
    from skl2onnx import to_onnx

    onnx_model = to_onnx(model, X[:1])

The outputs of a classifier are ``label``; ``scores``, the values of ``decision_function``, which
are a single column for two classes; and, if the model has ``predict_proba``, ``probabilities``.
The outputs of an outlier detector are ``label`` and ``scores``, the output of a regressor is
``variable``, and with ``intervals=True`` also ``lower`` and ``upper``, the ends of prediction
intervals; their level is 0.9 by default, and another one with
``options={id(model): {"confidence_level": 0.95}}``. As in other graphs of skl2onnx, they are in
double precision if the input is, and in single precision otherwise. They are arrays
(``zipmap=False``).

From an input in single precision, rbf kernels are computed in single precision, unless the error
of the scores could exceed :math:`10^{-6}` times the sum of the absolute coefficients. Everything
else is computed in double precision.

Within other estimators of scikit-learn, models can be converted if these use decision values: a
``CalibratedClassifierCV``, or a ``OneVsRestClassifier`` with ``options={"raw_scores": True}``.

A ``ValueError`` is raised for other kernels than linear, rbf, poly and laplacian, for
``average="vote"``, for categorical columns of :class:`~sklearn_online_svm.KernelMetric`,
for labels other than integers, booleans and strings, and for a model within an estimator that uses
its probabilities.
"""

import copy
from itertools import combinations

import numpy as np
from scipy.sparse import issparse
from skl2onnx import update_registered_converter
from skl2onnx.common.data_types import (
    BooleanTensorType,
    DoubleTensorType,
    FloatTensorType,
    Int64TensorType,
    StringTensorType,
)
from skl2onnx.operator_converters.pipelines import convert_pipeline
from skl2onnx.proto import onnx_proto
from skl2onnx.shape_calculators.pipelines import pipeline_shape_calculator
from sklearn.base import is_classifier, is_outlier_detector

from . import active, calibration, kernel, linear
from .calibration._maps import (
    KNOTS,
    LARGEST_ODDS,
    SMALLEST,
    WIDTH,
    CouplingMap,
    MultinomialMap,
    SplineMap,
)
from .kernel._analysis._kept_values import check_confidence_level
from .pipeline import OnlinePipeline

__all__ = []

_SINGLE = onnx_proto.TensorProto.FLOAT
_DOUBLE = onnx_proto.TensorProto.DOUBLE
_INT64 = onnx_proto.TensorProto.INT64
_STRING = onnx_proto.TensorProto.STRING
_NUMPY = {_SINGLE: np.float32, _DOUBLE: np.float64}

# Bound of the rounding of a squared distance, as a multiple of the squared norm of both vectors.
_ROUNDING = 2.0**-22
# Largest error of scores in single precision, as a multiple of the sum of absolute coefficients.
_LARGEST_ERROR = 1e-6


class _Graph:
    """Nodes and constants of one converted model; ``kind`` is the type of real constants."""

    def __init__(self, scope, container, single_input):
        self.scope, self.container, self.single_input = scope, container, single_input
        self.kind = _DOUBLE

    def constant(self, value):
        name = self.scope.get_unique_variable_name("constant")
        value = np.asarray(value)
        if value.dtype.kind == "f":
            kind, values = self.kind, value.astype(_NUMPY[self.kind]).ravel()
        elif value.dtype.kind == "i":
            kind, values = _INT64, value.astype(np.int64).ravel()
        else:
            kind, values = _STRING, [text.encode("utf-8") for text in value.ravel().tolist()]
        self.container.add_initializer(name, kind, list(value.shape), values)
        return name

    def node(self, kind, *inputs, output=None, domain="", version=13, **attributes):
        output = output or self.scope.get_unique_variable_name(kind.lower())
        self.container.add_node(
            kind,
            list(inputs),
            output,
            op_domain=domain,
            op_version=version,
            name=self.scope.get_unique_operator_name(kind),
            **attributes,
        )
        return output


def _linear_scores(graph, X, coef, intercept):
    product = graph.node("MatMul", X, graph.constant(coef.T))
    return graph.node("Add", product, graph.constant(np.atleast_1d(intercept)))


def _sum(graph, values, axis):
    return graph.node("ReduceSum", values, graph.constant([axis]), keepdims=1)


def _centered(graph, vectors):
    # A mean that has the precision of the graph: samples and vectors are moved by the same amount.
    centre = vectors.mean(axis=0).astype(_NUMPY[graph.kind]).astype(np.float64)
    return centre, vectors - centre


def _squared_distances(graph, X, vectors):
    # Shifted to the mean of the vectors, which reduces the rounding of the squares.
    centre, vectors = _centered(graph, vectors)
    moved = graph.node("Sub", X, graph.constant(centre))
    squares = _sum(graph, graph.node("Mul", moved, moved), axis=1)
    product = graph.node("MatMul", moved, graph.constant(-2.0 * vectors.T))
    lengths = graph.constant(np.square(vectors).sum(axis=1))
    distances = graph.node("Add", graph.node("Add", product, squares), lengths)
    return graph.node("Max", distances, graph.constant(0.0))


def _rbf(graph, X, vectors, gamma):
    distances = _squared_distances(graph, X, vectors)
    return graph.node("Exp", graph.node("Mul", distances, graph.constant(-gamma)))


def _single_suffices(model, vectors):
    """Return whether rounding of squared distances changes the scores little enough."""
    squares = np.square(vectors - vectors.mean(axis=0)).sum(axis=1)
    weights = np.abs(model._view()._solution().alpha)
    errors = _ROUNDING * model.gamma_ * (weights @ squares)
    return (errors <= _LARGEST_ERROR * weights.sum(axis=1)).all()


def _laplacian(graph, X, vectors, gamma):
    # Feature by feature: memory for all differences would be needed else.
    distances = graph.constant(np.zeros((1, len(vectors))))
    for column, values in enumerate(vectors.T):
        feature = graph.node("Gather", X, graph.constant([column]), axis=1)
        difference = graph.node("Sub", feature, graph.constant(values))
        distances = graph.node("Add", distances, graph.node("Abs", difference))
    return graph.node("Exp", graph.node("Mul", distances, graph.constant(-gamma)))


def _poly(graph, X, vectors, gamma, coef0, degree):
    product = graph.node("MatMul", X, graph.constant(gamma * vectors.T))
    return graph.node(
        "Pow", graph.node("Add", product, graph.constant(coef0)), graph.constant(float(degree))
    )


def _kernel_of(model):
    """Return the kernel of the fitted model: the parameter may have been set since."""
    return model._view()._fitted.spec.kernel if hasattr(model, "kernel") else "linear"


def _kernel_values(graph, X, vectors, model):
    spec = model._view()._fitted.spec
    if spec.kernel == "poly":
        return _poly(graph, X, vectors, spec.gamma, spec.coef0, spec.degree)
    if spec.kernel == "laplacian":
        return _laplacian(graph, X, vectors, spec.gamma)
    return _rbf(graph, graph.node("Cast", X, to=graph.kind), vectors, spec.gamma)


def _dense(vectors):
    return np.asarray(vectors.toarray() if issparse(vectors) else vectors, dtype=np.float64)


def _kernel_scores(graph, X, model):
    vectors = _dense(model.support_vectors_)
    if _kernel_of(model) == "rbf" and graph.single_input and _single_suffices(model, vectors):
        graph.kind = _SINGLE
    coef, counts = model.dual_coef_, None
    if model._view()._solution().one_vs_one:
        vectors, coef, counts = _without_gaps(vectors, coef, model.n_support_)
    values = _kernel_values(graph, X, vectors, model)
    if counts is None:
        sums = graph.node("MatMul", values, graph.constant(coef.T))
    else:
        sums = _sums_of_pairs(graph, values, coef, counts)
    graph.kind = _DOUBLE
    sums = graph.node("Cast", sums, to=_DOUBLE)
    return graph.node("Add", sums, graph.constant(np.atleast_1d(model.intercept_)))


def _half_widths(graph, X, predictions, model, confidence_level):
    """Write half of the width of the prediction intervals of each output."""
    _, intervals = model._fitted_intervals()
    vectors, coef = _dense(intervals.sums.vectors), intervals.sums.alpha
    if _kernel_of(model) == "linear":
        sums = _linear_scores(graph, X, coef @ vectors, intervals.sums.bias)
    else:
        values = _kernel_values(graph, X, vectors, model)
        sums = graph.node("MatMul", values, graph.constant(coef.T))
        sums = graph.node("Add", sums, graph.constant(intervals.sums.bias))
    columns = []
    for c, scale in enumerate(intervals.scales):
        column, prediction = (
            graph.node("Gather", array, graph.constant([c]), axis=1)
            for array in (sums, predictions)
        )
        if len(scale.slopes):
            moved = graph.node("Sub", prediction, graph.constant(scale.knots[:-1]))
            rises = graph.node("Div", moved, graph.constant(np.diff(scale.knots)))
            rises = graph.node("Clip", rises, graph.constant(0.0), graph.constant(1.0))
            product = graph.node("MatMul", rises, graph.constant(scale.slopes[:, None]))
            column = graph.node("Add", column, product)
        limits = (graph.constant(limit) for limit in scale.limits)
        width = graph.node("Exp", graph.node("Clip", column, *limits))
        factor = graph.constant(intervals.quantiles[c].at(confidence_level))
        columns.append(graph.node("Mul", width, factor))
    return graph.node("Concat", *columns, axis=1)


def _without_gaps(vectors, coef, counts):
    """Return vectors, coefficients and their numbers by class, with a vector for each class."""
    at = np.cumsum(counts)[counts == 0]
    centre = vectors.mean(axis=0) if len(vectors) else 0.0
    vectors, coef = np.insert(vectors, at, centre, axis=0), np.insert(coef, at, 0.0, axis=1)
    return vectors, coef, np.maximum(counts, 1)


def _sums_of_pairs(graph, values, coef, counts):
    """Add up kernel values for each pair of classes.

    The vectors of a class have coefficients in the pairs of this class only, so this takes fewer
    multiplications than a matrix of coefficients for all pairs. ``counts``: vectors by class.
    """
    n_classes, ends = len(counts), np.cumsum(counts)
    parts = [graph.scope.get_unique_variable_name("of_class") for _ in counts]
    graph.node("Split", values, graph.constant(counts), output=parts, axis=1)
    products = [
        graph.node("MatMul", part, graph.constant(coef[:, end - n : end].T))
        for part, n, end in zip(parts, counts, ends, strict=True)
    ]
    products = graph.node("Concat", *products, axis=1)
    first, second = np.array(list(combinations(range(n_classes), 2))).T
    # Column r of the vectors of class c belongs to the pair (r, c) if r < c, else to (c, r + 1).
    places = first * (n_classes - 1) + second - 1, second * (n_classes - 1) + first
    return graph.node(
        "Add", *(graph.node("Gather", products, graph.constant(at), axis=1) for at in places)
    )


def _is_one_vs_one(model):
    return getattr(model, "_is_one_vs_one", False)


def _votes(graph, values, model):
    """Return class codes and decision values, given the values of pairs of classes."""
    pairs = np.array([*combinations(range(len(model.classes_)), 2)])
    sides = np.zeros((len(pairs), len(model.classes_)))
    sides[np.arange(len(pairs)), pairs[:, 0]] = 1.0
    sides[np.arange(len(pairs)), pairs[:, 1]] = -1.0

    def votes(is_first):
        changes = graph.node("MatMul", graph.node("Cast", is_first, to=_DOUBLE), of_pairs)
        return graph.node("Add", changes, graph.constant((sides < 0.0).sum(axis=0) * 1.0))

    of_pairs, zero = graph.constant(sides), graph.constant(0.0)
    scores = values
    if model.decision_function_shape == "ovr":  # as in ClassTargets.of_classes
        sums = graph.node("MatMul", values, of_pairs)
        sizes = graph.node("Add", graph.node("Abs", sums), graph.constant(1.0))
        shares = graph.node("Div", sums, graph.node("Mul", sizes, graph.constant(3.0)))
        not_second = graph.node("Not", graph.node("Less", values, zero))
        scores = graph.node("Add", votes(not_second), shares)
    decisive = (
        scores
        if model.break_ties and model.decision_function_shape == "ovr"
        else votes(graph.node("Greater", values, zero))
    )
    return graph.node("ArgMax", decisive, axis=1, keepdims=0), scores


def _local_scores(graph, X, model):
    """Add the local scores of the nearest prototypes, weighted by inverse distances."""
    n_found, n_problems, n_features = model.local_coef_.shape
    distances = _squared_distances(graph, X, model.prototypes_.astype(np.float64))
    # A sample at a prototype: the inverse of its distance is finite, and exceeds all others.
    distances = graph.node("Max", distances, graph.constant(1e-300))
    inverse = graph.node("Reciprocal", graph.node("Sqrt", distances))
    m = min(model._params_in_use()["n_neighbors"], n_found)
    values, nearest = (graph.scope.get_unique_variable_name(name) for name in ("near", "which"))
    graph.node("TopK", inverse, graph.constant([m]), output=[values, nearest], axis=1)
    shares = graph.node("Div", values, _sum(graph, values, axis=1))
    # Shares of all prototypes: 0 unless they are near.
    last = graph.constant([2])
    near = graph.node(
        "Equal", graph.node("Unsqueeze", nearest, last), graph.constant(range(n_found))
    )
    shares = graph.node(
        "Mul", graph.node("Unsqueeze", shares, last), graph.node("Cast", near, to=_DOUBLE)
    )
    shares = graph.node("ReduceSum", shares, graph.constant([1]), keepdims=0)
    weights = graph.node("Unsqueeze", shares, last)
    coef, intercept = model.local_coef_.reshape(-1, n_features), model.local_intercept_.ravel()
    local = graph.node(
        "Reshape",
        _linear_scores(graph, X, coef, intercept),
        graph.constant([-1, n_found, n_problems]),
    )
    local = graph.node(
        "ReduceSum", graph.node("Mul", local, weights), graph.constant([1]), keepdims=0
    )
    common = _linear_scores(graph, X, model.common_coef_, model.common_intercept_)
    return graph.node("Add", common, local)


def _weights(model):
    """Weights and intercepts of a linear model."""
    return np.atleast_2d(model.coef_).astype(np.float64), model.intercept_


def _check(model):
    """Raise an error unless the model is a sum of known kernel functions, or linear."""
    name = type(model).__name__
    known = _kernel_of(model)
    if known not in ("linear", "rbf", "poly", "laplacian"):
        raise ValueError(
            f"{name} with kernel={known!r} cannot be converted to ONNX; only linear, rbf, poly "
            "and laplacian kernels can."
        )
    if getattr(model, "average", None) == "vote":
        raise ValueError(f"{name} with average='vote' cannot be converted to ONNX.")


def _scores(graph, X, model):
    _check(model)
    if isinstance(model, linear.LocalOnlineClassifier):
        return _local_scores(graph, X, model)
    if _kernel_of(model) == "linear":
        return _linear_scores(graph, X, *_weights(model))
    return _kernel_scores(graph, X, model)


def _map_of(model):
    """Return the map from scores to probabilities, or None."""
    if isinstance(model, calibration.OnlineCalibratedClassifier):
        return model._window.map_of(model._params_in_use()["window_size"])
    if isinstance(model, kernel.CompressedClassifier) or getattr(model, "probability", False):
        return model._solution_and_map()[1]
    return None


def _softplus(graph, values):
    """Write log(1 + exp(values)); onnxruntime has no Softplus in double precision."""
    small = graph.node("Exp", graph.node("Neg", graph.node("Abs", values)))
    rest = graph.node("Log", graph.node("Add", small, graph.constant(1.0)))
    return graph.node("Add", graph.node("Max", values, graph.constant(0.0)), rest)


def _spline(graph, scores, spline):
    """Write the log-odds: a line, whose slope changes smoothly at the knots."""
    scores = graph.node("Mul", scores, graph.constant(1.0 / spline.scale))
    moved = graph.node("Sub", scores, graph.constant(KNOTS))
    beyond = _softplus(graph, graph.node("Mul", moved, graph.constant(1.0 / WIDTH)))
    changes = np.diff(spline.slopes_)[:, np.newaxis]
    bends = graph.node("MatMul", beyond, graph.constant(WIDTH * changes))
    line = graph.node("Mul", scores, graph.constant(spline.slopes_[0]))
    sums = graph.node("Add", line, bends)
    return graph.node("Add", sums, graph.constant(spline.intercept_))


def _spline_of_pairs(graph, values, coupling):
    """Write the log-odds of the first class of each pair; a spline for each column."""
    slopes = coupling.pair_slopes_
    line = graph.node("Mul", values, graph.constant(slopes[0]))
    log_odds = graph.node("Add", line, graph.constant(coupling.pair_intercepts_))
    for knot, change in zip(KNOTS, np.diff(slopes, axis=0), strict=True):
        moved = graph.node("Sub", values, graph.constant(knot))
        beyond = _softplus(graph, graph.node("Mul", moved, graph.constant(1.0 / WIDTH)))
        bend = graph.node("Mul", beyond, graph.constant(WIDTH * change))
        log_odds = graph.node("Add", log_odds, bend)
    return log_odds


def _coupled(graph, log_odds, n_classes):
    """Write the probabilities of ``calibration._maps.coupled``."""
    n, (first, second) = n_classes, np.triu_indices(n_classes, 1)
    log_odds = graph.node(
        "Clip", log_odds, graph.constant(-LARGEST_ODDS), graph.constant(LARGEST_ODDS)
    )
    of_first, one = graph.node("Sigmoid", log_odds), graph.constant(1.0)
    r = graph.node("Concat", of_first, graph.node("Sub", one, of_first), axis=1)
    # The column after the matrix is the right-hand side, where the products are 0.
    places, transposed = np.zeros((2, n, n + 1), dtype=np.int64)
    places[first, second] = transposed[second, first] = np.arange(len(first))
    places[second, first] = transposed[first, second] = len(first) + np.arange(len(first))
    is_pair = np.ones((n, n + 1)) - np.eye(n, n + 1)
    is_pair[:, n] = 0.0
    matrix = graph.node("Gather", r, graph.constant(places), axis=1)
    matrix = graph.node("Mul", matrix, graph.constant(is_pair))
    other = graph.node("Gather", r, graph.constant(transposed), axis=1)
    squares = _sum(graph, graph.node("Mul", matrix, matrix), axis=1)
    products = graph.node("Sub", one, graph.node("Mul", matrix, other))
    diagonal = graph.node("Mul", squares, graph.constant(np.eye(n, n + 1)))
    system = graph.node("Add", products, diagonal)
    p = graph.node("Max", _solution(graph, system, n), graph.constant(0.0))  # but for rounding
    return graph.node("Div", p, _sum(graph, p, axis=1))


def _solution(graph, system, n):
    """Write the solution of n linear equations, given the matrix and the right-hand side.

    ``system`` has shape (n_samples, n, n + 1). Gauss-Jordan elimination without pivoting, which
    is stable for positive definite matrices; a step removes the first column.
    """
    for k in range(n):
        parts = [graph.scope.get_unique_variable_name(name) for name in ("column", "rest")]
        graph.node("Split", system, graph.constant([1, n - k]), output=parts, axis=2)
        column, rest = parts
        pivot = graph.node("Gather", column, graph.constant([k]), axis=1)
        row = graph.node("Div", graph.node("Gather", rest, graph.constant([k]), axis=1), pivot)
        # The k-th row becomes that row itself.
        factors = graph.node("Sub", column, graph.constant(np.eye(n)[:, k : k + 1]))
        system = graph.node("Sub", rest, graph.node("Mul", factors, row))
    return graph.node("Squeeze", system, graph.constant([2]))


def _probabilities(graph, scores, fitted):
    if isinstance(fitted, CouplingMap):
        p = _coupled(graph, _spline_of_pairs(graph, scores, fitted), len(fitted.slopes_))
        scores = graph.node("Log", graph.node("Max", p, graph.constant(SMALLEST)))
    if isinstance(fitted, MultinomialMap | CouplingMap):
        logits = graph.node("Mul", scores, graph.constant(fitted.slopes_))
        logits = graph.node("Add", logits, graph.constant(fitted.intercepts_))
    elif isinstance(fitted, SplineMap):
        logits = _spline(graph, scores, fitted)
        logits = graph.node(
            "Concat", graph.node("Mul", logits, graph.constant(0.0)), logits, axis=1
        )
    else:
        raise TypeError(f"unknown map {type(fitted).__name__}")
    return graph.node("Softmax", logits, axis=1)


def _encoded(classes):
    """Return the labels in a type that ONNX has."""
    if classes.dtype.kind in "biu" and int(classes[-1]) < 2**63:
        return classes.astype(np.int64)
    labels = classes.tolist()
    if all(isinstance(label, str) for label in labels):
        return np.array(labels, dtype=object)
    raise ValueError(
        "Labels must be integers below 2**63, booleans or strings for a conversion to ONNX, got "
        f"{labels[:5]!r}."
    )


def _decides(model):
    """Return whether the outputs are labels and scores."""
    return is_classifier(model) or is_outlier_detector(model)


def _labels(model):
    return np.array([-1, 1]) if is_outlier_detector(model) else _encoded(model.classes_)


def _precision(source):
    """Return the type of real outputs for this input, as skl2onnx does."""
    return DoubleTensorType if isinstance(source.type, DoubleTensorType) else FloatTensorType


def _is_nested(operator):
    """Return whether an estimator of scikit-learn declared the outputs, not `_parse`."""
    return operator.outputs[-1].raw_name not in ("variable", "scores", "probabilities")


def _shapes(operator):
    """Types and shapes of the outputs."""
    model = _trained(operator.raw_operator)
    n, real = operator.inputs[0].get_first_dimension(), _precision(operator.inputs[0])
    if not _decides(model):
        for output in operator.outputs:
            output.type = real([n, getattr(model, "n_outputs_", 1)])
        return
    labels = _labels(model)
    kind = Int64TensorType if labels.dtype.kind == "i" else StringTensorType
    operator.outputs[0].type = kind([n])
    n_columns = 1 if len(labels) == 2 and not _is_nested(operator) else len(labels)
    if _is_one_vs_one(model) and model.decision_function_shape == "ovo":
        n_columns = len(labels) * (len(labels) - 1) // 2
    operator.outputs[1].type = real([n, n_columns])
    for probabilities in operator.outputs[2:]:
        probabilities.type = real([n, len(labels)])


def _trained(model):
    """Return the estimator that predicts."""
    while isinstance(model, _WRAPPERS):
        model = model.estimator_
    return model


def _parse(scope, model, inputs, custom_parsers=None):
    """Declare the outputs."""
    operator = scope.declare_local_operator(_alias(type(model)), model)
    operator.inputs = list(inputs)
    names = ["variable"] + ["lower", "upper"] * getattr(model, "intervals", False)
    if _decides(model):
        names = ["label", "scores"] + ["probabilities"] * (_map_of(model) is not None)
    for name in names:
        kind = Int64TensorType if name == "label" else _precision(inputs[0])
        operator.outputs.append(scope.declare_local_variable(name, kind()))
    return operator.outputs


def _convert(scope, operator, container):
    """Write the graph of a model."""
    whole = copy.deepcopy(operator.raw_operator)  # another thread may be training the model
    model, source = _trained(whole), operator.inputs[0]
    graph = _Graph(scope, container, isinstance(source.type, FloatTensorType))
    real = _DOUBLE if _precision(source) is DoubleTensorType else _SINGLE
    X = source.full_name
    if isinstance(source.type, BooleanTensorType):
        X = graph.node("Cast", X, to=_INT64)
    X = graph.node("Cast", X, to=_DOUBLE)
    scores = _scores(graph, X, model)
    if not _decides(model):
        outputs = [scores]
        if len(operator.outputs) > 1:
            options = container.get_options(operator.raw_operator, {"confidence_level": 0.9})
            level = options["confidence_level"]
            check_confidence_level(level, True, "to_onnx")
            half = _half_widths(graph, X, scores, model, level)
            outputs += [graph.node("Sub", scores, half), graph.node("Add", scores, half)]
        for value, output in zip(outputs, operator.outputs, strict=True):
            graph.node("Cast", value, output=output.full_name, to=real)
        return
    labels, values = _labels(model), scores
    if _is_one_vs_one(model):
        code, scores = _votes(graph, values, model)
    elif len(labels) == 2:
        positive = graph.node("Greater", scores, graph.constant(0.0))
        code = graph.node("Squeeze", graph.node("Cast", positive, to=_INT64), graph.constant([1]))
    else:
        code = graph.node("ArgMax", scores, axis=1, keepdims=0)
    graph.node("Gather", graph.constant(labels), code, output=operator.outputs[0].full_name)
    for output in operator.outputs[2:]:
        p = _probabilities(graph, values, _map_of(whole))
        graph.node("Cast", p, output=output.full_name, to=real)
    if _is_nested(operator):
        name = type(operator.raw_operator).__name__
        if not container.get_options(operator.raw_operator, {"raw_scores": False})["raw_scores"]:
            raise ValueError(
                f"{name} cannot be converted to ONNX within an estimator that uses its "
                "probabilities. If this estimator can use decision values, convert it with "
                "options={id(estimator): {'raw_scores': True}}."
            )
        if len(labels) == 2:
            scores = graph.node("Concat", graph.node("Neg", scores), scores, axis=1)
    graph.node("Cast", scores, output=operator.outputs[1].full_name, to=real)


def _alias(kind):
    return f"SklearnOnlineSvm{kind.__name__}"


_WRAPPERS = (active.LabelEfficientClassifier, calibration.OnlineCalibratedClassifier)
_CONVERTED = (
    *_WRAPPERS,
    kernel.LASVC,
    kernel.LASVR,
    kernel.ActiveLASVC,
    kernel.CompressedClassifier,
    kernel.KernelAROWClassifier,
    kernel.KernelPassiveAggressiveClassifier,
    kernel.KernelPerceptronClassifier,
    kernel.OneClassLASVM,
    kernel.RampSVC,
    kernel.VirtualLASVC,
    linear.AdvicePassiveAggressiveClassifier,
    linear.AROWClassifier,
    linear.ConfidenceWeightedClassifier,
    linear.LocalOnlineClassifier,
    linear.CostSensitivePassiveAggressiveClassifier,
    linear.PassiveAggressiveClassifier,
    linear.PassiveAggressiveRegressor,
    linear.PerceptronClassifier,
    linear.SCWClassifier,
    linear.SecondOrderPerceptronClassifier,
)
# Outputs are arrays; estimators that contain a model set raw_scores.
_OPTIONS = {"zipmap": [False], "raw_scores": [True, False], "confidence_level": None}
for _kind in _CONVERTED:
    update_registered_converter(
        _kind, _alias(_kind), _shapes, _convert, parser=_parse, options=_OPTIONS
    )


def _metric_shapes(operator):
    """Type and shape of transformed samples."""
    source, metric = operator.inputs[0], operator.raw_operator
    n = source.get_first_dimension()
    operator.outputs[0].type = _precision(source)([n, len(metric.widths_)])


def _convert_metric(scope, operator, container):
    """Write the graph of a KernelMetric of numbers."""
    metric, source = operator.raw_operator, operator.inputs[0]
    if metric._columns.one_hot is not None:
        raise ValueError(
            "KernelMetric with categorical columns cannot be converted to ONNX. Encode them "
            "before."
        )
    graph = _Graph(scope, container, isinstance(source.type, FloatTensorType))
    X = graph.node("Cast", source.full_name, to=_DOUBLE)
    columns = []
    for column, (values, scores) in enumerate(metric._columns.knots):
        x = graph.node("Gather", X, graph.constant([column]), axis=1)
        columns.append(_interpolated(graph, x, values.astype(np.float64), scores))
    Z = graph.node("Concat", *columns, axis=1)
    factors = metric._factors
    kind = "Mul" if factors.ndim == 1 else "MatMul"
    Z = graph.node(kind, Z, graph.constant(factors.T))
    real = _DOUBLE if _precision(source) is DoubleTensorType else _SINGLE
    graph.node("Cast", Z, output=operator.outputs[0].full_name, to=real)


def _interpolated(graph, x, values, scores):
    """Interpolate between the entries of a table; ``x`` is a column."""
    x = graph.node("Max", x, graph.constant(values[0]))
    x = graph.node("Min", x, graph.constant(values[-1]))
    if len(values) == 1:
        return graph.node("Sub", x, x)
    not_below = graph.node("Not", graph.node("Less", x, graph.constant(values[1:-1])))
    at = _sum(graph, graph.node("Cast", not_below, to=_INT64), axis=1)
    below, start, slope = (
        graph.node("Gather", graph.constant(table), at)
        for table in (values[:-1], scores[:-1], np.diff(scores) / np.diff(values))
    )
    return graph.node("Add", start, graph.node("Mul", slope, graph.node("Sub", x, below)))


update_registered_converter(
    kernel.KernelMetric, _alias(kernel.KernelMetric), _metric_shapes, _convert_metric
)
# skl2onnx parses subclasses of Pipeline, but wants a name for each.
update_registered_converter(
    OnlinePipeline,
    _alias(OnlinePipeline),
    pipeline_shape_calculator,
    convert_pipeline,
    options="passthrough",
)
