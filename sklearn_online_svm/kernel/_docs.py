"""Parts of docstrings that several kernel models share."""

from functools import partial

from .._docs import SHARED, filled_docs

_SHARED = SHARED | {
    "degree": """degree : int, default=3
    Degree of the polynomial kernel function ("poly"). Ignored by all other kernels.""",
    "coef0": """coef0 : float, default=0.0
    Independent term in the kernel function. Only significant in "poly" and "sigmoid".""",
    "gamma_in_use": """gamma_ : float
    Value of gamma in use.""",
    "class_weight": """class_weight : dict, "balanced" or None, default=None
    Weights associated with classes; the weight of a sample is that of its class times its
    ``sample_weight``. Classes that are not in the dict have weight one; labels that are not
    among the classes are ignored, unless none is, which raises an error. ``"balanced"``
    (``fit`` only) uses weights inversely proportional to class frequencies,
    ``n_samples / (n_classes * n_c)``, with sample weights counted as frequencies. See Notes
    for the effect of weights.""",
    "one_vs_one": """multi_class : {"ovo", "ovr"}, default="ovo"
    Decomposition of a problem with more than two classes into binary problems, whose number is
    called ``n_problems`` below; it is 1 for two classes.

    - ``"ovo"``, one-vs-one, as in ``SVC``: ``n_classes * (n_classes - 1) / 2`` problems, one for
      each pair of classes, over the samples of the two. :meth:`predict` returns the class with
      the most votes.
    - ``"ovr"``, one-vs-rest: ``n_classes`` problems, each class against all others.
      :meth:`predict` returns the class with the largest decision value.

    Keep one-vs-one for most data. Try one-vs-rest for text or one-hot categories with many
    classes, and where the decision values of classes must be comparable.
decision_function_shape : {"ovr", "ovo"}, default="ovr"
    Shape of :meth:`decision_function` with ``multi_class="ovo"`` and more than two classes, as
    in ``SVC``: (n_samples, n_classes), computed from votes and the decision values of the pairs
    (``"ovr"``), or (n_samples, n_problems), the decision values of the pairs (``"ovo"``). It
    does not change predictions and probabilities.
break_ties : bool, default=False
    Whether :meth:`predict` breaks ties of votes by the values of :meth:`decision_function`, with
    ``multi_class="ovo"`` and more than two classes; otherwise it returns the first of the tied
    classes. Requires ``decision_function_shape="ovr"``.""",
    # Belongs to the description of an attribute.
    "layout_of_pairs": """With ``multi_class="ovo"`` and more than two classes, the layout is that
    of ``SVC``: for the pair (a, b) of class codes, a < b, row b - 1 holds the coefficients of the
    support vectors of class a, and row a those of class b.""",
    "kernel_evaluations": """n_kernel_evaluations_ : int
    Number of kernel values computed for training.""",
    "kernel": """kernel : str, ColumnKernel or callable, default="rbf"
    Kernel type to be used in the algorithm: ``"linear"``, ``"poly"``, ``"rbf"``,
    ``"sigmoid"``, ``"laplacian"``, ``"chi2"``, ``"intersection"``, ``"tanimoto"`` or
    ``"cosine"``, see :ref:`kernels`; a :class:`ColumnKernel` for columns of different types;
    ``"precomputed"``; or a callable. A callable takes two matrices of samples, dense or
    sparse, and returns the matrix of kernel values; it is called once per block of samples,
    which has at most 5000. With ``"precomputed"``, X is the kernel matrix: square in ``fit``,
    test samples by training samples in ``predict``; ``partial_fit`` is then not available,
    because the samples themselves are unknown.""",
    "gamma": """gamma : {"scale", "auto"} or float, default="scale"
    Kernel coefficient for "rbf", "poly", "sigmoid", "laplacian" and "chi2". ``"scale"`` uses
    ``1 / (n_features * X.var())``, or ``X.std()`` in place of ``X.var()`` for "laplacian" and
    "chi2", with the variance weighted by ``sample_weight`` (1.0 if the variance is 0);
    ``"auto"`` uses ``1 / n_features``. In ``partial_fit``, gamma is computed from the first
    chunk and then kept.""",
    "cache_size": """cache_size : float, default=500
    Size of the kernel cache (in MB). A cache that is too small increases the training time,
    but does not change the result; with more than 16 000 support vectors it may, within
    ``tol``.""",
    "cache_size_of_lasvm": """$cache_size
    Up to 5000 samples, ``fit`` stores all kernel values, whatever the size of the cache (see
    ``max_iter``).""",
}

# Models with one update per sample.

# The numbers of the references depend on the class.
_BUDGET_POLICY = """\
budget_policy : {{"margin", "projection", "merging"}}, default="projection"
    Budget maintenance strategy, applied when a new support vector exceeds
    ``max_support_vectors``. The new support vector itself may be the one removed.

    - ``"margin"``: removes the support vector with the largest margin without its own
      contribution [2]_. Suitable for clean labels; with label noise it tends to keep
      mislabelled samples.
    - ``"projection"``: removes the support vector whose removal changes the decision function
      least after its projection onto the other support vectors [{projection}]_. The most accurate
      strategy and the most expensive one: time per update and memory are proportional to the
      square of the budget. Not available with the sigmoid kernel.
    - ``"merging"``: merges the support vector whose removal would change the decision function
      least with another one into a point between the two [{merging}]_; merged support vectors are
      not samples, and are -1 in ``support_``. Only available with the rbf kernel."""

_SHARED |= {
    "kernel_parameters": "$kernel\n$degree\n$gamma\n$coef0",
    "budget": """max_support_vectors : int, default=None
    Budget: maximum number of support vectors at any moment, which bounds the memory and the
    time per sample. None: no limit; every sample that causes an update is kept.""",
    "budget_policy_2_3_4": _BUDGET_POLICY.format(projection=3, merging=4),
    "budget_policy_2_5_6": _BUDGET_POLICY.format(projection=5, merging=6),
    "multi_class": """multi_class : {"ovr", "crammer_singer"}, default="ovr"
    Strategy with more than two classes: one-vs-rest, or the joint update of Crammer and
    Singer; see Notes. In both cases the classes share their support vectors.""",
    "replay_size": """replay_size : int, default=2000
    Size of the reservoir: maximum number of samples passed to ``partial_fit`` that are stored
    in addition to the support vectors, in about equal numbers for each class. If class
    proportions change along the stream, stored samples are replayed (see :ref:`replay`).
    0 disables replay. Ignored by ``fit``, and in :class:`LabelEfficientClassifier` except by
    models with ``average``.""",
    "epochs": """max_iter : int, default=1
    Maximum number of passes over the training data (epochs) in ``fit``. ``partial_fit``
    always runs one.
tol : float or None, default=1e-3
    Stopping criterion of ``fit``. If it is not None, training stops when the average loss of
    an epoch is greater than best_loss - tol for ``n_iter_no_change`` consecutive epochs. None:
    run ``max_iter`` epochs.
n_iter_no_change : int, default=5
    Number of epochs without improvement to wait before ``fit`` stops.
shuffle : bool, default=True
    Whether ``fit`` shuffles the samples before each epoch. ``partial_fit`` never shuffles.
verbose : int, default=0
    Verbosity. 1 prints a line per epoch.
n_jobs : int or None, default=None
    Number of threads for predictions. Training uses one thread.
random_state : int, RandomState instance or None, default=None
    Seed of the sample order.""",
    "support": """classes_ : ndarray of shape (n_classes,)
    Class labels.
support_ : ndarray of shape (n_SV,)
    Indices of the support vectors: positions in X, or in the stream after ``partial_fit``.
support_vectors_ : {ndarray, csr_matrix} of shape (n_SV, n_features)
    Support vectors, grouped by class.
n_support_ : ndarray of shape (n_classes,), dtype=int32
    Number of support vectors for each class.
dual_coef_ : ndarray of shape (1, n_SV) or (n_classes, n_SV)
    Coefficients of the support vectors in the decision function; with ``average="mean"`` their
    mean over all samples, with "vote" those of the last function.""",
    "no_intercept": """intercept_ : ndarray of shape (1,) or (n_classes,)
    Constants in the decision function: zeros, since the model has no intercept.
coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    Weights assigned to the features; only available with a linear kernel.""",
    "counts": """$gamma_in_use
n_iter_ : int
    Number of epochs run by ``fit``; 1 after ``partial_fit``.
n_samples_seen_ : int
    Number of samples seen since ``fit`` was last called, each counted once.
t_ : float
    1 + the number of training samples processed since ``fit`` was last called, counted in
    every epoch and each time they are visited again in a stream.
n_updates_ : int
    Number of updates since ``fit`` was last called, in all epochs.
$kernel_evaluations
$features""",
    "note_on_intercept": """\
**No intercept.** An rbf kernel does not need one. For a linear kernel, add a constant feature
1; for a polynomial kernel, choose ``coef0 > 0``.""",
}

# Descriptions of training and predictions.

_SHARED |= {
    "training_samples": """\
X : {array-like, sparse matrix} of shape (n_samples, n_features) \
or (n_samples, n_samples)
    Training samples, or the kernel matrix if ``kernel="precomputed"``.""",
    "stream_samples": """X : {array-like, sparse matrix} of shape (n_samples, n_features)
    Samples, in the order of the stream. Shuffle them if they are sorted.""",
    "cost_weights": """sample_weight : array-like of shape (n_samples,), default=None
    Per-sample weights. Rescale C per sample; samples of weight 0 are ignored.""",
    "fit_online": """\
Incremental: :meth:`partial_fit` continues from the fitted model. Interruptible: Ctrl-C
leaves a usable model, and :meth:`resume` continues from where it stopped. Invalid input
leaves a fitted model unchanged.""",
    "fit_classes": """\
$fit_online

Parameters
----------
$training_samples
y : array-like of shape (n_samples,)
    Class labels.
$cost_weights

$fitted_self

Raises
------
ValueError
    If the input is invalid, fewer than two classes have positive weight, or
    ``warm_start=True`` and X does not hold the samples of the previous ``fit``.""",
    "partial_fit_classes": """\
Every sample is treated as new: to run several epochs over the same samples use
``fit(max_iter=...)``. The first chunk fixes gamma (``"scale"``), the precision, and with a
linear kernel the origin of the features; a linear kernel may move the origin at the end of
a later chunk, too, if features are far from it. Otherwise the model does not depend on how
a stream is divided into chunks, unless samples are selected (``ActiveLASVC``), because
selection is restricted to the chunk. Predictions between two calls come from a copy that
is optimized over the support set (see ``finishing``).

Parameters
----------
$stream_samples
y : array-like of shape (n_samples,)
    Class labels. A chunk may contain a single class.
classes : array-like of shape (n_classes,), default=None
    All classes that can occur. Must be passed in the first call; optional afterwards. A
    later call with additional classes adds them to the model, see :ref:`new_classes`.
$cost_weights

$fitted_self

Raises
------
ValueError
    If the input is invalid, a label is not among the classes, or
    ``class_weight="balanced"``. The model is left unchanged. If a callable kernel raises
    an error within a chunk, the model has been trained on the blocks of samples before it
    (a call that adds classes leaves it unchanged).
MemoryError
    If memory runs out. The model has been trained on the blocks of samples before, and
    ``n_samples_seen_`` counts them: training can continue with the next sample once memory
    is available. With sample selection, the training so far is kept, and
    ``n_samples_seen_`` counts the whole chunk. A call that adds classes leaves the model
    unchanged.""",
    "partial_fit_errors": """\
Raises
------
ValueError
    If the input is invalid. The model is left unchanged. If a callable kernel raises an
    error within a chunk, the model has been trained on the blocks of samples before it.
MemoryError
    If memory runs out. The model has been trained on the blocks of samples before, and
    ``n_samples_seen_`` counts them: training can continue with the next sample once memory
    is available.""",
    "resumed_weights": """\
sample_weight : array-like of shape (n_samples,), default=None
    Sample weights of the interrupted call, if there were any.

$fitted_self

Raises
------
ValueError
    If no call was interrupted, the data are not those of the interrupted call, or a
    parameter other than ``n_jobs`` and ``verbose`` has changed. The model is left
    unchanged and can still be resumed.""",
    "kernel_samples": """\
Parameters
----------
X : {array-like, sparse matrix} of shape (n_samples, n_features)
    Samples. For a precomputed kernel, their kernel values with the samples of ``fit``, of
    shape (n_samples, n_samples_fit).""",
    "value_errors": """$not_fitted
ValueError
    If the input is invalid, or a decision function value overflows.""",
    "probability_errors": """$not_fitted
ValueError
    If the input is invalid, or ``probability`` was set after training.""",
    "training_set": """X : {array-like, sparse matrix} of shape (n_samples, n_features)
    All training samples, in the same order; the kernel matrix of shape
    (n_samples, n_samples) if ``kernel="precomputed"``.""",
    "training_set_errors": """$not_fitted
ValueError
    If the input is invalid, X and y are not the training samples, or a parameter was
    changed that must not change.""",
    "gamma_as_in_lasvc": """gamma : {"scale", "auto"} or float, default="scale"
    Kernel coefficient for "rbf", "poly", "sigmoid", "laplacian" and "chi2", as in
    :class:`LASVC`.""",
    "finishing_and_tolerance": """delta_max : float, default=None
    Largest violation after each sample, as in :class:`LASVC`. None: run REPROCESS once.
finishing : bool, default=True
    Whether the model is optimized over its support set, as in :class:`LASVC`.
shrinking : bool, default=True
    Whether :meth:`finish` uses the shrinking heuristic.
tol : float, default=1e-3
    Tolerance for the stopping criterion of the optimization.
ramp_s : float, default=-1.0
    Position :math:`s < 1` of the ramp, as in :class:`LASVC`.""",
    "path": """$cost_weights

Returns
-------
path : SolutionPath
    Fitted models in ascending order of C.

Raises
------
ValueError
    If the input is invalid, as in :meth:`fit`; if a value of `Cs` is not positive or is given
    twice;""",
    "order_and_threads": """shuffle : bool, default=True
    Whether epochs of ``fit`` visit the samples in random order. LASVM relies on random order:
    switch shuffling off only if the samples are already shuffled.
n_jobs : int, default=None
    Number of threads for training and predictions; they do not change the result. None means
    1 unless in a :obj:`joblib.parallel_backend` context; -1 means using all cores.""",
    "interrupted": """interrupted_ : bool
    Whether the last call was interrupted by Ctrl-C and :meth:`resume` can continue it.""",
    "kkt_violation": """kkt_violation_ : float
    Largest violation of the optimality conditions during the last epoch of ``fit``, where
    each sample is measured when it is visited. If ``fit`` found the optimum (up to 5000
    samples by default, or if its last epoch changed nothing), the largest violation over all
    samples. Infinite after ``partial_fit`` alone.""",
    "training_counts": """n_iter_ : int
    Number of epochs run by ``fit``; 1 after ``partial_fit`` alone.
$kernel_evaluations""",
    "samples_seen": """n_samples_seen_ : int
    Number of samples passed to ``fit`` and ``partial_fit`` since training was last started;
    of an interrupted call, those processed so far.""",
    "support_in_stream": """support_ : ndarray of shape (n_SV,), dtype=int32
    Indices of the support vectors in X; after ``partial_fit`` their positions in the stream,
    which begins with the samples of ``fit``.
$stored_support""",
    "stored_support": """\
support_vectors_ : {ndarray, csr_matrix} of shape (n_SV, n_features)
    Support vectors; empty with a precomputed kernel.""",
}

with_shared_docs = partial(filled_docs, parts=_SHARED)
