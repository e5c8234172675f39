"""Query strategies for streams: decide whether the label of a sample is queried."""

from numbers import Real

import numpy as np
from sklearn.utils import check_random_state

from .._core.linear.queries import ALL, AT_RANDOM, BY_MARGIN, SelectiveSampler
from .._estimator import Estimator, store_parameters
from .._sklearn_compat import Interval, StrOptions
from .._validation import draw_seed


def confidence_of(scores):
    """Return |p| for binary scores, or the gap between the two largest class scores."""
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim == 1:
        return np.abs(scores)
    best = np.partition(scores, -2, axis=1)
    return np.ascontiguousarray(best[:, -1] - best[:, -2])


class QueryStrategy(Estimator):
    r"""Base class of query strategies with their own random generator.

    A subclass creates the compiled ``SelectiveSampler``. Each call that reads or changes the
    state is atomic with respect to other threads.
    """

    _state_attribute = "_asker"
    _stored_as = {"_asker": SelectiveSampler}
    _parameter_constraints: dict = {}

    def query(self, scores, norms=None, variances=None):
        r"""Decide which samples to query, in this order, without changing the state.

        Parameters
        ----------
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)
            Decision values.
        norms : array-like of shape (n_samples,), default=None
            Euclidean norms of the samples, for ``schedule="mistakes"``.
        variances : array-like of shape (n_samples,), default=None
            Variances of the decision values (with several classes of the gaps), for a
            ``confidence`` other than "margin".

        Returns
        -------
        queried : ndarray of shape (n_samples,), bool
            Whether the label of each sample is queried.

        Raises
        ------
        ValueError
            If a parameter is invalid, or norms or variances are required but not given.
        """
        return self._query_context().would_ask(*self._numbers(scores, norms, variances))

    def update(self, scores, queried, updated=None, norms=None, variances=None):
        """Update the state of the strategy after these samples.

        Parameters
        ----------
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)
            Decision values that were passed to ``query``.
        queried : array-like of shape (n_samples,), bool
            Which samples were queried.
        updated : array-like of shape (n_samples,), bool, default=None
            Which samples changed the model, for ``schedule="mistakes"``. If None, no sample
            changed the model.
        norms, variances : array-like of shape (n_samples,), default=None
            As for :meth:`query`.

        Returns
        -------
        self : object
            The updated query strategy.

        Raises
        ------
        ValueError
            If an argument or a parameter is invalid.
        """
        confidence, norms, variances = self._numbers(scores, norms, variances)
        n = len(confidence)
        queried = _checked(queried, n, "queried", bool).view(np.uint8)
        updated = np.zeros(n, dtype=bool) if updated is None else updated
        updated = _checked(updated, n, "updated", bool).view(np.uint8)
        self._query_context().move(confidence, queried, updated, norms, variances)
        return self

    def probabilities(self, scores, norms=None, variances=None):
        """Return the probability of querying each sample if it were the next one.

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
            If a parameter is invalid, or norms or variances are required but not given.
        """
        return self._query_context().probabilities(*self._numbers(scores, norms, variances))

    @property
    def n_queries_(self):
        """Number of queried samples."""
        return self._query_context().n_asked

    def _query_context(self):
        """Return the compiled strategy with its state; it is created at first use."""
        asker = self.__dict__.get("_asker")
        if asker is None:
            self._validate_params()
            random = check_random_state(getattr(self, "random_state", None))
            self._fitted_params = self._current_params()
            # Another thread may have created it in the meantime.
            return self.__dict__.setdefault("_asker", self._make(draw_seed(random)))
        new = self._changed_params()
        if new is not None:
            asker.use(self._make(0))
            self._fitted_params = new
        return asker

    def _numbers(self, scores, norms, variances):
        asker = self._query_context()
        confidence = confidence_of(scores)
        n = len(confidence)
        squared = np.zeros(n)
        if asker.wants_norm:
            squared = _checked(norms, n, "norms", required_by="schedule='mistakes'") ** 2
        if not asker.wants_variance:
            variances = np.zeros(n)
        required_by = f"confidence={getattr(self, 'confidence', None)!r}"
        variances = _checked(variances, n, "variances", required_by=required_by)
        return confidence, squared, variances


class AllQuery(QueryStrategy):
    """Query every label, as in ordinary online learning.

    Examples
    --------
    >>> from sklearn_online_svm.active import AllQuery
    >>> AllQuery().query([0.1, -2.0])
    array([ True,  True])
    """

    def __init__(self):
        pass

    def _make(self, seed):
        return SelectiveSampler(ALL)


class RandomQuery(QueryStrategy):
    """Query labels at random with a fixed probability.

    Parameters
    ----------
    rate : float, default=0.1
        Probability of querying a sample.
    random_state : int, RandomState instance or None, default=None
        Controls the random decisions of the strategy. Pass an int for reproducible output
        across multiple function calls.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm.active import RandomQuery
    >>> print(RandomQuery(rate=0.2, random_state=0).query(np.zeros(1000)).mean().round(1))
    0.2
    """

    _parameter_constraints: dict = {
        "rate": [Interval(Real, 0.0, 1.0, closed="both")],
        "random_state": ["random_state"],
    }
    _fixed_params = ("random_state",)
    _adjustable_params = ("rate",)

    def __init__(self, rate=0.1, *, random_state=None):
        self.rate = rate
        self.random_state = random_state

    def _make(self, seed):
        return SelectiveSampler(AT_RANDOM, seed=seed, rate=float(self.rate))


class MarginQuery(QueryStrategy):
    r"""Query a label with a probability that decreases with the margin of the sample.

    .. math:: P(\text{query}) = \frac{\delta_t}{\delta_t + \text{offset} + |p|}

    where p is the decision value of a binary model, or the gap between the two largest class
    scores [1]_. If :math:`\text{offset} + |p| \le 0`, the label is queried.

    Parameters
    ----------
    delta : float, default=1.0
        Larger values query more labels. If ``rate`` is given, delta is only the initial value
        of the controller.
    offset : float, default=0.0
        1 gives the variant of Theorem 4 of [1]_. With a negative value, all samples with
        :math:`|p|` up to ``-offset`` are queried; with ``confidence="standardized"``, those whose
        decision value is at most ``-offset`` standard deviations from 0.
    schedule : {"constant", "adaptive", "mistakes"}, default="constant"
        :math:`\delta_t` is ``delta``; ``delta / t`` for sample t, so that the first sample has
        ``delta`` (in [1]_ it becomes ``delta / (t + 1)`` after sample t); or
        :math:`\delta X_t^2 \sqrt{1 + M_t}` [2]_, where M counts the samples that changed the
        model so far and X is the largest norm among these samples and the current one.
    rate : float, default=None
        Target fraction of queried labels, in (0, 1). Delta is adapted to reach it; see Notes.
    confidence : {"margin", "second_order", "standardized"}, default="margin"
        What is used as :math:`|p|`. The last two need a model with the method
        ``decision_variance``, which returns the variance v:

        - "margin": :math:`|p|`;
        - "second_order": :math:`|r| + r^2 (1 + v) / 2` with :math:`r = p / (1 + v)`, the
          second-order selective sampler of [2]_, for :class:`SecondOrderPerceptronClassifier`
          (:math:`v = x^\top A^{-1} x`);
        - "standardized": :math:`|p| / \sqrt{v}` [3]_, the distance of the decision value from 0 in
          standard deviations, for :class:`AROWClassifier` and other models with a distribution
          over the weights. With several classes, v is the sum of the variances of the two largest
          scores. The confidence does not depend on the scale of the features.
    random_state : int, RandomState instance or None, default=None
        Controls the random decisions of the strategy. Pass an int for reproducible output
        across multiple function calls.

    Attributes
    ----------
    n_queries_ : int
        Number of queried samples.
    delta_ : float
        :math:`\delta_t` of the next sample, computed with a norm of 0.

    Notes
    -----
    If ``rate`` is given, delta is :math:`h \cdot \frac{\text{rate}}{1 - \text{rate}}
    e^{\kappa\,\text{credit} + \text{trend}}`. h, the delta that would query half of the
    labels, is estimated from the margins of all samples, queried or not; ``credit`` is the number
    of labels due minus the number queried, ``trend`` is its integral, and :math:`\kappa = (1 -
    \text{rate}) / 4`. Over a few thousand samples the queried fraction comes within
    a few per cent of ``rate``. Samples with p = 0 are always queried, as are those within a
    negative ``offset``, so the fraction exceeds ``rate`` if such samples are more frequent than
    ``rate``.

    References
    ----------
    .. [1] J. Lu, P. Zhao, S. C. H. Hoi. Online Passive-Aggressive Active Learning. Machine
       Learning 103, 2016, sections 3.2, 4.2.
    .. [2] N. Cesa-Bianchi, C. Gentile, L. Zaniboni. Worst-Case Analysis of Selective Sampling for
       Linear Classification. JMLR 7, 2006.
    .. [3] M. Dredze, K. Crammer. Active Learning with Confidence. ACL 2008.

    Examples
    --------
    >>> from sklearn_online_svm.active import MarginQuery
    >>> strategy = MarginQuery(delta=1.0, random_state=0)
    >>> strategy.probabilities([0.0, 1.0, -3.0])
    array([1.  , 0.5 , 0.25])
    """

    _parameter_constraints: dict = {
        "delta": [Interval(Real, 0.0, None, closed="neither")],
        "offset": [Interval(Real, None, None, closed="neither")],
        "schedule": [StrOptions({"constant", "adaptive", "mistakes"})],
        "rate": [Interval(Real, 0.0, 1.0, closed="neither"), None],
        "confidence": [StrOptions({"margin", "second_order", "standardized"})],
        "random_state": ["random_state"],
    }
    _fixed_params = ("random_state",)
    _adjustable_params = ("delta", "offset", "schedule", "rate", "confidence")

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
        store_parameters(locals())

    @property
    def delta_(self):
        """Delta for the next sample."""
        return self._query_context().delta

    def _make(self, seed):
        return SelectiveSampler(
            BY_MARGIN,
            seed=seed,
            schedule=self.schedule,
            delta=float(self.delta),
            offset=float(self.offset),
            rate=None if self.rate is None else float(self.rate),
            confidence=self.confidence,
        )


def _checked(values, n, name, dtype=np.float64, required_by=None):
    if values is None:
        raise ValueError(f"{name} must be given for {required_by}.")
    values = np.ascontiguousarray(values, dtype=dtype)
    if values.shape != (n,):
        raise ValueError(f"{name} must have shape {(n,)}, got {values.shape}.")
    return values
