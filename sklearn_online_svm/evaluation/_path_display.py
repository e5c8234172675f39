"""Plot of a regularization path."""

import numpy as np
from sklearn.base import is_regressor

from .._optional import import_optional

__all__ = ["SolutionPathDisplay"]

_SCORES = {"train_scores": "training samples", "scores": "test samples"}


class SolutionPathDisplay:
    """Scores, support vectors and dual objective along a regularization path.

    Create it with :meth:`from_path`. All parameters are stored as attributes.

    Parameters
    ----------
    Cs : ndarray of shape (n_Cs,)
        Values of C.
    n_support : ndarray of shape (n_Cs,)
        Number of support vectors.
    dual_objective : ndarray of shape (n_Cs, n_problems)
        Dual objective of each problem (class or output); the sum is plotted.
    scores : ndarray of shape (n_Cs,), default=None
        Scores on test samples.
    train_scores : ndarray of shape (n_Cs,), default=None
        Scores on the training samples.
    score_name : str, default="Accuracy"
        Label of the axis of the scores; :meth:`from_path` sets ``"R2"`` for regression.

    Attributes
    ----------
    lines_ : dict of str to matplotlib Artist
        The curves: ``"scores"`` and ``"train_scores"`` if given, ``"n_support"`` and
        ``"dual_objective"``.
    ax_ : ndarray of matplotlib Axes of shape (2,) or (3,)
        The axes of the scores (if there are any), the support vectors and the objective.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    sklearn_online_svm.LASVC.fit_path : Compute a regularization path.
    sklearn_online_svm.LASVR.fit_path : Compute a regularization path for regression.
    sklearn.model_selection.ValidationCurveDisplay : Cross-validated scores for values
        of any parameter.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.evaluation import SolutionPathDisplay
    >>> X, y = make_banana_like(600, random_state=0)
    >>> path = LASVC(gamma=1.0).fit_path(X[:400], y[:400], np.logspace(-1, 3, 9))
    >>> SolutionPathDisplay.from_path(path, X[400:], y[400:])  # doctest: +SKIP
    <...>
    """

    def __init__(
        self,
        *,
        Cs,
        n_support,
        dual_objective,
        scores=None,
        train_scores=None,
        score_name="Accuracy",
    ):
        self.Cs = Cs
        self.n_support = n_support
        self.dual_objective = dual_objective
        self.scores = scores
        self.train_scores = train_scores
        self.score_name = score_name

    @classmethod
    def from_path(
        cls, path, X=None, y=None, *, X_train=None, y_train=None, ax=None, name=None, **kwargs
    ):
        """Score the models of a path and plot the curves.

        Parameters
        ----------
        path : SolutionPath
            The result of :meth:`~sklearn_online_svm.LASVC.fit_path` or
            :meth:`~sklearn_online_svm.LASVR.fit_path`.
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            Test samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            Their labels or target values.
        X_train : {array-like, sparse matrix} of shape (n_train, n_features), default=None
            Training samples.
        y_train : array-like of shape (n_train,) or (n_train, n_outputs), default=None
            Their labels or target values.
        ax : array-like of matplotlib axes, default=None
            Axes to plot on; by default those of a new figure.
        name : str, default=None
            Name of the model in the legend.
        **kwargs : dict
            Keyword arguments of matplotlib's ``plot``.

        Returns
        -------
        display : SolutionPathDisplay
            The display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If samples are given without labels or target values, or as :meth:`plot`.
        """
        import_optional("matplotlib.pyplot", f"{cls.__name__}.from_path")
        for suffix, samples, labels in (("", X, y), ("_train", X_train, y_train)):
            if (samples is None) != (labels is None):
                raise ValueError(f"X{suffix} and y{suffix} must be given together.")
        display = cls(
            Cs=path.Cs,
            n_support=path.n_support,
            dual_objective=path.dual_objective,
            scores=None if X is None else path.scores(X, y),
            train_scores=None if X_train is None else path.scores(X_train, y_train),
            score_name="R2" if len(path) and is_regressor(path[0]) else "Accuracy",
        )
        return display.plot(ax=ax, name=name, **kwargs)

    def plot(self, ax=None, *, name=None, **kwargs):
        """Plot the curves against C on a logarithmic axis; infinite values are omitted.

        Parameters
        ----------
        ax : array-like of matplotlib axes, default=None
            Axes to plot on: three with scores, otherwise two; by default those of a new figure. To
            compare models, pass those of another display.
        name : str, default=None
            Name of the model in the legend.
        **kwargs : dict
            Keyword arguments of matplotlib's ``plot``.

        Returns
        -------
        display : SolutionPathDisplay
            The display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `ax` has the wrong number of axes.
        """
        plt = import_optional("matplotlib.pyplot", f"{type(self).__name__}.plot")
        scores = [key for key in _SCORES if getattr(self, key) is not None]
        n_axes = 3 if scores else 2
        if ax is None:
            _, ax = plt.subplots(
                n_axes, sharex=True, figsize=(6.4, 2.2 * n_axes), layout="constrained"
            )
        ax = np.atleast_1d(ax)
        if ax.shape != (n_axes,):
            raise ValueError(f"ax must be {n_axes} axes, got shape {ax.shape}.")
        finite = np.isfinite(self.Cs)
        values = {key: np.asarray(getattr(self, key)) for key in scores}
        values["n_support"] = np.asarray(self.n_support)
        values["dual_objective"] = np.sum(self.dual_objective, axis=1)
        rows = dict.fromkeys(scores, 0) | {"n_support": n_axes - 2, "dual_objective": n_axes - 1}
        self.lines_ = {}
        for key, row in rows.items():
            label = " on ".join(part for part in (name, _SCORES.get(key)) if part)
            options = {"marker": ".", "label": label or None} | kwargs
            (self.lines_[key],) = ax[row].plot(self.Cs[finite], values[key][finite], **options)
        if scores:
            ax[0].set_ylabel(self.score_name)
        ax[-2].set_ylabel("Support vectors")
        ax[-1].set(ylabel="Dual objective", yscale="log")
        for axes in ax:
            axes.set_xscale("log")
            if any(not line.get_label().startswith("_") for line in axes.lines):
                axes.legend()
        ax[-1].set_xlabel("C")
        self.ax_, self.figure_ = ax, ax[0].figure
        return self
