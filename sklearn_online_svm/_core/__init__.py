"""The engine: plain arrays and numbers in, plain arrays and numbers out.

It does not import scikit-learn and has no names of parameters; the estimators translate. A
``.pxd`` file declares the interface of a module, the ``.pyx`` file explains the implementation.
``doc/architecture.rst`` has a map.

Conventions of the kernel models (``kernel``): ``g[i] = target[i] - sum_j alpha[j] K[i, j]``
excludes the bias. Targets (in classification the labels) and bounds of ``alpha`` (``lower``,
``upper``) are data, so the solvers do not depend on sample weights and losses. State is float64,
cached kernel rows are float32.

Conventions of the linear models (``linear``): the intercept is the weight of a constant feature 1,
which is part of norms and covariances; weights have the dtype of the data, update rules and
intercepts use float64.
"""
