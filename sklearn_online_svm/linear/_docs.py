"""Parts of docstrings that several linear models share."""

from functools import partial

from .._docs import SHARED, filled_docs

_N_ITER = """\
n_iter_ : int
    Number of epochs made by ``fit``; 1 after ``partial_fit``.
t_ : float
    1 plus the number of samples processed since the start of ``fit``, over all epochs."""

_FEATURES = """\
n_features_in_ : int
    Number of features seen during ``fit``.
feature_names_in_ : ndarray of shape (n_features,)
    Names of features seen during ``fit``. Defined only when X has feature names that are all
    strings."""

_CLASSES = """\
classes_ : ndarray of shape (n_classes,)
    Class labels."""

_INTERCEPT = """\
intercept_ : ndarray of shape (1,) or (n_classes,)
    Intercept of each decision function; 0 without ``fit_intercept``."""

_COVARIANCE = """\
covariance_ : ndarray of shape (n_problems, D) or (n_problems, D, D)
    Variances ("diag") or covariance matrices ("full") of the weights. D is n_features, or
    n_features + 1 with an intercept, which comes last. n_problems is 1 for two classes, else
    n_classes."""

_CLASS_WEIGHT = """\
class_weight : dict, "balanced" or None, default=None
    Weights associated with classes; the weight of a sample is that of its class times its
    ``sample_weight``. See Notes for the effect of weights. ``"balanced"`` (``fit`` only) is
    ``n / (n_classes * n_c)``, where n and n_c are sums of sample weights. Classes that are
    not in the dict have weight 1; labels that are not among the classes are ignored, unless
    none is, which raises an error."""

_TOL = """\
max_iter : int, default=1000
    Maximum number of passes over the training data (epochs) in ``fit``. ``partial_fit``
    always runs one epoch.
tol : float or None, default=1e-3
    Stopping criterion of ``fit``. Training stops when the mean loss per sample has not fallen
    below the lowest loss so far by at least ``tol`` (with ``early_stopping``: when the
    validation score has not risen by ``tol``) for ``n_iter_no_change`` consecutive epochs. If
    None, ``fit`` runs ``max_iter`` epochs."""

_VALIDATION = """\
validation_fraction : float, default=0.1
    The proportion of training data to set aside as validation set for early stopping. Used
    only with ``early_stopping=True``.
n_iter_no_change : int, default=5
    Number of consecutive epochs with no improvement after which ``fit`` stops.
shuffle : bool, default=True
    Whether ``fit`` shuffles the training data in each epoch. ``partial_fit`` never shuffles.
verbose : int, default=0
    The verbosity level. 1 prints a line for each epoch."""

_RANDOM_STATE = """\
random_state : int, RandomState instance or None, default=None
    Controls the shuffling of the training data and the choice of the validation data."""

_WARM_START = """\
warm_start : bool, default=False
    Whether ``fit`` continues from the current model. The counts of samples start again at 0."""

_SHARED = SHARED | {
    "samples": """Parameters
----------
X : {array-like, sparse matrix} of shape (n_samples, n_features)
    The samples.""",
    "not_fitted": """Raises
------
NotFittedError
    If the model is not fitted.""",
    "fit_of_classes": """Parameters
----------
X : {array-like, sparse matrix} of shape (n_samples, n_features)
    Training data. float32 and float64 arrays are used without conversion.
y : array-like of shape (n_samples,)
    Target class labels.
sample_weight : array-like of shape (n_samples,), default=None
    Sample weights; see Notes for their effect.
    Samples of weight 0 cause no update; averages count them, as in scikit-learn.""",
    "fitted_classes": """$fitted_self

Raises
------
ValueError
    If the input is invalid or has fewer than two classes. The model is then unchanged.""",
    "eta": r"""eta : float, default=0.7
    Probability, in (0.5, 1), with which a sample is to be classified correctly after the
    update. :math:`\phi` below is the :math:`\eta`-quantile of the normal distribution.""",
    "covariance": """covariance : {"diag", "full"}, default="diag"
    "diag" keeps a variance for each weight and needs twice the memory of a first-order model.
    "full" keeps the full covariance matrix: with D features, memory and the cost of each
    sample that may cause an update are proportional to D * D for each class.""",
    "fit_intercept": """fit_intercept : bool, default=True
    Whether to fit the intercept, as the weight of an additional feature that is always 1. This
    weight has a variance of its own.""",
    "constant_feature": """fit_intercept : bool, default=True
    Whether to fit the intercept, as the weight of an additional constant feature.
intercept_scaling : float or "auto", default="auto"
    Value s of the constant feature. With a smaller value the intercept changes more slowly.
    "auto" is 1 for dense and 0.1 for sparse samples; see Notes.""",
    "average": """average : bool or int, default=False
    Whether to predict with the average of the weights over all samples, which varies much less
    than the last weights. If an integer n greater than 1, averaging begins with sample n.
    Needs a second array of the size of the weights.""",
    "multi_class": """multi_class : {"ovr", "crammer_singer"}, default="ovr"
    Strategy for more than two classes: "ovr" trains each class against the rest,
    "crammer_singer" trains all classes jointly; see Notes.""",
    "epochs": f"""{_TOL}
early_stopping : bool, default=False
    Whether ``fit`` sets aside a stratified fraction of the training data as validation data
    and stops when the validation accuracy is not improving.
{_VALIDATION}
{_RANDOM_STATE}""",
    "regression_epochs": f"""{_TOL}
early_stopping : bool, default=False
    Whether ``fit`` sets aside a fraction of the training data as validation data and stops
    when the validation :math:`R^2` is not improving.
{_VALIDATION}
{_RANDOM_STATE}
{_WARM_START}""",
    "class_weight": _CLASS_WEIGHT,
    "weighted_fit": f"{_WARM_START}\n{_CLASS_WEIGHT}",
    "classes": _CLASSES,
    "model": f"""{_CLASSES}
coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    Weights of the features, with the dtype of X (float32 or float64). With ``average``, their
    average. A sparse matrix after ``sparsify``.
{_INTERCEPT}""",
    "gaussian": f"""{_CLASSES}
coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    Means of the weights, with the dtype of X (float64 with ``covariance="full"``). A sparse
    matrix after ``sparsify``.
{_INTERCEPT}
{_COVARIANCE}""",
    "covariance_attribute": _COVARIANCE,
    "start_and_diagonal": r"""The initial values are :math:`\mu = 0` and :math:`\Sigma = I`.

``covariance="diag"`` keeps only the diagonal: :math:`x^\top \Sigma x = \sum_j s_j x_j^2` and
:math:`s_j \leftarrow s_j - \beta s_j^2 x_j^2`. The off-diagonal part of an update is dropped.

**Multiclass.** Each class is trained against the rest.""",
    "counts": f"""{_N_ITER}
n_updates_ : int
    Number of samples that changed the weights since the start of ``fit``, over all epochs.
{_FEATURES}""",
    "n_iter": _N_ITER,
    "features": _FEATURES,
}
_SHARED["auto_epochs"] = _SHARED["epochs"].replace(
    """max_iter : int, default=1000
    Maximum number of passes over the training data (epochs) in ``fit``.""",
    """max_iter : int or "auto", default="auto"
    Maximum number of passes over the training data (epochs) in ``fit``. "auto": at most 1000
    epochs. With at least 1000 samples, training stops after two to four epochs if further ones
    would only overfit, as is common with texts. This check is not made with ``tol=None``, which
    runs 1000 epochs, or ``early_stopping=True``. See the :ref:`user guide <linear_epochs>`.""",
)
_SHARED["epochs_as_in_sklearn"] = _SHARED["epochs"].replace(
    "random_state : int",
    """n_jobs : int or None, default=None
    Has no effect: all classes are trained in one thread, in the same loop over the samples.
    The parameter exists for compatibility with scikit-learn.
random_state : int""",
)
_SHARED["full_covariance"] = _SHARED["covariance"].replace('default="diag"', 'default="full"')

with_shared_docs = partial(filled_docs, parts=_SHARED)
