"""Query rules: which labels are worth their price."""

from numbers import Real

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from .._base import draw_seed
from .._contract import Continued
from .._core.linear.queries import ALL, AT_RANDOM, BY_MARGIN, Asker

__all__ = ["AllQuery", "MarginQuery", "RandomQuery"]


def confidence_of(scores):
    """|p| of binary scores, the gap between the two best of several.

    Parameters
    ----------
    scores : array-like of shape (n_samples,) or (n_samples, n_classes)

    Returns
    -------
    confidence : ndarray of shape (n_samples,)
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim == 1:
        return np.abs(scores)
    best = np.partition(scores, -2, axis=1)
    return np.ascontiguousarray(best[:, -1] - best[:, -2])


class QueryRule(Continued):
    r"""A rule with its own seeded generator; a subclass makes the ``Asker``.

    Each call that looks at the state, or moves it, is one step for other threads.
    """

    _learnt = "_asker"
    _parameter_constraints: dict = {}

    def query(self, scores, norms=None, variances=None):
        r"""Which rows are to be asked about, coming in this order; nothing moves.

        Parameters
        ----------
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)
            Decision values.
        norms : array-like of shape (n_samples,), default=None
            Euclidean norms of the rows, for ``schedule="mistakes"``.
        variances : array-like of shape (n_samples,), default=None
            :math:`x^\top \Sigma x`, for ``confidence="second-order"``.

        Returns
        -------
        queried : ndarray of shape (n_samples,), bool
            Whether the label of each row is asked for.

        Raises
        ------
        ValueError
            If a parameter is invalid, or norms or variances are wanted and not given.
        """
        return self.__asker__().would_ask(*self._numbers(scores, norms, variances))

    def update(self, scores, queried, updated=None, norms=None, variances=None):
        """Move on after these rows.

        Parameters
        ----------
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)
            Decision values, those that ``query`` was given.
        queried : array-like of shape (n_samples,), bool
            Which rows were asked about.
        updated : array-like of shape (n_samples,), bool, default=None
            Which rows changed the model, for ``schedule="mistakes"``; None: none did.
        norms, variances : array-like of shape (n_samples,), default=None
            As for :meth:`query`.

        Returns
        -------
        self : object
            The rule, behind these rows.

        Raises
        ------
        ValueError
            If an argument or a parameter is invalid.
        """
        confidence, norms, variances = self._numbers(scores, norms, variances)
        queried = _flags(queried, len(confidence), "queried")
        updated = np.zeros_like(queried) if updated is None else updated
        updated = _flags(updated, len(confidence), "updated")
        self.__asker__().move(confidence, queried, updated, norms, variances)
        return self

    def probabilities(self, scores, norms=None, variances=None):
        """Probability to ask about each row, were it the next one.

        Parameters
        ----------
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)
            Decision values.
        norms, variances : array-like of shape (n_samples,), default=None
            As for :meth:`query`.

        Returns
        -------
        probabilities : ndarray of shape (n_samples,)
            Between 0 and 1.

        Raises
        ------
        ValueError
            If a parameter is invalid, or norms or variances are wanted and not given.
        """
        return self.__asker__().probabilities(*self._numbers(scores, norms, variances))

    @property
    def n_queries_(self):
        """Number of rows asked about."""
        return self.__asker__().n_asked

    def __asker__(self):
        """Return the rule as the compiled loop takes it, with its state; made when first used."""
        asker = self.__dict__.get("_asker")
        if asker is None:
            self._validate_params()
            random = check_random_state(getattr(self, "random_state", None))
            self._learnt_with = self._present_parameters()
            # Another thread may have been faster.
            return self.__dict__.setdefault("_asker", self._make(draw_seed(random)))
        new = self._new_parameters()
        if new is not None:
            asker.use(self._make(0))
            self._take_up(new)
        return asker

    def _numbers(self, scores, norms, variances):
        asker = self.__asker__()
        confidence = confidence_of(scores)
        n = len(confidence)
        squared = np.zeros(n)
        if asker.wants_norm:
            squared = _column(norms, n, "norms", "schedule='mistakes'") ** 2
        if asker.second_order:
            variances = _column(variances, n, "variances", "confidence='second-order'")
        else:
            variances = np.zeros(n)
        return confidence, squared, variances

    def _packed(self, state):
        return {"_asker": state["_asker"].state()}

    def _rebuilt(self, state):
        rebuilt = super()._rebuilt(state)
        given = {name: state.value(name) for name in self._get_param_names()}
        # Parameters set since then are taken up when the rule is used again.
        watched = (*self._fixed, *self._tunable)
        given |= zip(watched, rebuilt["_learnt_with"], strict=True)
        rule = type(self)(**given)
        rule._validate_params()
        asker = rule._make(0)
        asker.restore(state.part("_asker"))
        return {**rebuilt, "_asker": asker}


class AllQuery(QueryRule):
    """Asks for every label: ordinary online learning.

    Examples
    --------
    >>> from sklearn_online_svm.active import AllQuery
    >>> AllQuery().query([0.1, -2.0])
    array([ True,  True])
    """

    def _make(self, seed):
        return Asker(ALL)


class RandomQuery(QueryRule):
    """Asks for a share of the labels, whatever the rows are.

    Parameters
    ----------
    rate : float, default=0.1
        Probability to ask.
    random_state : int, RandomState instance or None, default=None
        Seed of the rule's own generator.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm.active import RandomQuery
    >>> RandomQuery(rate=0.2, random_state=0).query(np.zeros(1000)).mean().round(1)
    np.float64(0.2)
    """

    _parameter_constraints: dict = {
        "rate": [Interval(Real, 0.0, 1.0, closed="both")],
        "random_state": ["random_state"],
    }
    _fixed = ("random_state",)
    _tunable = ("rate",)

    def __init__(self, rate=0.1, *, random_state=None):
        self.rate = rate
        self.random_state = random_state

    def _make(self, seed):
        return Asker(AT_RANDOM, seed=seed, rate=float(self.rate))


class MarginQuery(QueryRule):
    r"""Asks the more likely, the less sure the model is.

    .. math:: P(\text{ask}) = \frac{\delta_t}{\delta_t + \text{offset} + |p|}

    where p is the decision value of a binary model, or the gap between the two best classes [1]_.

    Parameters
    ----------
    delta : float, default=1.0
        The larger, the more labels. With a ``rate`` only where the steering starts.
    offset : float, default=0.0
        1 gives the variant of Theorem 4 of [1]_.
    schedule : {"constant", "adaptive", "mistakes"}, default="constant"
        :math:`\delta_t` is ``delta``; ``delta / t`` for row t; or
        :math:`\delta X_t^2 \sqrt{1 + M_t}` [2]_, where M counts the rows that changed the model so
        far and X is the largest norm among these rows and the current one.
    rate : float, default=None
        Share of labels to ask for, in (0, 1): delta is steered to it; see Notes.
    confidence : {"margin", "second-order"}, default="margin"
        "second-order" puts :math:`|r| + r^2 (1 + v) / 2` for :math:`|p|`,
        :math:`r = p / (1 + v)`, :math:`v = x^\top A^{-1} x`: the second-order selective
        sampler of [2]_, for models that can tell v (``SecondOrderPerceptronClassifier``).
    random_state : int, RandomState instance or None, default=None
        Seed of the rule's own generator.

    Attributes
    ----------
    n_queries_ : int
        Rows asked about.
    delta_ : float
        :math:`\delta_t` of the next row, its norm taken for 0.

    Notes
    -----
    With a ``rate`` delta becomes :math:`h \cdot \frac{\text{rate}}{1 - \text{rate}}
    e^{\kappa\,\text{credit} + \text{trend}}`. h, the delta that would ask for one half of the
    labels, follows the scale of the margins by what all rows say, asked about or not; ``credit``
    are the labels due and not asked for, ``trend`` its integral, :math:`\kappa = (1 -
    \text{rate}) / 4`. Over a few thousand rows the share comes within a few per cent of the
    ``rate``. Rows with p = 0 are always asked about, so a stream with more of them than the rate
    gets more labels.

    References
    ----------
    .. [1] J. Lu, P. Zhao, S. C. H. Hoi. Online Passive-Aggressive Active Learning. Machine
       Learning 103, 2016, sections 3.2, 4.2.
    .. [2] N. Cesa-Bianchi, C. Gentile, L. Zaniboni. Worst-Case Analysis of Selective Sampling for
       Linear Classification. JMLR 7, 2006.

    Examples
    --------
    >>> from sklearn_online_svm.active import MarginQuery
    >>> rule = MarginQuery(delta=1.0, random_state=0)
    >>> rule.probabilities([0.0, 1.0, -3.0])
    array([1.  , 0.5 , 0.25])
    """

    _parameter_constraints: dict = {
        "delta": [Interval(Real, 0.0, None, closed="neither")],
        "offset": [Interval(Real, 0.0, None, closed="left")],
        "schedule": [StrOptions({"constant", "adaptive", "mistakes"})],
        "rate": [Interval(Real, 0.0, 1.0, closed="neither"), None],
        "confidence": [StrOptions({"margin", "second-order"})],
        "random_state": ["random_state"],
    }
    _fixed = ("random_state",)
    _tunable = ("delta", "offset", "schedule", "rate", "confidence")

    def __init__(
        self,
        delta=1.0,
        *,
        offset=0.0,
        schedule="constant",
        rate=None,
        confidence="margin",
        random_state=None,
    ):
        self.delta = delta
        self.offset = offset
        self.schedule = schedule
        self.rate = rate
        self.confidence = confidence
        self.random_state = random_state

    @property
    def delta_(self):
        """Delta of the next row."""
        return self.__asker__().delta

    def _make(self, seed):
        return Asker(
            BY_MARGIN,
            seed=seed,
            schedule=self.schedule,
            delta=float(self.delta),
            offset=float(self.offset),
            rate=None if self.rate is None else float(self.rate),
            second_order=self.confidence == "second-order",
        )


def _column(values, n, name, what):
    if values is None:
        raise ValueError(f"{name} must be given for {what}.")
    values = np.ascontiguousarray(values, dtype=np.float64)
    if values.shape != (n,):
        raise ValueError(f"{name} must have shape {(n,)}, got {values.shape}.")
    return values


def _flags(values, n, name):
    values = np.ascontiguousarray(values, dtype=bool)
    if values.shape != (n,):
        raise ValueError(f"{name} must have shape {(n,)}, got {values.shape}.")
    return values.view(np.uint8)
