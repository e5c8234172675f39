"""Search for parameters while training: candidates learn one stream, and the worst leave."""

from dataclasses import replace
from inspect import signature
from numbers import Integral, Real

import joblib
import numpy as np
from sklearn.base import _fit_context, is_classifier
from sklearn.metrics import check_scoring
from sklearn.metrics._scorer import _check_multimetric_scoring
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import check_random_state, column_or_1d, indexable
from sklearn.utils._param_validation import HasMethods, Interval, Options, StrOptions
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_method_params, _check_sample_weight, _num_samples

from .._base import callbacks, classes_of_stream, routes_metadata
from .._contract import refuse_change
from ._candidates import Table, candidates_of, final_estimator
from ._judging import Judge
from ._plan import Run, first_rows, folds_of, planned, rungs
from ._race import Race, Rules
from ._stream import Course, Stream

__all__ = ["ProgressiveSearch"]

# Parameters that cannot change while a search goes on.
FIXED = (
    *("estimator", "param_grid", "scoring", "refit", "n_candidates", "factor", "min_resources"),
    *("max_resources", "select", "min_candidates", "n_challengers", "error_score"),
)


def _learns_in_parts(search):
    if not hasattr(final_estimator(search.estimator), "partial_fit"):
        raise AttributeError(
            f"{type(final_estimator(search.estimator)).__name__} has no partial_fit."
        )
    return True


class ProgressiveSearch(BaseSearchCV):
    r"""Search for the best parameters while training: successive halving over one stream.

    Every candidate learns the first rows. From then on each stretch of rows, twice as long as the
    one before, first serves as a test of all that are left: the worst leave, the others learn it
    and **go on from where they are**. The last one learns the rest and is the model, trained on
    all rows. No model is ever fitted again, and no row is set aside; a search through a hundred
    pairs of C and gamma costs about as much as a few fits.

    For any classifier or regressor with ``partial_fit``: those of this package,
    :class:`~sklearn.linear_model.SGDClassifier`, and others.

    Read more in the :ref:`User Guide <progressive_search>`.

    Parameters
    ----------
    estimator : estimator object
        What is tuned. It has ``partial_fit``, or is a :class:`~sklearn.pipeline.Pipeline` whose
        last step has. The transformers of a pipeline are fitted once and then frozen: by ``fit``
        on all rows without their labels (one that needs labels on the rows of the first rung
        alone), by ``partial_fit`` on the rows of the first rung (until it is full, the model that
        is shown has transformers of its own, fitted on the first chunk). ``gamma="scale"`` is that
        of the first rung, too.
    param_grid : dict or list of dicts
        Names of parameters, and lists of values to try; or, with ``n_candidates``, distributions
        with a method ``rvs``.
    scoring : str, callable, list, tuple or dict, default=None
        What is best, as in :class:`~sklearn.model_selection.GridSearchCV`; None: ``score`` of the
        estimator. With several metrics ``refit`` names the one that decides.
    n_candidates : int or "exhaust", default="exhaust"
        Candidates drawn from ``param_grid``; ``"exhaust"``: all of the grid.
    factor : float, default=2
        The rows grow by this factor from one comparison to the next. Smaller is slower, and more
        careful.
    min_resources : int or "auto", default="auto"
        Rows of the first rung, learnt before anyone is compared. ``"auto"``: 250 or 20 for each
        class, fewer where there are less than 4000 rows in all.
    max_resources : int or "auto", default="auto"
        Rows after which the best goes on alone. ``"auto"``: in ``fit`` all of them, in
        ``partial_fit`` as many as it takes until one is left.
    scores : {"progressive", "holdout", "cv"}, default="progressive"
        Which rows candidates are compared on:

        - ``"progressive"``: those that come next, before they are learnt. Each comparison counts
          half as much per row as the one after it.
        - ``"holdout"``: a fifth of all rows, the same each time, which the best learns in the end.
        - ``"cv"``: each candidate has a model for each split of ``cv``, scored on its test rows;
          for few rows. The best is then trained anew on all of them.

        ``partial_fit`` is always progressive.
    cv : int, float, cross-validation generator or iterable, default=None
        With ``scores="holdout"`` the share of rows that is held out, or a splitter of one split;
        with ``"cv"`` the number of folds (default 5), or a splitter.
    refit : bool or str, default=True
        The metric that decides where there are several. There is always a model in the end.
    select : {"best", "one-se"}, default="best"
        Who wins the last comparison: the best, or the cheapest of those within one standard error
        of the best (with the fewest support vectors; where there are none, the fastest).
    min_candidates : int, default=1
        Candidates that stay in the race until the last comparison, whatever their scores.
    n_challengers : int, default=0
        In a stream without end (``partial_fit``): once the race has come down to
        ``min_candidates``, so many of those that have left begin anew with each rung, and stay if
        they are better in the next comparison, which alone counts then. 0: the last one learns on
        alone.
    error_score : "raise" or number, default=nan
        Score of a candidate that raises an error; it leaves the race, with a warning.
    shuffle : bool, default=True
        Whether ``fit`` takes the rows in random order. ``partial_fit`` takes them as they come.
    n_jobs : int, default=None
        Threads that candidates are shared among. The result is the same for any number.
    random_state : int, RandomState instance or None, default=None
        Seeds the order of the rows, what is held out, the draw of candidates, and of challengers.
    verbose : int, default=0
        1 prints a line for each comparison.

    Attributes
    ----------
    best_estimator_ : estimator
        The winner, trained on all rows; in the midst of a stream the best so far, which has
        learnt all rows that have come.
    best_params_ : dict
        Its parameters.
    best_score_ : float
        Its score by the last comparison (of that time, not of the finished model, which has learnt
        the double); nan while there was none.
    best_index_ : int
        Its last line in ``cv_results_``.
    cv_results_ : dict of ndarrays
        A line for each candidate and comparison, to be read by :class:`pandas.DataFrame`:
        ``rung``, ``n_resources`` (rows learnt), ``n_scored``, ``candidate``, ``param_*``,
        ``params``, ``mean_test_score`` (weighted mean over the comparisons so far: what decides),
        ``rung_test_score`` (of this comparison alone), ``se_test_score``, ``difference_to_best``
        and ``se_difference_to_best`` (standard error of the difference on the same rows),
        ``rank_test_score``, ``goes_on``, ``n_support``, ``mean_fit_time`` and
        ``mean_score_time`` (seconds so far). With several metrics their names stand for "score".
    n_candidates_, n_resources_ : list of int
        Candidates at each comparison, and the rows that they had learnt.
    n_remaining_candidates_ : int
        Candidates that are still in the race.
    classes_ : ndarray of shape (n_classes,)
        Class labels of the model.
    n_features_in_ : int
        Number of features of the model.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, when the model knows them.
    scorer_ : function or dict
        Scorers in use.
    multimetric_ : bool
        Whether there are several.

    See Also
    --------
    sklearn.model_selection.HalvingGridSearchCV : Fits all candidates anew at each rung.
    sklearn_online_svm.evaluation.progressive_validation : Scores of one model along a stream.

    Notes
    -----
    **Who goes on.** From N candidates over k comparisons about :math:`N^{1 - i/k}` go on after
    the i-th, so that the last one leaves the winner (in a stream :math:`N / \mathrm{factor}^i`).
    A quarter as many again may stay if they are less than a standard error worse than the last of
    these. Standard errors are of paired differences, by the block jackknife with ten blocks. Equal
    scores are ranked by support vectors: fewer is better.

    **What it can miss.** Few rows have other favourites than many, a smaller C and a wider kernel
    mostly: a candidate that is best on all rows may be among the worst on the first ones. More
    rows at first (``min_resources``), a smaller ``factor`` and more candidates to the end
    (``min_candidates``) make that less likely.

    **Interrupts.** Ctrl-C leaves the best so far as ``best_estimator_``, and :meth:`resume` goes
    on with the search.

    References
    ----------
    .. [1] K. Jamieson, A. Talwalkar: Non-stochastic best arm identification and hyperparameter
       optimization. AISTATS 2016.
    .. [2] A. Blum, A. Kalai, J. Langford: Beating the hold-out: bounds for K-fold and progressive
       cross-validation. COLT 1999.

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
        "n_candidates": [Interval(Integral, 1, None, closed="left"), StrOptions({"exhaust"})],
        "factor": [Interval(Real, 1, None, closed="neither")],
        "min_resources": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "max_resources": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"})],
        "scores": [StrOptions({"progressive", "holdout", "cv"})],
        "cv": ["cv_object", Interval(Real, 0, 1, closed="neither")],
        "refit": [str, Options(bool, {True})],
        "select": [StrOptions({"best", "one-se"})],
        "min_candidates": [Interval(Integral, 1, None, closed="left")],
        "n_challengers": [Interval(Integral, 0, None, closed="left")],
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
        n_candidates="exhaust",
        factor=2,
        min_resources="auto",
        max_resources="auto",
        scores="progressive",
        cv=None,
        refit=True,
        select="best",
        min_candidates=1,
        n_challengers=0,
        error_score=np.nan,
        shuffle=True,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.n_candidates = n_candidates
        self.factor = factor
        self.min_resources = min_resources
        self.max_resources = max_resources
        self.scores = scores
        self.cv = cv
        self.refit = refit
        self.select = select
        self.min_candidates = min_candidates
        self.n_challengers = n_challengers
        self.error_score = error_score
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # ---------------------------------------------------------------------------- learning

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, **params):
        """Search, and train the winner on all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,), default=None
            Targets.
        **params : dict of str -> array-like of shape (n_samples,)
            Metadata of the rows, as ``sample_weight``: for ``partial_fit`` of the estimator and
            for scorers that take it; ``groups`` for ``cv``. With metadata routing they go where
            they are requested.

        Returns
        -------
        self : object
            The search, with the winner in ``best_estimator_``.

        Raises
        ------
        ValueError
            If a parameter or the input is invalid, there are too few rows for a comparison, or
            all candidates fail.
        KeyboardInterrupt
            Of Ctrl-C; the best so far is there, and :meth:`resume` goes on.
        """
        X, y = self._rows(X, y)
        learning, scoring, split = self._routed(X, params)
        n_rows, random = _num_samples(X), check_random_state(self.random_state)
        settings = self._settings(random)
        order = random.permutation(n_rows) if self.shuffle else np.arange(n_rows)
        classes = self._classes_of(y)
        if classes is not None and "sample_weight" in learning:
            refuse_one_class(y, learning["sample_weight"], classes)
        is_classifier = classes is not None
        options = dict(is_classifier=is_classifier, split=split, random=random)
        folds = folds_of(self.scores, self.cv, order, y, **options)
        targets = self._targets(len(folds.order), len(classes) if is_classifier else 0)
        if len(settings) > 1 and folds.is_progressive and len(targets) < 2:
            raise ValueError(
                f"{len(settings)} candidates cannot be compared on n_samples={n_rows} rows with "
                f"min_resources={self.min_resources!r} and max_resources={self.max_resources!r}: "
                "there are none left to score them on."
            )
        folds.check(targets[0])
        race = self._race(settings, classes, fading=folds.is_progressive)
        for candidate in race.alive:
            candidate.begin(max(1, len(folds.held)))
        race.fit_transformers(X, y, folds.order[: targets[0]])
        table = Table(X, y, learning, scoring)
        return self._go_on(Run(race, table, folds, planned(folds, targets, len(settings))))

    def _go_on(self, run):
        """Take the steps that are left, and show the winner."""
        n_tasks = sum(step[0] in ("cut", "decide") for step in run.steps[run.at :])
        with callbacks(self, "comparison", n_tasks, run.table.X, run.table.y) as tell:

            def over(race):
                self._report(race)
                return tell(lambda: self._shown(race, race.best()))

            try:
                run.go_on(over)
            except KeyboardInterrupt as interrupt:
                self._interrupt(run, interrupt)
                raise
        self._show(run.race, run.race.best(), _race_over=run.race)
        return self

    def _interrupt(self, run, interrupt):
        """Show the best so far, and keep all but the rows, to go on."""
        told = f"{type(self).__name__} was interrupted: resume(X, y) goes on with the search."
        kept = {"_interrupted": (run, joblib.hash((run.table.X, run.table.y)))}
        twin = run.race.best().twin()
        run.without_rows()
        if hasattr(twin.models[0], "n_features_in_"):
            self._show(run.race, twin, **kept)
            told += " The best so far can be used as it is."
        else:
            self.__dict__ = {**self.__dict__, **kept}
        # Those of a model do not concern those who have called the search.
        interrupt.__notes__ = [told]

    @_fit_context(prefer_skip_nested_validation=False)
    def resume(self, X=None, y=None):
        """Go on with the search that Ctrl-C has interrupted.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            The rows of the interrupted :meth:`fit`; none for ``partial_fit``, whose rows are kept
            until they have been learnt.
        y : array-like of shape (n_samples,), default=None
            Their targets.

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
            run, data = self._interrupted
            X, y = (None, None) if X is None else self._rows(X, y)
            if X is None or joblib.hash((X, y)) != data:
                raise ValueError(
                    "resume goes on with the data of the interrupted fit, but X or y are not "
                    "those. Call fit to search on other data."
                )
            return self._go_on(run.with_rows(X, y))
        if not self.__dict__.get("_is_behind"):
            raise ValueError("There is nothing to resume: no call of this search was interrupted.")
        return self._advance()

    @available_if(_learns_in_parts)
    @_fit_context(prefer_skip_nested_validation=False)
    def partial_fit(self, X, y=None, classes=None, **params):
        """Go on with the search, and with learning, by the next rows of a stream.

        The candidates are compared whenever a rung is full, whatever the size of the chunks;
        ``best_estimator_`` has learnt every row that has come. After ``fit``, and when one
        candidate is left, this is ``partial_fit`` of the best.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, in the order of the stream.
        y : array-like of shape (n_samples,), default=None
            Targets.
        classes : array-like of shape (n_classes,), default=None
            All labels of the stream; needed in the first call of a classifier.
        **params : dict of str -> array-like of shape (n_samples,)
            Metadata of the rows, as for :meth:`fit`.

        Returns
        -------
        self : object
            The search that has learnt these rows, too.

        Raises
        ------
        ValueError
            If a parameter or the input is invalid, or all candidates fail.
        """
        X, y = self._rows(X, y)
        if not _num_samples(X):
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        learning, scoring, _ = self._routed(X, params, caller="partial_fit")
        if "_interrupted" in self.__dict__:
            raise ValueError(
                "The fit of this search was interrupted: resume(X, y) goes on with it, fit begins "
                "anew."
            )
        stream = self.__dict__.get("_stream")
        if stream is None:
            stream = self._new_stream(classes)
        if classes is not None and stream.race.classes is not None:
            classes_of_stream(classes, stream.race.classes)
        self._refuse_changes(stream.race)
        try:
            stream.take(Table(X, y, learning, scoring))
        except KeyboardInterrupt as interrupt:
            told = "has not taken these rows: give them again to go on."
            interrupt.__notes__ = [f"{type(self).__name__} {told}"]
            raise
        self._stream = stream
        return self._advance()

    def _refuse_changes(self, race):
        """Refuse parameters that cannot change while a search goes on, by name."""
        race.rules = replace(race.rules, n_jobs=self.n_jobs)
        for name, old in race.searched_with.items():
            new = getattr(self, name)
            plain = isinstance(old, (str, Real)) or old is None
            if new is not old and not (plain and (new == old or new != new and old != old)):
                refuse_change(name, old, new)

    def _new_stream(self, classes):
        if "_race_over" in self.__dict__:
            return Stream(self._race_over, Course(1, self.factor, 0, 1, 0, None).grows_until(1))
        random = check_random_state(self.random_state)
        settings = self._settings(random)
        known = None
        if is_classifier(final_estimator(self.estimator)):
            known = classes_of_stream(classes)
        first = self.min_resources
        if first == "auto":
            first = first_rows(None, 0 if known is None else len(known))
        most = np.inf if self.max_resources == "auto" else self.max_resources
        course = Course(
            first, self.factor, most, self.min_candidates, self.n_challengers, random
        ).grows_until(len(settings))
        race = self._race(settings, known, fading=True)
        for candidate in race.alive:
            candidate.begin(1)
        return Stream(race, course)

    def _advance(self):
        """Take what the stream has, and show the best."""
        self._is_behind = True
        stream = self._stream
        try:
            stream.advance(lambda: self._report(stream.race))
            self._show(stream.race, stream.shown())
        except KeyboardInterrupt as interrupt:
            told = "has taken these rows; resume(), or the next partial_fit, goes on."
            interrupt.__notes__ = [f"{type(self).__name__} {told}"]
            raise
        self._is_behind = False
        return self

    def _show(self, race, candidate, **more):
        """Set what users see, in one step; ``more`` is what stands for the state of the search."""
        left = () if not more else ("_stream", "_interrupted", "_race_over", "_is_behind")
        known = {name: value for name, value in self.__dict__.items() if name not in left}
        self.__dict__ = {**known, **self._shown(race, candidate), **more}

    def _shown(self, race, candidate):
        """Return the attributes that show a race, and the model of a candidate."""
        scorers, metrics = race.judge.scorers, list(race.judge.scorers)
        results = race.results.columns(metrics, self.error_score)
        shown = dict(
            best_estimator_=candidate.fitted(),
            best_params_=candidate.params,
            best_index_=race.results.best_index(candidate),
            best_score_=np.nan,
            cv_results_=results,
            n_candidates_=[len(comparison.candidates) for comparison in race.comparisons],
            n_resources_=[comparison.n_resources for comparison in race.comparisons],
            n_remaining_candidates_=len(race.alive),
            multimetric_=race.is_multimetric,
            scorer_=dict(scorers) if race.is_multimetric else scorers[metrics[0]],
        )
        if shown["best_index_"] is not None:
            scores = results[f"mean_test_{metrics[0]}"]
            shown["best_score_"] = float(scores[shown["best_index_"]])
        if hasattr(shown["best_estimator_"], "feature_names_in_"):
            shown["feature_names_in_"] = shown["best_estimator_"].feature_names_in_
        return shown

    def _report(self, race):
        """Print a line about the last comparison."""
        if not self.verbose:
            return
        last = race.comparisons[-1]
        best = last.ranked()[0]
        print(
            f"[{type(self).__name__}] {last.n_resources} rows, {len(last.candidates)} candidates, "
            f"{len(race.alive)} go on; best {last.score(best):.4f} "
            f"+- {last.error(best):.4f}: {best.params}"
        )

    # ---------------------------------------------------------------------------- what it needs

    def _settings(self, random):
        """Return the parameters of each candidate."""
        n = self.n_candidates
        if n == "exhaust":
            for grid in (
                [self.param_grid] if isinstance(self.param_grid, dict) else self.param_grid
            ):
                for name, values in grid.items():
                    if hasattr(values, "rvs"):
                        raise ValueError(
                            f"param_grid[{name!r}] is a distribution, {values!r}: n_candidates "
                            "must be the number of candidates to draw, got 'exhaust'."
                        )
            settings = list(ParameterGrid(self.param_grid))
            if not settings:
                raise ValueError(
                    f"param_grid must hold one candidate at least, got {self.param_grid!r}."
                )
            return settings
        return list(ParameterSampler(self.param_grid, int(n), random_state=random))

    def _rows(self, X, y):
        """Return rows that can be indexed, and targets in one dimension."""
        if not hasattr(final_estimator(self.estimator), "partial_fit"):
            name = type(final_estimator(self.estimator)).__name__
            raise ValueError(f"estimator must have partial_fit, which this {name} has not.")
        X, y = indexable(X, y)
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        return X, y

    def _race(self, settings, classes, *, fading):
        scorers = self._scorers()
        rules = Rules(
            floor=self.min_candidates,
            fading=fading,
            cheapest=self.select == "one-se",
            error_score=self.error_score,
            n_jobs=self.n_jobs,
        )
        race = Race(candidates_of(self.estimator, settings), Judge(scorers), rules, classes)
        race.is_multimetric = self._has_several_metrics()
        race.searched_with = {name: getattr(self, name) for name in FIXED}
        return race

    def _has_several_metrics(self):
        return isinstance(self.scoring, (list, tuple, dict, set))

    def _scorers(self):
        """Return scorers by name, the one that decides first."""
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
        """Return the labels of a classifier, None of a regressor."""
        if not is_classifier(final_estimator(self.estimator)):
            return None
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        check_classification_targets(y)
        unique_labels(y)  # refuses a mix of types
        return np.unique(y)

    def _targets(self, n_rows, n_classes):
        most = n_rows if self.max_resources == "auto" else min(n_rows, self.max_resources)
        exact = self.min_resources != "auto"
        first = self.min_resources if exact else first_rows(most, n_classes)
        return rungs(most, first, self.factor, exact=exact)

    def _routed(self, X, params, caller="fit"):
        """Return what partial_fit, the scorers and cv are given of the metadata."""
        params = _check_method_params(X, params={k: v for k, v in params.items() if v is not None})
        if "sample_weight" in params:
            params["sample_weight"] = _check_sample_weight(params["sample_weight"], X)
        metrics, several = self._scorers(), self._has_several_metrics()
        if routes_metadata():
            routed = process_routing(self, caller, **params)
            scoring = {
                name: routed[f"scorer_{name}" if several else "scorer"].score for name in metrics
            }
            return routed.estimator.partial_fit, scoring, routed.splitter.split
        split = {"groups": params.pop("groups")} if "groups" in params else {}
        weights = {k: v for k, v in params.items() if k == "sample_weight"}
        scoring = {
            name: weights if takes_weights(scorer) else {} for name, scorer in metrics.items()
        }
        return params, scoring, split

    def get_metadata_routing(self):
        """Return where metadata go: to ``partial_fit``, to scorers, and to the splitter.

        Returns
        -------
        routing : MetadataRouter
            The routing of ``fit``, ``partial_fit`` and ``score``.

        Raises
        ------
        ValueError
            If ``refit`` names none of several metrics.
        """
        both = MethodMapping()
        router = MetadataRouter(owner=self).add(
            estimator=final_estimator(self.estimator),
            method_mapping=both.add(caller="fit", callee="partial_fit").add(
                caller="partial_fit", callee="partial_fit"
            ),
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


def takes_weights(scorer):
    """Whether a scorer can weigh rows."""
    if hasattr(scorer, "_accept_sample_weight"):
        return scorer._accept_sample_weight()
    return "sample_weight" in signature(scorer).parameters


def refuse_one_class(y, sample_weight, classes):
    """Raise an error where weights leave rows of a single class."""
    weighted = np.unique(np.asarray(y)[np.asarray(sample_weight) > 0])
    if len(weighted) < min(2, len(classes)):
        raise ValueError(
            "sample_weight must leave rows of two classes at least, got positive weights for "
            f"{weighted.tolist()} alone."
        )
