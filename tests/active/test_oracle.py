"""LabelEfficientClassifier: missing labels, oracles, abstentions, max_labels, repeated calls."""

import copy
import pickle
import re
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.utils._param_validation import InvalidParameterError

from sklearn_online_svm import LabelEfficientClassifier, PassiveAggressiveClassifier
from sklearn_online_svm.active import ABSTAIN, AllQuery, MarginQuery
from tests.support.cases import in_turn
from tests.support.selective_sampling import (
    LINEAR,
    OTHERS,
    STRATEGIES,
    WITH_VARIANCE,
    FixedQueries,
    OracleError,
    Wrapped,
    assert_same,
    make_samples,
    with_both,
    with_layouts,
)

# -- missing labels ----------------------------------------------------------------------


def missing(kind, y, known):
    """Return labels with missing values in a given format."""
    if kind == "None":
        return np.where(known, y, None)
    if kind == "nan among objects":
        return np.where(known, y.astype(object), np.nan)
    if kind == "list":
        return [label if k else None for label, k in zip(y.tolist(), known)]
    if kind == "list with nan":
        return [label if k else float("nan") for label, k in zip(y.tolist(), known)]
    if kind == "numbers":
        return np.where(known, (y == "yes").astype(float), np.nan)
    if kind == "list of int":
        return [int(label == "yes") if k else None for label, k in zip(y.tolist(), known)]
    if kind == "list of bool":
        return [label == "yes" if k else None for label, k in zip(y.tolist(), known)]
    pandas = pytest.importorskip("pandas")
    if kind in ("Int64", "boolean"):
        series = pandas.Series(y == "yes").astype(kind)
    else:
        series = pandas.Series(y).astype(kind)
    return series.mask(~known)


@pytest.mark.parametrize(
    "kind",
    [
        "None",
        "nan among objects",
        "list",
        "list with nan",
        "numbers",
        "list of int",
        "list of bool",
        "Int64",
        "boolean",
        "string",
        "category",
        "object",
    ],
)
def test_missing_labels(kind):
    X, y = make_samples()
    known = np.random.default_rng(0).random(200) < 0.5
    labels = missing(kind, y, known)
    words = any(isinstance(label, str) for label in labels)
    calls = []

    def oracle(i):
        calls.append(i)
        return y[i] if words else int(y[i] == "yes")

    model = LabelEfficientClassifier(LINEAR["pa"], AllQuery(), random_state=0)
    plain = clone(model).fit(X, y)
    model.fit(X, labels, oracle=oracle)
    assert len(model.classes_) == 2
    assert sorted(calls) == np.flatnonzero(~known).tolist()
    assert_array_equal(model.queried_, True)
    assert_array_equal(model.estimator_.coef_, plain.estimator_.coef_)
    assert_array_equal(model.predict(X) == model.classes_[1], plain.predict(X) == "yes")
    with pytest.raises(
        ValueError, match=r"label of sample \d+ is queried, but it is missing in y"
    ):
        clone(model).fit(X, labels)
    with pytest.raises(ValueError, match=f"label of sample {np.argmin(known)} is queried"):
        clone(model).set_params(shuffle=False).fit(X, labels)
    # No error if missing labels are not queried.
    queried = np.random.default_rng(1).random(200) < 0.5
    strategy = FixedQueries(queried & known)
    model = LabelEfficientClassifier(LINEAR["pa"], strategy, shuffle=False).fit(X, labels)
    assert_array_equal(model.queried_, queried & known)


def test_oracle_is_called_for_missing_labels_only():
    X, y = make_samples()
    calls = []
    labels = y.astype(object)
    labels[[3, 77]] = None
    model = LabelEfficientClassifier(LINEAR["pa"], AllQuery(), shuffle=False)
    model.fit(X, labels, oracle=lambda i: calls.append((i, type(i))) or y[i])
    assert calls == [(3, int), (77, int)]
    calls.clear()
    model.partial_fit(X[:5], labels[:5], oracle=lambda i: calls.append((i, type(i))) or y[i])
    assert calls == [(3, int)]
    model.partial_fit(X[:5], oracle=lambda i: y[i])
    assert model.n_queries_ == 210


@pytest.mark.parametrize("estimator", [LINEAR["pa"], Wrapped(LINEAR["pa"])], ids=str)
@pytest.mark.parametrize("answer", ["maybe", None, np.nan, 3])
def test_oracle_returns_an_unknown_label(estimator, answer):
    X, y = make_samples()
    model = LabelEfficientClassifier(estimator, AllQuery(), shuffle=False)
    predicted_class = re.escape(repr(answer))
    with pytest.raises(
        ValueError, match=f"oracle returned the label {predicted_class} for sample 7, which is not"
    ):
        model.fit(X, oracle=lambda i: answer if i == 7 else y[i], classes=["no", "yes"])


def test_classes_that_are_not_in_y():
    X, y = make_samples()
    model = LabelEfficientClassifier(LINEAR["pa"], AllQuery(), random_state=0)
    model.fit(X, y, classes=["yes", "maybe", "no"])
    assert_array_equal(model.classes_, ["maybe", "no", "yes"])
    assert model.estimator_.coef_.shape == (3, 4)
    with pytest.raises(ValueError, match="classes must be passed if y contains no labels"):
        model.fit(X, oracle=lambda i: y[i])
    with pytest.raises(ValueError, match="requires y to be passed.* or an oracle"):
        model.fit(X)
    assert_array_equal(model.classes_, ["maybe", "no", "yes"])


# -- oracles ---------------------------------------------------------------------------


class Annotator:
    """Oracle that records its calls; the call number ``fail_at`` fails once."""

    def __init__(self, y, fail_at=None, failure=None):
        self.y, self.fail_at, self.failure = y, fail_at, failure
        self.asked = []

    def __call__(self, i):
        if len(self.asked) == self.fail_at:
            self.fail_at = None
            if isinstance(self.failure, BaseException):
                raise self.failure
            return self.failure
        self.asked.append(i)
        return self.y[i]


with_loops = pytest.mark.parametrize(
    "estimator",
    [LINEAR["pa"], Wrapped(LINEAR["pa"]), OTHERS["sgd"]],
    ids=["pa", "any", "sgd"],
)


@with_loops
@with_layouts
def test_oracle_with_two_arguments_receives_the_sample(estimator, layout):
    X, y = make_samples(layout=layout)
    before = X.copy()
    answered = []

    def oracle(i, row):
        answered.append(i)
        if layout == "csr":
            assert row.shape == (1, 4)
            assert_array_equal(row.toarray(), X[i : i + 1].toarray())
            row.data[:] = 7.0
        else:
            assert row.shape == (4,)
            assert_array_equal(row, X[i])
            row[:] = 7.0
        return y[i]

    model = LabelEfficientClassifier(estimator, STRATEGIES["margin"], random_state=0)
    plain = clone(model).fit(X, y)
    assert_same(model.fit(X, oracle=oracle, classes=["no", "yes"]), plain, X)
    assert sorted(answered) == np.flatnonzero(plain.queried_).tolist()
    assert (before != X).sum() == 0


@pytest.mark.parametrize(
    "make",
    [
        lambda y: y.__getitem__,
        lambda y: dict(enumerate(y)).get,  # signature (key, default=None)
        lambda y: lambda i, y=y: y[i],
        lambda y: lambda *args: y[args[0]] if len(args) == 1 else "wrong",
        lambda y: partial(lambda labels, i: labels[i], y),
        lambda y: partial(lambda labels, i, row: labels[i] if len(row) else None, y),
        lambda y: lambda i, row, *, name="x": y[i] if row.ndim == 1 else None,
        Annotator,
    ],
)
def test_signatures_of_oracles(make):
    X, y = make_samples()
    model = LabelEfficientClassifier(LINEAR["pa"], STRATEGIES["margin"], random_state=0)
    plain = clone(model).fit(X, y)
    assert_same(model.fit(X, oracle=make(y), classes=["no", "yes"]), plain, X)


def test_oracle_must_be_callable():
    X, y = make_samples()
    model = LabelEfficientClassifier(LINEAR["pa"])
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(TypeError, match=r"oracle must be callable, got \['yes', 'no'\]"):
            learn(X, oracle=["yes", "no"], classes=["no", "yes"])
    assert set(vars(model)) == set(model.get_params(deep=False))


# -- queried labels ---------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["pa", "sgd"])
@with_both
@pytest.mark.parametrize("max_iter", [1, 3])
def test_queried_labels(name, problem, max_iter):
    X, y = make_samples(problem)
    estimator = {**LINEAR, **OTHERS}[name]
    model = LabelEfficientClassifier(
        estimator, STRATEGIES["random"], max_iter=max_iter, random_state=0
    ).fit(X, y)
    assert model.queried_labels_.dtype == y.dtype
    assert 0 < model.n_queries_ < 200
    assert_array_equal(model.queried_labels_, y[model.queried_])
    for part in (slice(0, 1), slice(1, 50), slice(50, 200)):
        model.partial_fit(X[part], y[part])
    assert_array_equal(model.queried_labels_, np.r_[y, y][model.queried_])
    assert len(model.queried_labels_) == model.n_queries_
    other = PassiveAggressiveClassifier(random_state=0).fit(
        np.r_[X, X][model.queried_], model.queried_labels_
    )
    assert other.score(X, y) > 0.5


FAILURES = {
    "error": OracleError("no signal"),
    "interrupt": KeyboardInterrupt(),
    "typo": "yess",
    "nothing": None,
}
with_failures = pytest.mark.parametrize("failure", FAILURES)


def assert_interrupted(call, failure):
    """Check that a call is interrupted with the expected error."""
    if isinstance(failure, BaseException):
        with pytest.raises(type(failure)):
            call()
    else:
        predicted_class = re.escape(repr(failure))
        with pytest.raises(
            ValueError, match=rf"oracle returned the label {predicted_class} for sample \d+, which"
        ):
            call()


@pytest.mark.sampled
@with_loops
@pytest.mark.parametrize(
    "failure, max_iter, shuffle, seed",
    [
        ("error", 1, False, "none"),
        ("interrupt", 1, False, "number"),
        ("typo", 3, True, "number"),
        ("nothing", 3, True, "generator"),
    ],
)
def test_repeated_fit_queries_no_label_twice(estimator, failure, max_iter, shuffle, seed):
    X, y = make_samples()
    strategy = MarginQuery(rate=0.3)
    seeds = {"none": None, "number": 3, "generator": np.random.RandomState(5)}
    params = dict(max_iter=max_iter, shuffle=shuffle, random_state=seeds[seed])
    keyword = dict(classes=["no", "yes"])
    oracle = Annotator(y, 30, FAILURES[failure])
    model = LabelEfficientClassifier(estimator, strategy, **params)
    assert_interrupted(lambda: model.fit(X, oracle=oracle, **keyword), FAILURES[failure])
    first = list(oracle.asked)
    assert model.n_queries_ == len(first) == 30
    assert_array_equal(np.flatnonzero(model.queried_), np.sort(first))
    assert_array_equal(model.queried_labels_, y[np.sort(first)])
    assert seed == "none" or model.score(X, y) > 0.5
    # The repetition fails at its first new query.
    oracle.fail_at, model = 30, pickle.loads(pickle.dumps(model))
    assert_interrupted(lambda: model.fit(X, oracle=oracle, **keyword), FAILURES[failure])
    assert oracle.asked == first and model.n_queries_ == 30
    # The next repetition succeeds and gives the model of an uninterrupted call.
    model.fit(X, oracle=oracle, **keyword)
    assert len(set(oracle.asked)) == len(oracle.asked) == model.n_queries_ > 30
    assert oracle.asked[:30] == first
    if seed == "number":
        whole = LabelEfficientClassifier(estimator, strategy, **params).fit(X, y)
        assert_same(model, whole, X, rtol=0)
    # A new fit queries all labels again.
    again = Annotator(y)
    model.fit(X, oracle=again, **keyword)
    assert len(again.asked) == model.n_queries_ > 0


@pytest.mark.sampled
@with_loops
@with_failures
@with_layouts
def test_repeated_chunk_continues_where_it_was_interrupted(estimator, failure, layout):
    X, y = make_samples(layout=layout)
    model = LabelEfficientClassifier(estimator, STRATEGIES["rate"])
    whole = clone(model).partial_fit(X, y, classes=["no", "yes"])
    for size in (200, 50):
        stream, n_asked = clone(model), 0
        for start in range(0, 200, size):
            part = slice(start, start + size)
            oracle = Annotator(y[part], 4, FAILURES[failure])
            learn = partial(stream.partial_fit, X[part], oracle=oracle, classes=["no", "yes"])
            assert_interrupted(learn, FAILURES[failure])
            assert stream.n_queries_ == n_asked + 4
            assert start < len(stream.queried_) < start + len(y[part])
            stream = pickle.loads(pickle.dumps(stream))
            stream.partial_fit(X[part], oracle=oracle, classes=["no", "yes"])
            assert len(set(oracle.asked)) == len(oracle.asked)
            n_asked += len(oracle.asked)
            assert stream.n_queries_ == n_asked
        assert_same(stream, whole, X, rtol=0)
        assert_array_equal(stream.queried_labels_, whole.queried_labels_)
        # Afterwards the same chunk is new data.
        stream.partial_fit(X[part], y[part])
        assert len(stream.queried_) == 200 + len(y[part])


def test_chunk_is_repeated_with_the_missing_label():
    X, y = make_samples()
    labels = y.astype(object)
    labels[[40, 90]] = None
    model = LabelEfficientClassifier(LINEAR["pa"], AllQuery())
    for row in (40, 90):
        with pytest.raises(ValueError, match=f"label of sample {row} is queried"):
            model.partial_fit(X, labels, classes=["no", "yes"])
        labels[row] = y[row]
        assert model.n_queries_ == row
    model.partial_fit(X, labels)
    assert_same(model, clone(model).partial_fit(X, y, classes=["no", "yes"]), X)


@pytest.mark.slow
@with_loops
def test_answers_are_reused_for_the_same_samples_only(estimator):
    X, y = make_samples()
    keyword = dict(classes=["no", "yes"])
    started = LabelEfficientClassifier(estimator, AllQuery(), random_state=0)
    with pytest.raises(OracleError):
        started.fit(X, oracle=Annotator(y, 100, OracleError()), **keyword)
    changed, sparse = X.copy(), csr_matrix(X)
    changed[3, 2] += 1e-9
    for other in (changed, X[::-1], X[:-1], X.astype(np.float32), sparse):
        model, oracle = copy.deepcopy(started), Annotator(y)
        model.fit(other, oracle=oracle, **keyword)
        assert len(oracle.asked) == model.n_queries_ == other.shape[0]
    # Equal samples in other containers.
    for same in (X.copy(), np.asfortranarray(X), X.tolist(), X[::-1].copy()[::-1]):
        model, oracle = copy.deepcopy(started), Annotator(y)
        model.fit(same, oracle=oracle, **keyword)
        assert len(oracle.asked) == 100 and model.n_queries_ == 200
        assert_array_equal(model.queried_labels_, y)
    # Answers are kept if the repetition is rejected.
    model, oracle = copy.deepcopy(started), Annotator(y)
    for mistake in (
        lambda: model.fit(X, oracle=oracle, classes=["no"]),
        lambda: model.fit(X[:, :2], y[:-1]),
        lambda: model.set_params(max_labels=-1).fit(X, oracle=oracle, **keyword),
    ):
        with pytest.raises(ValueError):
            mistake()
    model.set_params(max_labels=None).fit(X, oracle=oracle, **keyword)
    assert len(oracle.asked) == 100
    # A clone has no answers.
    oracle = Annotator(y)
    clone(started).fit(X, oracle=oracle, **keyword)
    assert len(oracle.asked) == 200


def test_sparse_samples_are_compared_by_value():
    X, y = make_samples(layout="csr")
    started = LabelEfficientClassifier(LINEAR["pa"], AllQuery(), random_state=0)
    with pytest.raises(OracleError):
        started.fit(X, oracle=Annotator(y, 100, OracleError()), classes=["no", "yes"])
    moved, valued = X.copy(), X.copy()
    moved.indices[0] = (moved.indices[0] + 1) % 4
    valued.data[0] += 1.0
    for other, n in ((X.copy(), 100), (moved, 200), (valued, 200)):
        model, oracle = copy.deepcopy(started), Annotator(y)
        model.fit(other, oracle=oracle, classes=["no", "yes"])
        assert len(oracle.asked) == n


def test_repetition_with_other_labels_classes_and_parameters():
    """Labels in y take precedence; classes may be added; parameters may change."""
    X, y = make_samples("multiclass")
    model = LabelEfficientClassifier(LINEAR["pa"], AllQuery(), shuffle=False)
    oracle = Annotator(y)
    with pytest.raises(ValueError, match="oracle returned the label"):
        model.fit(X, oracle=oracle, classes=[10, 20])
    n = model.n_queries_
    assert n == np.argmax(y == 30) > 1
    labels = np.full(200, None)
    labels[0] = 30
    oracle.asked.clear()
    model.fit(X, labels, oracle=oracle, classes=[10, 20, 30])
    assert oracle.asked == list(range(n, 200))
    assert_array_equal(model.queried_labels_, np.r_[30, y[1:]])
    # With another strategy, only the labels it queries are counted.
    oracle = Annotator(y, 100, OracleError())
    with pytest.raises(OracleError):
        model.fit(X, oracle=oracle, classes=[10, 20, 30])
    model.set_params(query_strategy=STRATEGIES["random"]).fit(
        X, oracle=oracle, classes=[10, 20, 30]
    )
    assert_array_equal(model.queried_labels_, y[model.queried_])
    assert len(oracle.asked) == 100 + model.queried_[100:].sum()
    assert model.n_queries_ == model.queried_.sum() < 120


# -- abstentions ------------------------------------------------------------------------


def test_abstain_is_a_singleton():
    assert copy.deepcopy(ABSTAIN) is ABSTAIN
    assert pickle.loads(pickle.dumps(ABSTAIN)) is ABSTAIN
    assert repr(ABSTAIN) == "ABSTAIN"


@pytest.mark.sampled
@with_loops
@pytest.mark.parametrize(
    "strategy, max_iter", in_turn(["all", "random", "margin", "rate"], [1, 3])
)
def test_samples_without_an_answer_are_not_used(estimator, strategy, max_iter):
    X, y = make_samples()
    unknown = np.random.default_rng(0).random(200) < 0.3
    labels = np.where(unknown, ABSTAIN, y)
    oracle = Annotator(labels)
    params = dict(max_iter=max_iter, shuffle=False)
    model = LabelEfficientClassifier(estimator, STRATEGIES[strategy], **params)
    model.fit(X, oracle=oracle, classes=["no", "yes"])
    assert len(set(oracle.asked)) == len(oracle.asked)
    asked = np.zeros(200, dtype=bool)
    asked[oracle.asked] = True
    assert_array_equal(model.queried_, asked & ~unknown)
    assert_array_equal(model.abstained_, asked & unknown)
    assert type(model.n_queries_) is type(model.n_abstained_) is int
    assert model.n_queries_ == model.queried_.sum() > 0
    assert model.n_abstained_ == model.abstained_.sum() > 0
    assert model.query_strategy_.n_queries_ == asked.sum()
    assert_array_equal(model.queried_labels_, y[model.queried_])
    # Abstentions in y.
    assert_same(clone(model).fit(X, labels), model, X, rtol=0)
    assert_same(clone(model).fit(X, labels.tolist()), model, X, rtol=0)
    if strategy == "all":
        known = clone(model).fit(X[~unknown], y[~unknown])
        assert_array_equal(model.decision_function(X), known.decision_function(X))
        assert_array_equal(model.online_predictions_[~unknown], known.online_predictions_)
    if max_iter == 1:
        stream = clone(model)
        for part in (slice(0, 70), slice(70, 71), slice(71, 200)):
            stream.partial_fit(X[part], labels[part], classes=["no", "yes"])
        assert_same(stream, model, X, rtol=0)
        assert_array_equal(stream.abstained_, model.abstained_)


# -- max_labels -------------------------------------------------------------------------


@pytest.mark.sampled
@with_loops
@pytest.mark.parametrize("strategy, max_iter", [("all", 1), ("random", 3), ("rate", 1)])
def test_max_labels_is_not_exceeded(estimator, strategy, max_iter):
    X, y = make_samples()
    params = dict(max_iter=max_iter, random_state=0)
    free = LabelEfficientClassifier(estimator, STRATEGIES[strategy], **params).fit(X, y)
    for max_labels in (0, 1, 30, free.n_queries_, 2**62):
        model = LabelEfficientClassifier(
            estimator, STRATEGIES[strategy], max_labels=max_labels, **params
        )
        if max_labels == 0 and estimator is OTHERS["sgd"]:
            continue  # SGDClassifier cannot predict without a label
        model.fit(X, y)
        assert model.n_queries_ == min(max_labels, free.n_queries_)
        if max_labels >= free.n_queries_:
            assert_same(model, free, X, rtol=0)
        assert len(model.online_predictions_) == 200
        if max_iter == 1:
            assert (model.queried_ <= free.queried_).all()
        if max_labels == 30:
            assert (model.online_predictions_ == y).mean() > 0.5
            assert model.query_strategy_.n_queries_ == 30


@with_loops
def test_max_labels_applies_to_all_chunks(estimator):
    X, y = make_samples()
    model = LabelEfficientClassifier(estimator, STRATEGIES["random"], max_labels=40)
    whole = clone(model).partial_fit(X, y, classes=["no", "yes"])
    oracle = Annotator(y)
    assert whole.n_queries_ == 40
    for start in range(0, 200, 7):
        part = slice(start, start + 7)
        model.partial_fit(X[part], oracle=lambda i, s=start: oracle(s + i), classes=["no", "yes"])
        assert model.n_queries_ == len(oracle.asked) <= 40
    assert model.n_queries_ == 40 and len(model.queried_) == 200
    assert_same(model, whole, X, rtol=0)
    model.set_params(max_labels=45).partial_fit(X, y)
    assert model.n_queries_ == 45
    model.set_params(max_labels=10).partial_fit(X, y)
    assert model.n_queries_ == 45 and len(model.queried_) == 600


@with_loops
@pytest.mark.parametrize("max_labels, first", [(50, [1, 3, 5]), (0.25, [1, 5, 9])])
def test_abstentions_do_not_count_for_max_labels(estimator, max_labels, first):
    X, y = make_samples()
    labels = np.where(np.arange(200) % 2, y, ABSTAIN)
    model = LabelEfficientClassifier(estimator, AllQuery(), max_labels=max_labels, shuffle=False)
    model.fit(X, labels)
    assert model.n_queries_ == 50
    assert_array_equal(np.flatnonzero(model.queried_)[:3], first)


@pytest.mark.sampled
@with_loops
@pytest.mark.parametrize("strategy, max_labels", in_turn(STRATEGIES, [0.05, 0.3]))
def test_share_of_labels_holds_at_every_sample(estimator, strategy, max_labels):
    if strategy in WITH_VARIANCE:
        estimator = LINEAR["scw"] if estimator is LINEAR["pa"] else Wrapped(LINEAR["scw"])
    X, y = make_samples()
    model = LabelEfficientClassifier(
        estimator, STRATEGIES[strategy], max_labels=max_labels, random_state=0
    )
    whole = clone(model).partial_fit(X, y, classes=["no", "yes"])
    n_queries = whole.queried_.cumsum()
    assert (n_queries < max_labels * np.arange(1, 201) + 1).all()
    assert n_queries[-1] > 0
    for size in (1, 7):
        chunked = clone(model)
        for start in range(0, 200, size):
            part = slice(start, start + size)
            chunked.partial_fit(X[part], y[part], classes=["no", "yes"])
            chunked = pickle.loads(pickle.dumps(chunked)) if start == 98 else chunked
        assert_same(chunked, whole, X, rtol=0)


@with_loops
def test_share_of_labels_counts_each_sample_once(estimator):
    X, y = make_samples()
    weight = np.repeat([0.0, 1.0], [20, 180])  # samples of weight 0 are seen, but not queried
    model = LabelEfficientClassifier(
        estimator, AllQuery(), max_labels=0.25, max_iter=3, shuffle=False
    )
    model.fit(X, y, weight)
    assert_array_equal(np.flatnonzero(model.queried_)[:8], [20, 21, 22, 23, 24, 25, 26, 28])
    assert model.n_queries_ == 50
    rare = clone(model).set_params(
        query_strategy=STRATEGIES["adaptive"], shuffle=True, random_state=0
    )
    few = clone(rare).set_params(max_iter=1).fit(X, y)
    assert few.n_queries_ <= rare.fit(X, y).n_queries_ <= 50


@with_loops
@pytest.mark.parametrize("fail_at", [0, 1, 7])
def test_share_of_labels_after_an_interrupt(estimator, fail_at):
    X, y = make_samples()
    model = LabelEfficientClassifier(
        estimator, STRATEGIES["margin"], max_labels=0.2, random_state=0
    )
    first, then = slice(0, 40), slice(40, 200)
    model.partial_fit(X[first], y[first], classes=["no", "yes"])
    whole = pickle.loads(pickle.dumps(model)).partial_fit(X[then], y[then])
    oracle = Annotator(y[then], fail_at, OracleError())
    with pytest.raises(OracleError):
        model.partial_fit(X[then], oracle=oracle)
    assert len(oracle.asked) == fail_at
    model = pickle.loads(pickle.dumps(model)).partial_fit(X[then], oracle=oracle)
    assert len(oracle.asked) == len(set(oracle.asked))
    assert_same(model, whole, X, rtol=0)


@with_loops
def test_max_labels_changes_between_a_number_and_a_share(estimator):
    X, y = make_samples()
    model = LabelEfficientClassifier(estimator, AllQuery(), max_labels=30)
    model.partial_fit(X, y, classes=["no", "yes"])
    n_queries = [model.n_queries_]
    for max_labels in (0.1, 1.0, 0.4, 300, None):
        model.set_params(max_labels=max_labels).partial_fit(X, y)
        n_queries.append(model.n_queries_)
    # 0.1: from sample 301 on; 0.4: the 240 labels exceed the share up to sample 600.
    assert n_queries == [30, 40, 240, 320, 320, 520]


@pytest.mark.parametrize("max_labels", [-1, 2.5, 0.0, -0.1, np.nan, "all"])
def test_invalid_max_labels(max_labels):
    X, y = make_samples()
    with pytest.raises(InvalidParameterError, match="'max_labels' parameter of LabelEfficient"):
        LabelEfficientClassifier(max_labels=max_labels).fit(X, y)


# -- combinations -----------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["pa", "cost", "scw", "perceptron"])
@pytest.mark.parametrize(
    "strategy, problem, layout, max_labels",
    [
        ("all", "multiclass", "dense", 45),
        ("random", "binary", "csr", 0.375),
        ("margin", "binary", "dense", 0.375),
        ("margin", "multiclass", "csr", 45),
        ("adaptive", "multiclass", "dense", 0.375),
        ("mistakes", "binary", "csr", 45),
        ("rate", "multiclass", "csr", 0.375),
    ],
)
def test_compiled_loop_equals_the_python_loop(name, strategy, problem, layout, max_labels):
    """Zero weights, epochs, abstentions, max_labels and an interrupted call together."""
    X, y = make_samples(problem, 120, layout)
    rng = np.random.default_rng(1)
    weight = rng.choice([0.0, 1.0, 2.0], 120)
    labels = np.where(rng.random(120) < 0.2, ABSTAIN, y)
    models, oracles = [], []
    for estimator in (LINEAR[name], Wrapped(LINEAR[name])):
        model = LabelEfficientClassifier(
            estimator, STRATEGIES[strategy], max_iter=3, max_labels=max_labels, random_state=0
        )
        oracle = Annotator(labels, 20, OracleError())
        call = partial(model.fit, X, None, weight, oracle=oracle, classes=np.unique(y))
        with pytest.raises(OracleError):
            call()
        assert model.n_queries_ + model.n_abstained_ == 20
        call()
        assert model.n_queries_ <= 45
        assert len(oracle.asked) == model.n_queries_ + model.n_abstained_ > 20
        assert not (model.queried_ | model.abstained_)[weight == 0].any()
        models.append(model)
        oracles.append(oracle)
    one, other = models
    assert oracles[0].asked == oracles[1].asked
    assert len(set(oracles[0].asked)) == len(oracles[0].asked)
    assert_same(one, other, X)
    assert_array_equal(one.abstained_, other.abstained_)
    assert_array_equal(one.queried_labels_, other.queried_labels_)
    assert one.query_strategy_.n_queries_ == other.query_strategy_.n_queries_
