"""Conversion of fitted models to ONNX with skl2onnx.

Importing this module registers converters for all classifiers and regressors of the package with
skl2onnx, also for use within a :class:`~sklearn.pipeline.Pipeline` or
:class:`~sklearn_online_svm.pipeline.OnlinePipeline`::

    import sklearn_online_svm.onnx
    from skl2onnx import to_onnx

    onnx_model = to_onnx(model, X[:1])

The outputs of a classifier are ``label``; ``scores``, the values of ``decision_function`` with one
column for each binary problem (one column in total for two classes); and, if the model has
``predict_proba``, ``probabilities``. The output of a regressor is ``variable``. Scores are
computed in double precision, whatever the type of the input.

A ``ValueError`` is raised for callable, precomputed and sigmoid kernels, for ``average="vote"``,
and for labels other than integers, booleans and strings.
"""

import numpy as np
from scipy.sparse import issparse
from skl2onnx import update_registered_converter
from skl2onnx.common.data_types import (
    BooleanTensorType,
    DoubleTensorType,
    Int64TensorType,
    StringTensorType,
)
from skl2onnx.operator_converters.pipelines import convert_pipeline
from skl2onnx.proto import onnx_proto
from skl2onnx.shape_calculators.pipelines import pipeline_shape_calculator
from sklearn.base import is_classifier

from . import active, calibration, kernel, linear
from .calibration._maps import KNOTS, WIDTH, MultinomialMap, SplineMap
from .kernel._probabilities import fitted_map
from .pipeline import OnlinePipeline

__all__ = []

_DOUBLE = onnx_proto.TensorProto.DOUBLE
_INT64 = onnx_proto.TensorProto.INT64
_STRING = onnx_proto.TensorProto.STRING


class _Graph:
    """Nodes and constants of one converted model."""

    def __init__(self, scope, container):
        self.scope, self.container = scope, container

    def constant(self, value):
        name = self.scope.get_unique_variable_name("constant")
        value = np.asarray(value)
        if value.dtype.kind == "f":
            kind, values = _DOUBLE, value.astype(np.float64).ravel()
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


def _squared_distances(graph, X, vectors):
    # Shifted to the mean of the vectors, which reduces the rounding of the squares.
    centre = vectors.mean(axis=0)
    moved = graph.node("Sub", X, graph.constant(centre))
    vectors = vectors - centre
    squares = _sum(graph, graph.node("Mul", moved, moved), axis=1)
    product = graph.node("MatMul", moved, graph.constant(-2.0 * vectors.T))
    lengths = graph.constant(np.square(vectors).sum(axis=1))
    distances = graph.node("Add", graph.node("Add", product, squares), lengths)
    return graph.node("Max", distances, graph.constant(0.0))


def _rbf(graph, X, vectors, gamma):
    distances = _squared_distances(graph, X, vectors)
    return graph.node("Exp", graph.node("Mul", distances, graph.constant(-gamma)))


def _poly(graph, X, vectors, gamma, coef0, degree):
    product = graph.node("MatMul", X, graph.constant(gamma * vectors.T))
    return graph.node(
        "Pow", graph.node("Add", product, graph.constant(coef0)), graph.constant(float(degree))
    )


def _kernel_scores(graph, X, model):
    vectors = model.support_vectors_
    vectors = np.asarray(vectors.toarray() if issparse(vectors) else vectors, dtype=np.float64)
    if model.kernel == "rbf":
        values = _rbf(graph, X, vectors, model.gamma_)
    else:
        values = _poly(graph, X, vectors, model.gamma_, float(model.coef0), model.degree)
    return _linear_scores(graph, values, model.dual_coef_, model.intercept_)


def _local_scores(graph, X, model):
    """Add the local scores of the nearest prototypes, weighted by inverse distances."""
    n_found, n_problems, n_features = model.local_coef_.shape
    distances = _squared_distances(graph, X, model.prototypes_.astype(np.float64))
    # A sample at a prototype: the inverse of its distance is finite, and exceeds all others.
    distances = graph.node("Max", distances, graph.constant(1e-300))
    inverse = graph.node("Reciprocal", graph.node("Sqrt", distances))
    m = min(model.n_neighbors, n_found)
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
    """Weights and intercepts of a linear model; those of a scaler are included."""
    if not isinstance(model, linear.ScaledAdviceClassifier):
        return np.atleast_2d(model.coef_).astype(np.float64), model.intercept_
    # Scalers are affine.
    n_features = model.n_features_in_
    shift, unit = model.scaler_.transform(np.repeat([[0.0], [1.0]], n_features, axis=1))
    coef, intercept = _weights(model.estimator_)
    return coef * (unit - shift), intercept + coef @ shift


def _check(model):
    """Raise an error unless the model is a sum of known kernel functions, or linear."""
    name = type(model).__name__
    known = getattr(model, "kernel", "linear")
    if known not in ("linear", "rbf", "poly"):
        raise ValueError(
            f"{name} with kernel={known!r} cannot be converted to ONNX; only linear, rbf and poly "
            "kernels can."
        )
    if getattr(model, "average", None) == "vote":
        raise ValueError(f"{name} with average='vote' cannot be converted to ONNX.")


def _scores(graph, X, model):
    _check(model)
    if isinstance(model, linear.LocalOnlineClassifier):
        return _local_scores(graph, X, model)
    if getattr(model, "kernel", "linear") == "linear":
        return _linear_scores(graph, X, *_weights(model))
    return _kernel_scores(graph, X, model)


def _map_of(model):
    """Return the map from scores to probabilities, or None."""
    if isinstance(model, calibration.OnlineCalibratedClassifier):
        return model._window.map_of(model.window_size)
    if isinstance(model, kernel.CompressedClassifier):
        return model._probability_map()
    if getattr(model, "probability", False):
        return fitted_map(model, model._samples)
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


def _probabilities(graph, scores, fitted, output):
    if isinstance(fitted, MultinomialMap):
        logits = graph.node("Mul", scores, graph.constant(fitted.slopes_))
        logits = graph.node("Add", logits, graph.constant(fitted.intercepts_))
    elif isinstance(fitted, SplineMap):
        logits = _spline(graph, scores, fitted)
        logits = graph.node(
            "Concat", graph.node("Mul", logits, graph.constant(0.0)), logits, axis=1
        )
    else:
        raise TypeError(f"unknown map {type(fitted).__name__}")
    graph.node("Softmax", logits, output=output, axis=1)


def _encoded(classes):
    """Return the labels in a type that ONNX has."""
    if classes.dtype.kind in "biu":
        return classes.astype(np.int64)
    labels = classes.tolist()
    if all(isinstance(label, str) for label in labels):
        return np.array(labels, dtype=object)
    raise ValueError(
        "Labels must be integers, booleans or strings for a conversion to ONNX, got "
        f"{labels[:5]!r}."
    )


def _shapes(operator):
    """Types and shapes of the outputs."""
    model = _trained(operator.raw_operator)
    n = operator.inputs[0].get_first_dimension()
    if not is_classifier(model):
        operator.outputs[0].type = DoubleTensorType([n, 1])
        return
    labels = _encoded(model.classes_)
    kind = Int64TensorType if labels.dtype.kind == "i" else StringTensorType
    operator.outputs[0].type = kind([n])
    n_problems = 1 if len(labels) == 2 else len(labels)
    operator.outputs[1].type = DoubleTensorType([n, n_problems])
    for probabilities in operator.outputs[2:]:
        probabilities.type = DoubleTensorType([n, len(labels)])


def _trained(model):
    """Return the estimator that predicts."""
    while isinstance(model, _WRAPPERS):
        model = model.estimator_
    return model


def _parse(scope, model, inputs, custom_parsers=None):
    """Declare the outputs."""
    operator = scope.declare_local_operator(_alias(type(model)), model)
    operator.inputs = list(inputs)
    if is_classifier(model):
        names = ["label", "scores"]
        kinds = [Int64TensorType(), DoubleTensorType()]
        if _map_of(model) is not None:
            names.append("probabilities")
            kinds.append(DoubleTensorType())
    else:
        names, kinds = ["variable"], [DoubleTensorType()]
    for name, kind in zip(names, kinds, strict=True):
        operator.outputs.append(scope.declare_local_variable(name, kind))
    return operator.outputs


def _convert(scope, operator, container):
    """Write the graph of a model."""
    graph, model = _Graph(scope, container), _trained(operator.raw_operator)
    source = operator.inputs[0]
    X = source.full_name
    if isinstance(source.type, BooleanTensorType):
        X = graph.node("Cast", X, to=_INT64)
    X = graph.node("Cast", X, to=_DOUBLE)
    scores = _scores(graph, X, model)
    if not is_classifier(model):
        graph.node("Identity", scores, output=operator.outputs[0].full_name)
        return
    graph.node("Identity", scores, output=operator.outputs[1].full_name)
    for probabilities in operator.outputs[2:]:
        _probabilities(graph, scores, _map_of(operator.raw_operator), probabilities.full_name)
    labels = _encoded(model.classes_)
    if len(labels) == 2:
        positive = graph.node("Greater", scores, graph.constant(0.0))
        code = graph.node("Squeeze", graph.node("Cast", positive, to=_INT64), graph.constant([1]))
    else:
        code = graph.node("ArgMax", scores, axis=1, keepdims=0)
    graph.node("Gather", graph.constant(labels), code, output=operator.outputs[0].full_name)


def _alias(kind):
    return f"SklearnOnlineSvm{kind.__name__}"


_WRAPPERS = (active.LabelEfficientClassifier, calibration.OnlineCalibratedClassifier)
_CONVERTED = (
    *_WRAPPERS,
    kernel.LASVC,
    kernel.ActiveLASVC,
    kernel.CompressedClassifier,
    kernel.KernelAROWClassifier,
    kernel.KernelPassiveAggressiveClassifier,
    kernel.KernelPerceptronClassifier,
    kernel.RampSVC,
    kernel.VirtualLASVC,
    linear.AdvicePassiveAggressiveClassifier,
    linear.AROWClassifier,
    linear.ConfidenceWeightedClassifier,
    linear.LocalOnlineClassifier,
    linear.ScaledAdviceClassifier,
    linear.CostSensitivePassiveAggressiveClassifier,
    linear.PassiveAggressiveClassifier,
    linear.PassiveAggressiveRegressor,
    linear.PerceptronClassifier,
    linear.SCWClassifier,
    linear.SecondOrderPerceptronClassifier,
)
for _kind in _CONVERTED:
    update_registered_converter(_kind, _alias(_kind), _shapes, _convert, parser=_parse)
# skl2onnx parses subclasses of Pipeline, but wants a name for each.
update_registered_converter(
    OnlinePipeline,
    _alias(OnlinePipeline),
    pipeline_shape_calculator,
    convert_pipeline,
    options="passthrough",
)
