"""ProgressiveSearch: a race of candidates, then a search among the neighbours of its winner."""

import copy
from dataclasses import replace
from functools import wraps
from inspect import signature
from itertools import chain
from numbers import Integral, Real

import joblib
import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.utils import check_random_state, column_or_1d, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from .._core.guard import Guarded
from .._core.interrupts import DeferredInterrupts
from .._estimator import raise_fixed_param, seeded, store_parameters
from .._sample_arrays import with_valid_indices
from .._sklearn_compat import (
    BaseSearchCV,
    HasMethods,
    Interval,
    Options,
    StrOptions,
    _check_method_params,
    _check_multimetric_scoring,
    _check_sample_weight,
    _fit_context,
    _num_samples,
    _PassthroughScorer,
    available_if,
)
from .._snapshots import Snapshots
from .._tasks import reporting
from .._threads import equal_warnings_once, warn
from .._transactions import PostponedInterrupts
from .._validation import (
    check_labels,
    classes_of_stream,
    plain_labels,
    refuse_mixed_types,
    routes_metadata,
)
from ..pipeline import final_estimator
from ._candidates import Candidate, candidates_of
from ._fit_search import FitSearch
from ._neighbours import DrawnNeighbours, GridNeighbours
from ._race import Race, Rules
from ._results import best_line, results_table, rungs_of
from ._samples import (
    Samples,
    StreamRungs,
    first_rung,
    make_folds,
    rung_ends,
    smallest_share,
    stratified,
)
from ._stream_search import StreamCandidate, StreamSearch

# Parameters that cannot change between two calls of partial_fit.
FIXED = (
    *("estimator", "param_grid", "scoring", "refit", "n_candidates"),
    *("min_resources", "max_resources", "select", "error_score"),
)
# Those of the estimator that change no result.
FREE = "cache_size", "n_jobs", "verbose"


def _has_partial_fit(search):
    return bool(final_estimator(search.estimator).partial_fit)  # its error says why there is none


def _in_turn(method):
    """Let calls of a method that trains wait for those of other threads."""

    @wraps(method)
    def call(self, *args, **kwargs):
        with self._guard, equal_warnings_once():
            return method(self, *args, **kwargs)

    return call


class ProgressiveSearch(Snapshots, BaseSearchCV, Guarded):
    r"""Search for the best parameters at the cost of some 25 fits.

    All candidates are fitted to a few samples and scored on held-out ones. From rung to rung the
    number of samples doubles, and the worst candidates are eliminated, until the others can be
    compared at full size, by cross-validation up to 8000 samples. Then the best one is compared
    with its neighbours in the grid, and so on from a better one, while the budget ``max_cost``
    lasts. The winner is fitted to all samples.

    ``partial_fit`` searches along a stream instead: candidates are scored on the next samples,
    then trained on them, and the better half survives a rung.

    ``fit`` needs any classifier or regressor, ``partial_fit`` one with ``partial_fit``.

    Read more in the :ref:`User Guide <progressive_search>`.

    Parameters
    ----------
    estimator : estimator object
        A classifier or regressor, or a :class:`~sklearn.pipeline.Pipeline` that ends with one. A
        transformer is fitted to each training set once, and shared by all candidates with the
        same parameters up to it. ``partial_fit`` fits transformers to the samples of the first
        rung.
    param_grid : dict or list of dicts
        Names of parameters, and lists of values to try; or, with ``n_candidates``, distributions
        with a method ``rvs``.
    scoring : str, callable, list, tuple or dict, default=None
        Strategy to evaluate the candidates, as in :class:`~sklearn.model_selection.GridSearchCV`.
        None: ``score`` of the estimator. With several metrics ``refit`` names the one that
        decides.
    n_candidates : int or "all", default="all"
        Number of candidates to draw from ``param_grid`` for the first rung; ``"all"``: the whole
        grid. If they are drawn, so are the neighbours of the best one.
    max_cost : float, default=25.0
        Budget of ``fit``: the search takes about as long as so many fits of the winner to all
        samples, or ten seconds if that is longer. Transformers are not counted. ``np.inf``: all
        candidates are compared at full size.
    min_resources : int or "auto", default="auto"
        Number of training samples of the first rung. ``"auto"``: 125, or 10 of each class, but at
        most a quarter of the samples.
    max_resources : int or "auto", default="auto"
        Maximum number of samples, training and scores together, that ``fit`` compares candidates
        on; the winner is fitted to all. In ``partial_fit``, the number of samples after which the
        best candidate is trained on alone, by default ``min_resources * n_candidates`` (rounded up
        to a rung).
    cv : int, float, cross-validation generator or iterable, default=None
        Samples for the scores of ``fit``:

        - None: three folds up to 8000 samples, which are drawn again for the best candidates while
          the budget lasts; a quarter of the samples, at most 5000, if there are more (or as many
          as have 20 of the rarest class);
        - float: this share of the samples is held out;
        - int, generator or iterable: as in :class:`~sklearn.model_selection.GridSearchCV`.

        Rungs use the split with the most training samples.
    refit : bool or str, default=True
        The metric that decides if there are several. The winner is fitted to all samples in any
        case.
    select : {"best", "one_se"}, default="best"
        Winner of the last comparison: the best candidate, the cheapest of several whose scores
        differ by less than a quarter of the standard error; or the one with the fewest support
        vectors (without any, the shortest training time) among those whose score is within one
        standard error of the best.
    error_score : "raise" or number, default=nan
        Score of a candidate that raises an error. It is eliminated, with a warning.
    shuffle : bool, default=True
        Whether ``fit`` shuffles the samples, so that each rung has all classes in their shares.
        Otherwise the last samples are held out and there are no folds, unless ``cv`` says so.
        ``partial_fit`` takes samples in their order.
    n_jobs : int, default=None
        Number of threads that candidates are distributed to. The result is the same for any
        number.
    random_state : int, RandomState instance or None, default=None
        Seeds the order of the samples, the draw of candidates, and the estimators whose own
        ``random_state`` is None. None: the result may differ from call to call.
    verbose : int, default=0
        1 prints a line for each rung and fold.

    Attributes
    ----------
    best_estimator_ : estimator
        The winner, fitted to all samples; during a stream the best candidate so far, trained on
        all samples so far.
    best_params_ : dict
        Parameters of the winner.
    best_score_ : float
        Score of the winner in the last comparison, the mean over its folds; nan before the first
        rung. Optimistically biased, because it is the maximum over candidates.
    best_index_ : int
        Index of the last line of the winner in ``cv_results_``.
    cost_ : float
        Time of the search in fits of the winner: the seconds of all training and scores, divided
        by those of the training of the winner on all samples.
    cv_results_ : dict of ndarrays
        A line for each candidate and rung, to be read by :class:`pandas.DataFrame`; folds continue
        the numbers of the rungs. ``rung``, ``n_resources`` (training samples), ``n_scored``,
        ``candidate``, ``param_*``, ``params``, ``mean_test_score`` (the mean over the folds so
        far), ``se_test_score`` (its standard error; of other metrics than accuracy, only that of
        the best candidates), ``rank_test_score`` (over the whole table, later rungs first),
        ``survives``, ``n_support``, ``mean_fit_time`` and ``mean_score_time`` (seconds so far).
        With several metrics there is a column ``mean_test_<name>`` for each, and the other columns
        are those of the one that decides.
    edges_ : dict
        Numeric parameters of a grid with at least four values whose best value is the
        ``"smallest"`` or the ``"largest"`` one: the grid should be extended in that direction.
    n_candidates_, n_resources_ : list of int
        Number of candidates at each rung or fold, and of their training samples.
    n_remaining_candidates_ : int
        Number of candidates that have not been eliminated.
    classes_ : ndarray of shape (n_classes,)
        Class labels of the model.
    n_features_in_ : int
        Number of features of the model.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the model has them.
    scorer_ : function or dict
        Scorers in use.
    multimetric_ : bool
        Whether there are several metrics.

    See Also
    --------
    sklearn.model_selection.HalvingGridSearchCV : Successive halving without a last search.
    sklearn_online_svm.evaluation.ProgressiveSearchDisplay : Learning curves of the candidates.
    sklearn_online_svm.evaluation.progressive_validation : Scores of one model along a stream.

    Notes
    -----
    Rungs are successive halving [1]_, but as many candidates survive as a part of the budget
    allows. Few samples prefer smooth models, so the winner of the rungs is not the best choice for
    all samples, but near it; the search among its neighbours at full size corrects that.
    Eliminating candidates after each fold is racing [2]_. The :ref:`User Guide
    <progressive_search>` has the details.

    Costs of the models of this package are estimated from counts, so that the result is the same
    on every machine; those of other models that do not count their updates are measured.

    Ctrl-C leaves the best candidate so far as ``best_estimator_``, and :meth:`resume` continues
    the search.

    References
    ----------
    .. [1] K. Jamieson, A. Talwalkar: Non-stochastic best arm identification and hyperparameter
       optimization. AISTATS 2016.
    .. [2] O. Maron, A. W. Moore: Hoeffding races: accelerating model selection search for
       classification and function approximation. NIPS 1993.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.model_selection import ProgressiveSearch
    >>> X, y = make_banana_like(4000, random_state=0)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> grid = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-2, 2, 5)}
    >>> search = ProgressiveSearch(LASVC(), grid, random_state=0).fit(X_train, y_train)
    >>> bool(search.score(X_test, y_test) > 0.88)
    True
    >>> search.n_candidates_[0], search.n_remaining_candidates_
    (25, 1)
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit"])],
        "param_grid": [dict, list],
        "scoring": BaseSearchCV._parameter_constraints["scoring"],
        "n_candidates": [Interval(Integral, 1, None, closed="left"), StrOptions({"all"})],
        "max_cost": [Interval(Real, 0, None, closed="right")],
        "min_resources": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "max_resources": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"})],
        "cv": ["cv_object", Interval(Real, 0, 1, closed="neither")],
        "refit": [str, Options(bool, {True})],
        "select": [StrOptions({"best", "one_se"})],
        "error_score": [StrOptions({"raise"}), Real],
        "shuffle": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator,
        param_grid,
        *,
        scoring=None,
        n_candidates="all",
        max_cost=25.0,
        min_resources="auto",
        max_resources="auto",
        cv=None,
        refit=True,
        select="best",
        error_score=np.nan,
        shuffle=True,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        store_parameters(locals())

    # ---------------------------------------------------------------------------- training

    @_fit_context(prefer_skip_nested_validation=False)
    @_in_turn
    def fit(self, X, y=None, **params):
        """Search, and train the winner on all samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,), default=None
            Targets.
        **params : dict of str -> array-like of shape (n_samples,)
            Metadata such as ``sample_weight``, for ``fit`` of the estimator and for scorers that
            accept it; ``groups`` for ``cv``. With metadata routing they are passed
            where they are requested.

        Returns
        -------
        self : object
            The fitted search.

        Raises
        ------
        ValueError
            If a parameter or the input is invalid, if there are too few samples to compare
            candidates, or if all candidates fail.
        KeyboardInterrupt
            On Ctrl-C; :meth:`resume` continues.
        """
        X, y = self._validated(X, y)
        fit_params, score_params, split_params = self._routed(X, params)
        n_samples, random = _num_samples(X), check_random_state(self.random_state)
        if n_samples < 2:
            raise ValueError(
                f"ProgressiveSearch needs at least 2 samples, got n_samples={n_samples}."
            )
        if get_tags(self.estimator).input_tags.pairwise:
            raise ValueError(
                "ProgressiveSearch cannot select samples of a kernel matrix; got "
                f"{self.estimator!r}, whose X is one. Use GridSearchCV, or a kernel function."
            )
        settings = self._settings(random)
        order = random.permutation(n_samples) if self.shuffle else np.arange(n_samples)
        classes = self._classes_of(y)
        if classes is not None and "sample_weight" in fit_params:
            refuse_one_class(y, fit_params["sample_weight"], classes)
        if classes is not None and self.shuffle:
            order = stratified(order, y)
        if self.max_resources != "auto":
            order = order[: self.max_resources]
        folds, n_folds = make_folds(
            self.cv,
            order,
            y,
            is_classifier=classes is not None,
            shuffle=self.shuffle,
            split_params=split_params,
        )
        estimator = self._seeded(random)
        race = self._race(estimator, settings, classes, Candidate)
        search = FitSearch(
            race,
            Samples(X, y, fit_params, score_params),
            self._rung_ends(folds[0][0], y, classes, fit_params.get("sample_weight")),
            folds,
            n_folds,
            self._neighbours(estimator, settings, random),
        )
        return self._continue(search)

    def _continue(self, search):
        """Take the remaining steps, and set the attributes of the winner."""
        race = search.race
        with reporting(self, "fit", search.samples.X, search.samples.y):
            try:
                search.advance(lambda: self._report(race))
            except KeyboardInterrupt as interrupt:
                with DeferredInterrupts():  # a second signal must not prevent resume
                    self._interrupt(search, interrupt)
                raise
            self._show(race, search.winner, _winner_of_fit=(race, search.winner))
        edges = ", ".join(
            f"{name}={self.best_params_[name]:.4g} is the {which} of its values"
            for name, which in self.edges_.items()
        )
        if edges:
            warn(
                f"The best parameters lie at the edge of the grid: {edges}. Extend the grid in "
                "that direction."
            )
        if race.predicts_one_class(search.winner):
            warn(
                "The best candidate predicts the same class for all held-out samples: "
                f"{_shortened(self.best_params_)}. Extend the grid, or use class weights or a "
                "metric for rare classes, such as scoring='balanced_accuracy'."
            )
        if self.verbose:
            print(
                f"[{type(self).__name__}] cost {self.cost_:.1f} fits of the winner, "
                f"{_shortened(self.best_params_)}"
            )
        return self

    def _interrupt(self, search, interrupt):
        """Set the attributes of the best candidate; keep the state for ``resume``."""
        note = f"{type(self).__name__} was interrupted: resume(X, y) continues the search."
        samples, best = search.samples, search.race.leader()
        kept = {"_interrupted": (search, joblib.hash((samples.X, samples.y)))}
        search.release_samples()
        if best is not None:
            self._show(search.race, best, **kept)
            note += " The best candidate so far can be used as it is."
        else:
            self.__dict__ = {**self.__dict__, **kept}
        # Replace the notes of the estimator, which refer to its own resume.
        interrupt.__notes__ = [note]

    @_fit_context(prefer_skip_nested_validation=False)
    @_in_turn
    def resume(self, X=None, y=None):
        """Continue a search that was interrupted by Ctrl-C.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            Data of the interrupted :meth:`fit`; none for ``partial_fit``, whose samples are kept
            until candidates have been trained on them.
        y : array-like of shape (n_samples,), default=None
            Targets.

        Returns
        -------
        self : object
            The search, as if it had not been interrupted.

        Raises
        ------
        ValueError
            If nothing was interrupted, or the data are not those of the interrupted call.
        """
        if "_interrupted" in self.__dict__:
            search, data = self._interrupted
            X, y = (None, None) if X is None else self._validated(X, y)
            if X is None or joblib.hash((X, y)) != data:
                raise ValueError(
                    "resume needs the data of the interrupted fit, but X or y are not those. Call "
                    "fit to search on other data."
                )
            search.samples.X, search.samples.y = X, y
            return self._continue(search)
        if not self.__dict__.get("_is_behind"):
            raise ValueError("There is nothing to resume: no call of this search was interrupted.")
        return self._advance()

    @available_if(_has_partial_fit)
    @_fit_context(prefer_skip_nested_validation=False)
    @_in_turn
    def partial_fit(self, X, y=None, classes=None, **params):
        """Continue the search, and training, with the next samples of a stream.

        Candidates are compared whenever a rung is full, whatever the size of the chunks;
        ``best_estimator_`` is trained on every sample so far. After ``fit``, and when one
        candidate is left, this is ``partial_fit`` of the best estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, in the order of the stream.
        y : array-like of shape (n_samples,), default=None
            Targets.
        classes : array-like of shape (n_classes,), default=None
            All labels of the stream; required in the first call for classifiers. A later call with
            additional classes adds them to all candidates, which must be estimators of this
            package; see :ref:`new_classes`.
        **params : dict of str -> array-like of shape (n_samples,)
            Metadata, as for :meth:`fit`.

        Returns
        -------
        self : object
            The search.

        Raises
        ------
        ValueError
            If a parameter or the input is invalid, or if all candidates fail.
        """
        X, y = self._validated(X, y)
        if not _num_samples(X):
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        fit_params, score_params, _ = self._routed(X, params, caller="partial_fit")
        if "_interrupted" in self.__dict__:
            raise ValueError(
                "The fit of this search was interrupted: resume(X, y) continues it, fit begins "
                "again."
            )
        stream = self.__dict__.get("_stream")
        if stream is None:
            stream = self._new_stream(classes)
        self._refuse_changes(stream.race)
        with reporting(self, "partial_fit", X, y):
            undo, is_over = self._add_classes(stream, classes), stream.is_over
            before, taken = self.__dict__, False
            try:
                with PostponedInterrupts() as interrupts:
                    with interrupts.raised():
                        samples = stream.prepared(Samples(X, y, fit_params, score_params))
                    stream.waiting.append(samples)
                    self.__dict__ = {**before, "_stream": stream, "_is_behind": True}
                    taken = True
                self._advance()
            except BaseException as error:
                interrupted = isinstance(error, KeyboardInterrupt)
                is_rejected = not interrupted and (is_over or not taken)
                if is_rejected or not taken:
                    undo()
                    stream.discard_shown()
                if is_rejected:
                    self.__dict__ = before
                    raise
                note = "has not taken these samples: pass them again to continue."
                if taken:
                    note = "has taken these samples; resume(), or the next partial_fit, continues."
                if interrupted:
                    error.__notes__ = []  # those of the candidate say how to resume it
                error.add_note(f"{type(self).__name__} {note}")
                raise
        return self

    def _add_classes(self, stream, classes):
        """Add classes to all models, if there are new ones; return a function that undoes it."""
        former = stream.race.classes
        if classes is not None and former is not None:
            known = classes_of_stream(classes, former, extendable=True)
            if len(known) > len(former):
                if stream.steps:
                    self._advance()  # what an interrupt has left, with the former classes
                return stream.add_classes(known)
        return lambda: None

    def _refuse_changes(self, race):
        """Raise an error if a parameter has changed that cannot."""
        race.rules = replace(race.rules, n_jobs=self.n_jobs)
        present = self.get_params()
        for name, old in race.fixed_parameters.items():
            new = present.get(name)
            plain = isinstance(old, (str, Real))
            if new is not old and not (plain and (new == old or new != new and old != old)):
                raise_fixed_param(name, old, new)

    def _new_stream(self, classes):
        if "_winner_of_fit" in self.__dict__:
            return StreamSearch.of_winner(*self._winner_of_fit)
        random = check_random_state(self.random_state)
        settings, known = self._settings(random), None
        if is_classifier(final_estimator(self.estimator)):
            known = classes_of_stream(classes)
        first = self.min_resources
        if first == "auto":
            first = first_rung(0 if known is None else len(known))
        most = np.inf if self.max_resources == "auto" else self.max_resources
        race = self._race(self._seeded(random), settings, known, StreamCandidate)
        return StreamSearch(race, StreamRungs(first, most, len(settings)))

    def _advance(self):
        """Run all possible steps, and set the attributes of the best candidate."""
        self._is_behind = True
        stream = self._stream
        stream.advance(lambda: self._report(stream.race))
        self._show(stream.race, stream.shown())
        self._is_behind = False
        return self

    # ---------------------------------------------------------------------------- results

    def _show(self, race, candidate, **state):
        """Set the public attributes in one step, with the given state of the search."""
        old = () if not state else ("_stream", "_interrupted", "_winner_of_fit", "_is_behind")
        kept = {name: value for name, value in self.__dict__.items() if name not in old}
        self.__dict__ = {**kept, **self._shown(race, candidate), **state}

    def _shown(self, race, candidate):
        """Return the public attributes for a race, and the model of a candidate."""
        metrics = list(race.scorers)
        table = results_table(race.candidates, race.racing, metrics, self.error_score)
        n_candidates, n_resources = rungs_of(race.candidates)
        seconds = candidate.model_seconds
        shown = dict(
            best_estimator_=candidate.fitted(),
            best_params_=candidate.params,
            best_index_=best_line(race.candidates, candidate.number),
            best_score_=np.nan,
            cost_=race.seconds / seconds if seconds else np.nan,
            cv_results_=table,
            edges_=race.edges(candidate) if self.n_candidates == "all" else {},
            n_candidates_=n_candidates,
            n_resources_=n_resources,
            n_remaining_candidates_=len(race.racing),
            multimetric_=race.is_multimetric,
            scorer_=dict(race.scorers) if race.is_multimetric else race.scorers[metrics[0]],
        )
        if shown["best_index_"] is not None:
            shown["best_score_"] = float(table[f"mean_test_{metrics[0]}"][shown["best_index_"]])
        if hasattr(shown["best_estimator_"], "feature_names_in_"):
            shown["feature_names_in_"] = shown["best_estimator_"].feature_names_in_
        return shown

    def _report(self, race):
        """Report the last comparison; return whether a callback requests to stop."""
        tasks, best = self.__dict__.get("_tasks"), race.leader()
        stop = tasks is not None and tasks.report("rung", lambda: self._shown(race, best))
        if self.verbose:
            last = best.entries[-1]
            n = sum(c.entries[-1].rung == last.rung for c in race.candidates if c.entries)
            print(
                f"[{type(self).__name__}] {last.n_samples} samples: {n} candidates; best "
                f"{last.scores.value:.4f} +- {last.standard_error:.4f}; {race.seconds:.2g} s so "
                f"far: {_shortened(best.params)}"
            )
        return stop

    def __copy__(self):
        if "_tasks" in self.__dict__:
            # scikit-learn copies a search for callbacks, and sets what ``_shown`` returned.
            other = type(self).__new__(type(self))
            other.__dict__.update(self.__dict__)
            return other
        # A shallow copy would share the models, which partial_fit changes in place.
        return copy.deepcopy(self)

    # ---------------------------------------------------------------------------- parameters

    def _settings(self, random):
        """Return the parameters of each candidate."""
        n = self.n_candidates
        if n != "all":
            return list(ParameterSampler(self.param_grid, int(n), random_state=random))
        grids = [self.param_grid] if isinstance(self.param_grid, dict) else self.param_grid
        for name, values in chain.from_iterable(grid.items() for grid in grids):
            if hasattr(values, "rvs"):
                raise ValueError(
                    f"param_grid[{name!r}] is a distribution, {values!r}: n_candidates must be "
                    "the number of candidates to draw, got 'exhaust'."
                )
        settings = list(ParameterGrid(self.param_grid))
        if not settings:
            raise ValueError(
                f"param_grid must have at least one candidate, got {self.param_grid!r}."
            )
        return settings

    def _validated(self, X, y):
        """Return data that can be indexed, and targets in one dimension."""
        X, y = indexable(with_valid_indices(X), y)
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        return X, plain_labels(y)

    def _seeded(self, random):
        """Return the estimator; parts of it without a seed have one if the search has."""
        estimator = clone(self.estimator)
        return estimator if self.random_state is None else seeded(estimator, random)

    def _race(self, estimator, settings, classes, kind):
        rules = Rules(
            max_cost=self.max_cost,
            cheapest=self.select == "one_se",
            error_score=self.error_score,
            n_jobs=self.n_jobs,
        )
        steps = {}
        candidates = candidates_of(estimator, settings, kind, shared=steps)
        race = Race(candidates, self._scorers(), rules, classes)
        race.steps = steps  # of candidates drawn later, too
        race.is_multimetric = self._has_several_metrics()
        race.fixed_parameters = {
            name: value
            for name, value in self.get_params().items()
            if name in FIXED or (name.startswith("estimator__") and not name.endswith(FREE))
        }
        return race

    def _neighbours(self, estimator, settings, random):
        if self.n_candidates == "all":
            return GridNeighbours(settings)
        seed = random.randint(np.iinfo(np.int32).max)
        return DrawnNeighbours(estimator, self.param_grid, len(settings), seed)

    def _has_several_metrics(self):
        return isinstance(self.scoring, (list, tuple, dict, set))

    def _scorers(self):
        """Return the scorers by name; the first one decides."""
        if not self._has_several_metrics():
            if callable(self.scoring):
                return {"score": self.scoring}
            return {"score": check_scoring(self.estimator, self.scoring)}
        scorers = _check_multimetric_scoring(self.estimator, self.scoring)
        if self.refit not in scorers:
            raise ValueError(
                f"refit must be the name of the metric that decides, one of {sorted(scorers)}, "
                f"got refit={self.refit!r}."
            )
        return {self.refit: scorers.pop(self.refit), **scorers}

    def _classes_of(self, y):
        """Return the class labels, None for a regressor."""
        if not is_classifier(final_estimator(self.estimator)):
            return None
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        check_labels(np.asarray(y))
        refuse_mixed_types(y)
        return np.unique(y)

    def _rung_ends(self, train, y, classes, sample_weight):
        """Return the numbers of training samples at the rungs, which must have all classes."""
        n_samples, first, least = len(train), self.min_resources, 0
        n_classes, share = 0, 1.0
        if classes is not None:
            n_classes, share = len(classes), smallest_share(y)
            is_weighted = True if sample_weight is None else np.asarray(sample_weight)[train] > 0
            places = np.flatnonzero(np.broadcast_to(is_weighted, n_samples))
            firsts = np.unique(np.asarray(y)[train][places], return_index=True)[1]
            least = places[firsts].max(initial=0)
        if first == "auto":
            first = first_rung(n_classes, share, n_samples)
        return [end for end in rung_ends(n_samples, first) if end > least]

    def _routed(self, X, params, caller="fit"):
        """Return the metadata for the estimator, for the scorers and for cv."""
        params = _check_method_params(X, params={k: v for k, v in params.items() if v is not None})
        if "sample_weight" in params:
            params["sample_weight"] = _check_sample_weight(params["sample_weight"], X)
        metrics, several = self._scorers(), self._has_several_metrics()
        if routes_metadata():
            routed = process_routing(self, caller, **params)
            scoring = {
                name: routed[f"scorer_{name}" if several else "scorer"].score for name in metrics
            }
            return routed.estimator[caller], scoring, routed.splitter.get("split", {})
        split = {"groups": params.pop("groups")} if "groups" in params else {}
        weights = {k: v for k, v in params.items() if k == "sample_weight"}
        scoring = {
            name: weights if takes_weights(scorer) else {} for name, scorer in metrics.items()
        }
        return params, scoring, split

    def get_metadata_routing(self):
        """Return the metadata routing of the estimator, of the scorers and of the splitter.

        Returns
        -------
        routing : MetadataRouter
            The routing of ``fit``, ``partial_fit`` and ``score``.

        Raises
        ------
        ValueError
            If ``refit`` names none of several metrics.
        """
        router = MetadataRouter(owner=type(self).__name__).add(
            estimator=final_estimator(self.estimator),
            method_mapping=MethodMapping()
            .add(caller="fit", callee="fit")
            .add(caller="partial_fit", callee="partial_fit"),
        )
        for name, scorer in self._scorers().items():
            router.add(
                **{f"scorer_{name}" if self._has_several_metrics() else "scorer": scorer},
                method_mapping=MethodMapping()
                .add(caller="score", callee="score")
                .add(caller="fit", callee="score")
                .add(caller="partial_fit", callee="score"),
            )
        return router.add(
            splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split")
        )


def _shortened(params):
    """Return parameters as text, numbers with four digits."""
    return ", ".join(
        f"{name}={value:.4g}" if isinstance(value, Real) and not isinstance(value, bool)
        else f"{name}={value!r}"
        for name, value in params.items()
    )  # fmt: skip


def takes_weights(scorer):
    """Return whether a scorer accepts sample weights."""
    if hasattr(scorer, "_accept_sample_weight"):
        return scorer._accept_sample_weight()
    if isinstance(scorer, _PassthroughScorer):  # scoring=None in scikit-learn 1.6
        scorer = scorer._estimator.score
    return "sample_weight" in signature(scorer).parameters


def refuse_one_class(y, sample_weight, classes):
    """Raise an error if only samples of one class have positive weights."""
    weighted = np.unique(np.asarray(y)[np.asarray(sample_weight) > 0])
    if len(weighted) < min(2, len(classes)):
        raise ValueError(
            "sample_weight must be positive for samples of at least two classes, got positive "
            f"weights for {weighted.tolist()} only."
        )
