"""Curves along a path of solutions."""

import numpy as np

from ._progressive import import_optional

__all__ = ["SolutionPathDisplay"]

_SCORES = {"train_scores": "training rows", "scores": "other rows"}


class SolutionPathDisplay:
    """Accuracy, support vectors and dual objective of the models of a path, against C.

    Make it by :meth:`from_path`. All parameters are stored as attributes.

    Parameters
    ----------
    Cs : ndarray of shape (n_Cs,)
        Values of C.
    n_support : ndarray of shape (n_Cs,)
        Number of support vectors.
    dual_objective : ndarray of shape (n_Cs, n_problems)
        Dual objective of each binary problem; their sum is drawn.
    scores : ndarray of shape (n_Cs,), default=None
        Accuracy on rows that have not been learnt.
    train_scores : ndarray of shape (n_Cs,), default=None
        Accuracy on the rows learnt.

    Attributes
    ----------
    lines_ : dict of str to matplotlib Artist
        The curves: ``"scores"`` and ``"train_scores"`` where they are given, ``"n_support"`` and
        ``"dual_objective"``.
    ax_ : ndarray of matplotlib Axes of shape (2,) or (3,)
        The axes they are drawn on: accuracy, where there are scores, vectors, objective.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    sklearn_online_svm.LASVC.fit_path : Makes the path.
    sklearn.model_selection.ValidationCurveDisplay : Any parameter of any model, by
        cross-validation.

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

    def __init__(self, *, Cs, n_support, dual_objective, scores=None, train_scores=None):
        self.Cs = Cs
        self.n_support = n_support
        self.dual_objective = dual_objective
        self.scores = scores
        self.train_scores = train_scores

    @classmethod
    def from_path(
        cls, path, X=None, y=None, *, X_train=None, y_train=None, ax=None, name=None, **kwargs
    ):
        """Score the models of a path and draw what has become of them.

        Parameters
        ----------
        path : SolutionPath
            What :meth:`~sklearn_online_svm.LASVC.fit_path` returns.
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            Rows that have not been learnt; None: they are not scored.
        y : array-like of shape (n_samples,), default=None
            Their labels.
        X_train : {array-like, sparse matrix} of shape (n_train, n_features), default=None
            The rows learnt; None: they are not scored.
        y_train : array-like of shape (n_train,), default=None
            Their labels.
        ax : array-like of matplotlib axes, default=None
            Axes to draw on; by default those of a new figure.
        name : str, default=None
            Name of the model in the legend.
        **kwargs : dict
            Keyword arguments of matplotlib's ``plot``.

        Returns
        -------
        display : SolutionPathDisplay
            The display; ``ax_`` and ``figure_`` are what it is drawn on.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If rows are given without labels, or as :meth:`plot`.
        """
        import_optional("matplotlib.pyplot", f"{cls.__name__}.from_path")
        for end, rows, labels in (("", X, y), ("_train", X_train, y_train)):
            if (rows is None) != (labels is None):
                raise ValueError(f"X{end} and y{end} belong together: one of them is None.")
        display = cls(
            Cs=path.Cs,
            n_support=path.n_support,
            dual_objective=path.dual_objective,
            scores=None if X is None else path.scores(X, y),
            train_scores=None if X_train is None else path.scores(X_train, y_train),
        )
        return display.plot(ax=ax, name=name, **kwargs)

    def plot(self, ax=None, *, name=None, **kwargs):
        """Draw the curves, on a logarithmic axis of C; an infinite C is left out.

        Parameters
        ----------
        ax : array-like of matplotlib axes, default=None
            Axes to draw on, three with scores, else two; by default those of a new figure. Those
            of another display compare models.
        name : str, default=None
            Name of the model in the legend.
        **kwargs : dict
            Keyword arguments of matplotlib's ``plot``.

        Returns
        -------
        display : SolutionPathDisplay
            The display; ``ax_`` and ``figure_`` are what it is drawn on.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `ax` is not of as many axes as there are curves to draw.
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
        places = dict.fromkeys(scores, 0) | {"n_support": n_axes - 2, "dual_objective": n_axes - 1}
        self.lines_ = {}
        for key, place in places.items():
            label = " on ".join(part for part in (name, _SCORES.get(key)) if part)
            options = {"marker": ".", "label": label or None} | kwargs
            (self.lines_[key],) = ax[place].plot(self.Cs[finite], values[key][finite], **options)
        if scores:
            ax[0].set_ylabel("Accuracy")
        ax[-2].set_ylabel("Support vectors")
        ax[-1].set(ylabel="Dual objective", yscale="log")
        for axes in ax:
            axes.set_xscale("log")
            if any(not line.get_label().startswith("_") for line in axes.lines):
                axes.legend()
        ax[-1].set_xlabel("C")
        self.ax_, self.figure_ = ax, ax[0].figure
        return self
