"""ProgressiveSearch.partial_fit, and interrupts of fit and partial_fit."""

import copy
import itertools
import pickle
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.pipeline import OnlinePipeline
from tests.model_selection.test_progressive_search import assert_same_search, of_rung
from tests.reference import racing
from tests.support import interrupts
from tests.support.internals import LEAST_LEFT, StreamCandidate, StreamSearch, _race
from tests.support.interrupts import Interrupt, n_lines
from tests.support.samples import three_classes, two_classes

X, Y = two_classes(1200, noise=1.0)
CLASSES = np.unique(Y)
GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]}


def search(estimator=None, grid=GRID, **params):
    params = {"min_resources": 60, "random_state": 0, **params}
    return ProgressiveSearch(LASVC() if estimator is None else estimator, grid, **params)


def streamed(found, size, X=X, y=Y, n=None):
    n = len(y) if n is None else n
    for first in range(0, n, size):
        rows = slice(first, min(first + size, n))
        found.partial_fit(X[rows], y[rows], classes=np.unique(y))
    return found


@pytest.mark.parametrize("size", [7, 100])
@pytest.mark.parametrize("options", [{}, dict(max_resources=300)])
def test_result_is_independent_of_the_chunk_size(size, options):
    assert_same_search(
        streamed(search(**options), 1200), streamed(search(**options), size), decisions=True
    )


def test_single_rows_find_the_same():
    found = streamed(search(), 1, n=200)
    assert_same_search(found, streamed(search(), 200, n=200))


@pytest.mark.parametrize(
    "model, grid",
    [(LASVC(), GRID), (SGDClassifier(random_state=0), {"alpha": np.logspace(-6, 1, 15)})],
    ids=["lasvc", "sgd"],
)
@pytest.mark.parametrize("most", ["auto", 300])
def test_comparisons_and_winner_are_those_of_the_reference(model, grid, most):
    found = streamed(search(model, grid, max_resources=most), 100)
    settings = list(ParameterGrid(grid))
    ends = [60 * 2**k for k in range(5)] if most == "auto" else [60, 120, 240, 300]
    log, winner = racing.stream(model, settings, X, Y, ends, LEAST_LEFT)
    assert found.n_resources_ == ends[:-1]
    for rung, scores in log:
        numbers = of_rung(found, rung, "candidate")
        assert set(numbers) == set(scores)
        expected = [scores[number] for number in numbers]
        assert_allclose(of_rung(found, rung, "mean_test_score"), expected, rtol=1e-12)
    assert found.best_params_ == settings[winner]


def test_rungs_of_a_stream_double():
    found = streamed(search(), 1200)
    # Halving reduces nine candidates to one in four rungs.
    assert found.n_resources_ == [60, 120, 240, 480]
    assert found.n_candidates_ == [9, 5, 3, 3]
    assert found.n_remaining_candidates_ == 1
    assert found.best_estimator_.n_samples_seen_ == 1200


def test_best_estimator_is_trained_on_all_samples():
    model = LASVC(finishing=False)
    found = search(model)
    for first in range(0, 600, 50):
        rows = slice(first, first + 50)
        found.partial_fit(X[rows], Y[rows], classes=CLASSES)
        assert found.best_estimator_.n_samples_seen_ == first + 50
        plain = LASVC(finishing=False, **found.best_params_)
        plain.partial_fit(X[: first + 50], Y[: first + 50], CLASSES)
        assert_array_equal(found.decision_function(X), plain.decision_function(X))
        assert np.isfinite(found.best_score_) == (first + 50 >= 120)


def test_predictions_do_not_change_the_race():
    model = LASVC(finishing=False)
    found = search(model)
    for first in range(0, 600, 50):
        rows = slice(first, first + 50)
        found.partial_fit(X[rows], Y[rows], classes=CLASSES)
        found.predict(X)
    assert_same_search(found, streamed(search(model), 600, n=600))


def test_max_resources_ends_the_race():
    found = streamed(search(max_resources=200), 100)
    assert found.n_remaining_candidates_ == 1
    assert found.n_resources_ == [60, 120]


def test_classes_are_required():
    with pytest.raises(ValueError, match="classes must be passed"):
        search().partial_fit(X, Y)


def test_several_classes_sparse_rows_and_names():
    rows, labels = three_classes(800)
    names = np.array(["low", "mid", "top"])[labels // 10 - 1]
    dense = streamed(search(), 90, rows, labels)
    sparse = streamed(search(), 130, csr_matrix(rows), names)
    assert dense.best_params_ == sparse.best_params_
    decisions = sparse.decision_function(csr_matrix(rows))
    assert_allclose(dense.decision_function(rows), decisions, rtol=1e-9)


def test_frames():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcd"))
    found = streamed(search(), 90, frame, pd.Series(Y))
    assert_same_search(found, streamed(search(), 90), decisions=False)
    assert list(found.feature_names_in_) == list("abcd")


def test_transformers_are_fitted_on_the_first_rung():
    pipeline = make_pipeline(StandardScaler(), LASVC())
    grid = {"lasvc__C": [0.1, 1.0], "lasvc__gamma": [0.1, 1.0]}
    found = streamed(search(pipeline, grid), 25)
    assert_array_equal(found.best_estimator_[0].mean_, StandardScaler().fit(X[:60]).mean_)
    early = search(pipeline, grid).partial_fit(X[:25], Y[:25], classes=CLASSES)
    assert early.predict(X).shape == (1200,)


def test_sample_weights():
    weights = np.where(Y == "yes", 1.0, 0.2)
    whole = search().partial_fit(X, Y, classes=CLASSES, sample_weight=weights)
    parts = search()
    for rows in np.array_split(np.arange(1200), 7):
        parts.partial_fit(X[rows], Y[rows], classes=CLASSES, sample_weight=weights[rows])
    assert_same_search(whole, parts)


def test_rejected_chunk_leaves_the_search_unchanged():
    found = streamed(search(), 100, n=500)
    before = pickle.dumps(found.cv_results_["mean_test_score"]), found.decision_function(X)
    wrong = X[500:600].copy()
    wrong[50, 0] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        found.partial_fit(wrong, Y[500:600])
    with pytest.raises(ValueError, match="features"):
        found.partial_fit(X[500:600, :2], Y[500:600])
    with pytest.raises(ValueError, match="maybe"):
        found.partial_fit(X[500:600], np.full(100, "maybe"))
    assert pickle.dumps(found.cv_results_["mean_test_score"]) == before[0]
    assert_array_equal(found.decision_function(X), before[1])
    for first in range(500, 1200, 100):
        found.partial_fit(X[first : first + 100], Y[first : first + 100])
    assert_same_search(found, streamed(search(), 1200))


@pytest.mark.parametrize("n", [500, 1000])
def test_classes_of_samples_that_are_not_taken_are_not_added(n, monkeypatch):
    found, whole = search(max_resources=800), search(max_resources=800)
    streamed(found, 100, n=n)
    streamed(whole, 100)
    assert found._stream.is_over == (n == 1000)
    wider = [*CLASSES, "other"]
    with pytest.raises(ValueError, match="maybe"):
        found.partial_fit(X[n:], np.full(1200 - n, "maybe"), classes=wider)
    assert_array_equal(found.classes_, CLASSES)
    prepared = StreamSearch.prepared

    def interrupted(stream, samples):
        prepared(stream, samples)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(StreamSearch, "prepared", interrupted)
        found.partial_fit(X[n:], Y[n:], classes=wider)
    assert_array_equal(found.classes_, CLASSES)
    for first in range(n, 1200, 100):
        found.partial_fit(X[first : first + 100], Y[first : first + 100])
    assert_same_search(found, whole, decisions=True)


def test_waiting_samples_are_copied():
    whole, found, buffer = streamed(search(), 1200), search(), np.empty((50, 4))
    for first in range(0, 1200, 50):
        buffer[:] = X[first : first + 50]
        found.partial_fit(buffer, Y[first : first + 50], classes=CLASSES)
    assert_same_search(found, whole)


def test_chunks_of_another_type_are_rejected():
    pd = pytest.importorskip("pandas")
    found = search().partial_fit(X[:30], Y[:30], classes=CLASSES)
    with pytest.raises(ValueError, match="same kind in all calls of partial_fit, got DataFrame"):
        found.partial_fit(pd.DataFrame(X[30:60]), Y[30:60])
    with pytest.raises(ValueError, match="Metadata must be the same"):
        found.partial_fit(X[30:60], Y[30:60], sample_weight=np.ones(30))
    with pytest.raises(ValueError, match="classes"):
        found.partial_fit(X[30:60], Y[30:60], classes=["a", "b"])
    with pytest.raises(ValueError, match="0 sample"):
        found.partial_fit(X[:0], Y[:0])
    # Dense and sparse chunks may alternate.
    found.partial_fit(csr_matrix(X[30:]), Y[30:])
    assert_same_search(found, streamed(search(), 1200), decisions=False)


def test_changed_parameters_are_rejected():
    found = search().partial_fit(X[:30], Y[:30], classes=CLASSES)
    found.set_params(n_jobs=2, verbose=1).partial_fit(X[30:60], Y[30:60])
    for name, value in [("scoring", "roc_auc"), ("estimator__class_weight", {99: 2.0})]:
        with pytest.raises(ValueError, match=f"{name} cannot change"):
            found.set_params(**{name: value}).partial_fit(X[60:90], Y[60:90])
        found.set_params(**{name: None})
    # Equal values may be other objects.
    found.set_params(
        estimator__n_jobs=2,
        estimator__kernel="".join("rbf"),
        error_score=float("nan"),
        max_resources="".join("auto"),
    )
    found.partial_fit(X[60:90], Y[60:90])


def test_rejected_fit_leaves_the_stream_unchanged():
    found = search().partial_fit(X[:90], Y[:90], classes=CLASSES)
    with pytest.raises(ValueError, match="NaN"):
        found.fit(np.full((100, 4), np.nan), Y[:100])
    assert_same_search(found.partial_fit(X[90:], Y[90:]), streamed(search(), 1200))


def test_rung_is_repeated_after_an_error():
    works = [False]

    def scorer(model, rows, y):
        if not works[0]:
            raise RuntimeError("no scores today")
        return float(np.mean(model.predict(rows) == y))

    # At the first comparison, and at a later one.
    found = search(scoring=scorer).partial_fit(X[:100], Y[:100], classes=CLASSES)
    for k in range(2):
        rows = slice(100 + 50 * k, 150 + 50 * k)
        with pytest.raises(RuntimeError, match="no scores") as caught:
            found.partial_fit(X[rows], Y[rows])
        assert caught.value.__notes__ == [
            "All 9 candidates failed; this was the first one, with {'C': 0.1, 'gamma': 0.01}.",
            "ProgressiveSearch has taken these samples; resume(), or the next partial_fit, "
            "continues.",
        ]
    works[0] = True
    whole = streamed(search(scoring=scorer), 1200)
    found.partial_fit(X[200:250], Y[200:250])
    works[0] = False
    with pytest.raises(RuntimeError, match="no scores"):
        found.partial_fit(X[250:600], Y[250:600])
    works[0] = True
    assert_same_search(found.partial_fit(X[600:], Y[600:]), whole)


@pytest.mark.sampled
@pytest.mark.parametrize("n", [30, 100, 300, 900])
def test_pickled_stream_continues(n):
    found = streamed(search(), 50, n=n)
    again = pickle.loads(pickle.dumps(found))
    for one in (found, again):
        one.partial_fit(X[n:], Y[n:])
    assert_same_search(found, again)
    assert_same_search(found, streamed(search(), 1200))


def pickled(found):
    return pickle.loads(pickle.dumps(found))


@pytest.mark.parametrize("copied", [pickled, copy.deepcopy])
def test_copied_search_of_a_pipeline_continues(copied):
    """A copy of each pipeline by itself had steps other than the estimator of the search."""
    pipeline = OnlinePipeline([("scale", StandardScaler()), ("model", LASVC())])
    grid = {"model__C": [0.1, 1.0, 10.0]}
    found = streamed(search(pipeline, grid), 50, n=300)
    again = copied(found)
    for one in (found, again):
        one.partial_fit(X[300:], Y[300:])
    assert_same_search(found, again, decisions=True)


@pytest.mark.parametrize("model, is_copied", [(LASVC(), False), (SGDClassifier(), True)])
def test_only_models_that_cannot_resume_are_copied_before_training(model, is_copied):
    candidate = StreamCandidate(0, {}, model, None)
    for part in range(2):
        before, rows = candidate.model, slice(100 * part, 100 * part + 100)
        candidate.train_part(X[rows], Y[rows], {}, np.unique(Y))
        assert (candidate.model is not before) == is_copied


# -------------------------------------------------------------------------------- interrupts


class Interrupted(SGDClassifier):
    """Classifier that is interrupted in the calls ``at``, before or after training."""

    at, calls, late = (), itertools.count(1), False

    def _train(self, method, *args, **kwargs):
        kind = type(self)
        is_interrupted = next(kind.calls) in kind.at
        if is_interrupted and not kind.late:
            raise KeyboardInterrupt
        getattr(super(), method)(*args, **kwargs)
        if is_interrupted:
            raise KeyboardInterrupt
        return self

    def fit(self, X, y):
        return self._train("fit", X, y)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        return self._train("partial_fit", X, y, classes, sample_weight)

    def predict(self, X):
        kind = type(self)
        if next(kind.calls) in kind.at:
            raise KeyboardInterrupt
        return super().predict(X)


@pytest.fixture
def interrupted():
    yield Interrupted
    Interrupted.at, Interrupted.calls, Interrupted.late = (), itertools.count(1), False


ALPHAS = {"alpha": [1e-4, 1e-3, 1e-2, 0.1]}


@pytest.mark.sampled
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("at", [(1,), (3,), (5,), (9, 10), (11, 12, 13, 14, 15)])
@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("kind", ["model", "pipeline"])
def test_fit_continues_after_interrupts(interrupted, at, late, n_jobs, kind):
    model, grid, scoring = Interrupted(random_state=0), ALPHAS, None
    if kind == "pipeline":
        model, scoring = Pipeline([("scaler", StandardScaler()), ("m", model)]), "f1_macro"
        grid = {"m__alpha": ALPHAS["alpha"]}
    whole = search(model, grid, scoring=scoring).fit(X, Y)
    Interrupted.at, Interrupted.calls, Interrupted.late = at, itertools.count(1), late
    found = search(model, grid, scoring=scoring, n_jobs=n_jobs)
    n_interrupts = 0
    try:
        found.fit(X, Y)
    except KeyboardInterrupt:
        n_interrupts += 1
        if at[0] > 8:  # the four candidates have been compared
            assert found.decision_function(X).shape == (1200,)
    while n_interrupts < 50 and "_interrupted" in found.__dict__:
        try:
            found.resume(X, Y)
        except KeyboardInterrupt:
            n_interrupts += 1
    assert n_interrupts >= 1
    assert_same_search(found, whole)
    # Nothing has been counted twice, or the budget would be different.
    assert kind == "pipeline" or found._winner_of_fit[0].cost == whole._winner_of_fit[0].cost


class InterruptedSteps(list):
    """List of steps that raises an interrupt after each step, before it is removed."""

    last = None

    def pop(self, index):
        if self.last is not self[index]:
            self.last = self[index]
            raise KeyboardInterrupt
        return super().pop(index)


@pytest.fixture
def interrupted_steps(monkeypatch):
    steps = property(
        lambda self: self.__dict__["steps"],
        lambda self, steps: self.__dict__.update(steps=InterruptedSteps(steps)),
    )
    monkeypatch.setattr(StreamSearch, "steps", steps, raising=False)


def continued(call, again):
    """Call ``call``, and after each interrupt ``again``."""
    for _ in range(100):
        try:
            return call()
        except KeyboardInterrupt:
            call = again
    raise AssertionError("100 interrupts")


def test_interrupt_between_steps_of_a_stream(request):
    whole = streamed(search(), 100)
    request.getfixturevalue("interrupted_steps")
    found = search()
    for first in range(0, len(X), 100):
        chunk = X[first : first + 100], Y[first : first + 100], CLASSES
        continued(partial(found.partial_fit, *chunk), found.resume)
    assert_same_search(found, whole)


def test_resume_requires_the_same_data(interrupted):
    Interrupted.at = (7,)
    found = search(Interrupted(random_state=0), ALPHAS)
    with pytest.raises(KeyboardInterrupt):
        found.fit(X, Y)
    with pytest.raises(ValueError, match="not those"):
        found.resume(X[:-1], Y[:-1])
    with pytest.raises(ValueError, match="not those"):
        found.resume()
    with pytest.raises(ValueError, match="resume"):
        found.partial_fit(X, Y, classes=CLASSES)
    again = pickle.loads(pickle.dumps(found))
    assert_same_search(found.resume(X, Y), again.resume(X, Y))
    with pytest.raises(ValueError, match="nothing to resume"):
        found.resume(X, Y)


def test_interrupt_of_a_single_long_chunk(interrupted):
    model, two = Interrupted(random_state=0), {"alpha": [1e-4, 0.1]}
    whole = search(model, two).partial_fit(X, Y, classes=CLASSES)
    seen = set()
    for at in range(1, 20):
        Interrupted.at, Interrupted.calls = (at,), itertools.count(1)
        found = search(model, two)
        try:
            found.partial_fit(X, Y, classes=CLASSES)
        except KeyboardInterrupt as interrupt:
            told = interrupt.__notes__
            assert len(told) == 1
            seen.add(told[0])
            if "has not taken" in told[0]:
                found.partial_fit(X, Y, classes=CLASSES)
            else:
                again = pickle.loads(pickle.dumps(found))
                assert_same_search(found.resume(), again.resume())
        assert_same_search(found, whole)
    assert len(seen) == 2


def test_interrupt_after_samples_have_been_taken(monkeypatch):
    """Regression test: the traceback did not tell that they need not be passed again."""

    def interrupt(self):
        raise KeyboardInterrupt

    whole = search().partial_fit(X, Y, classes=CLASSES)
    found = search()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt) as raised:
        patch.setattr(ProgressiveSearch, "_advance", interrupt)
        found.partial_fit(X, Y, classes=CLASSES)
    assert "has taken these samples" in raised.value.__notes__[0]
    assert_same_search(found.resume(), whole)


@pytest.mark.parametrize("at", [(2,), (4,), (8,), (12,), (15, 16, 17)])
def test_stream_continues_after_interrupts(interrupted, at):
    model = Interrupted(random_state=0)
    whole = streamed(search(model, ALPHAS), 100)
    Interrupted.at, Interrupted.calls = at, itertools.count(1)
    found, n_interrupts = search(model, ALPHAS), 0
    for first in range(0, 1200, 100):
        rows = slice(first, first + 100)
        taken = False
        while not taken:
            try:
                found.partial_fit(X[rows], Y[rows], classes=CLASSES)
                taken = True
            except KeyboardInterrupt as interrupt:
                n_interrupts += 1
                taken = "has taken these samples" in "".join(getattr(interrupt, "__notes__", []))
    assert n_interrupts >= 1
    if found._stream.is_behind:
        found.resume()
    assert_same_search(found, whole)


def test_an_error_after_the_samples_have_been_taken_says_so(monkeypatch):
    expected, train, errors = streamed(search(), 100), _race.Race.train, []

    def failing(race, *arguments):
        if not errors:
            errors.append(MemoryError())
            errors[0].add_note("a note of its own")
            raise errors[0]
        return train(race, *arguments)

    monkeypatch.setattr(_race.Race, "train", failing)
    found, note = (
        search(),
        "has taken these samples; resume(), or the next partial_fit, continues.",
    )
    with pytest.raises(MemoryError) as caught:
        found.partial_fit(X[:100], Y[:100], classes=np.unique(Y))
    assert caught.value.__notes__ == ["a note of its own", f"ProgressiveSearch {note}"]
    found.resume()
    for first in range(100, len(Y), 100):
        found.partial_fit(X[first : first + 100], Y[first : first + 100])
    assert_same_search(found, expected, decisions=True)


SGD = SGDClassifier(random_state=0)


@pytest.mark.parametrize(
    "model, grid, file, step",
    [
        (SGD, ALPHAS, "_stream_search", 2),
        (SGD, ALPHAS, "_progressive_search", 2),
        (LASVC(), GRID, "_stream_search", 16),
    ],
)
def test_interrupt_where_samples_and_models_are_counted(model, grid, file, step, monkeypatch):
    """Before lines of a file, in a chunk that ends a rung."""
    path = f"{interrupts.PACKAGE}/model_selection/{file}.py"
    monkeypatch.setattr(interrupts, "PACKAGE", path)
    before = streamed(search(model, grid, n_jobs=1), 100, n=100)
    chunk = X[100:140], Y[100:140]
    whole = copy.deepcopy(before).partial_fit(*chunk)
    total = n_lines(copy.deepcopy(before).partial_fit, *chunk)
    for n in range(1, total, step):
        found = copy.deepcopy(before)
        call = Interrupt(n, found.partial_fit, *chunk)
        assert call.raised
        if "has taken" not in call.notes:
            found.partial_fit(*chunk)
        elif vars(found)["_is_behind"]:
            found.resume()
        assert_same_search(found, whole)


def test_interrupt_where_fits_are_counted(monkeypatch):
    path = f"{interrupts.PACKAGE}/model_selection/_candidates.py"
    monkeypatch.setattr(interrupts, "PACKAGE", path)
    unfitted, data = search(SGD, ALPHAS, n_jobs=1), (X[:120], Y[:120])
    whole = copy.deepcopy(unfitted).fit(*data)
    for n in range(1, n_lines(copy.deepcopy(unfitted).fit, *data), 23):
        found = copy.deepcopy(unfitted)
        assert Interrupt(n, found.fit, *data).raised
        again = found.resume if "_interrupted" in vars(found) else found.fit
        assert_same_search(again(*data), whole)
        # Nothing has been counted twice, or the budget would be different.
        assert found._winner_of_fit[0].cost == whole._winner_of_fit[0].cost
