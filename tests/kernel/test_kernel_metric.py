"""KernelMetric: what it learns, and what does not matter to it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC, LASVR, KernelMetric
from tests.support.internals import (
    LaplacianWidths,
    RBFWidths,
    drawn_halves,
    is_better,
    knots_of,
    rank_scores,
)

EVERY_FORM = [dict(), dict(kernel="rbf"), dict(form="map", kernel="rbf")]


def samples(n=800, d=20, seed=0, kind="classes"):
    """Samples of which the first three features count."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    f = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    noise = 0.3 * rng.normal(size=n)
    return X, f + noise if kind == "numbers" else np.where(f + noise > 0, "yes", "no")


@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize("params", EVERY_FORM)
def test_features_that_count_are_found(params, kind):
    X, y = samples(kind=kind)
    metric = KernelMetric(**params, random_state=0).fit(X, y)
    assert metric.is_learned_
    assert set(np.argsort(metric.widths_)[-3:]) == {0, 1, 2}
    assert set(np.argsort(metric.feature_importances_)[-3:]) == {0, 1, 2}
    assert metric.feature_importances_.sum() == pytest.approx(1)
    assert metric.history_.shape == (30,)
    assert metric.history_[-5:].mean() < 0.9 * metric.history_[:5].mean()


@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize("params", EVERY_FORM)
def test_a_model_of_the_output_has_fewer_errors(params, kind):
    X, y = samples(n=2000, kind=kind)
    model = (LASVR if kind == "numbers" else LASVC)(
        kernel=params.get("kernel", "laplacian"), gamma=1.0, C=8.0, random_state=0
    )
    scores = [
        make_pipeline(step, clone(model)).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])
        for step in (
            KernelMetric(**params, random_state=0),
            KernelMetric(kernel=model.kernel, shrinkage=np.inf),
        )
    ]
    assert scores[0] > scores[1] + 0.05


def test_labels_without_relation_to_the_features():
    X, _ = samples(n=1000, d=10)
    y = np.random.default_rng(1).integers(2, size=1000)
    learned = [KernelMetric(random_state=seed).fit(X, y).is_learned_ for seed in range(4)]
    assert sum(learned) <= 1


@pytest.mark.parametrize("params", EVERY_FORM)
def test_infinite_shrinkage_gives_equal_widths(params):
    X, y = samples()
    metric = KernelMetric(**params, shrinkage=np.inf).fit(X, y)
    assert_allclose(metric.widths_, metric.widths_[0])
    assert not metric.is_learned_
    assert metric.history_.size == 0
    strong = KernelMetric(**params, shrinkage=1e9, random_state=0).fit(X, y)
    assert_allclose(strong.widths_ / strong.widths_.mean(), 1.0, rtol=0.05)


def test_mean_distance_is_one_before_widths_are_learned():
    X, y = samples(n=400)
    for kernel, power in (("laplacian", 1), ("rbf", 2)):
        metric = KernelMetric(kernel=kernel, shrinkage=np.inf)
        Z = metric.fit_transform(X, y)
        distances = (np.abs(Z[:, None] - Z) ** power).sum(axis=2)
        assert distances.mean() == pytest.approx(1, rel=1e-6)


@settings(max_examples=10, deadline=None)
@given(
    factor=st.sampled_from([1e-12, 1e-3, 7.0, 1e12]),
    offset=st.sampled_from([0.0, 1e3, -5.0]),
    seed=st.integers(0, 100),
)
def test_scale_and_monotonic_changes_of_a_column_do_not_matter(factor, offset, seed):
    X, y = samples(n=400, d=6, seed=seed)
    changed = X.copy()
    changed[:, 0] = np.exp(X[:, 0])
    changed[:, 2] = factor * (X[:, 2] + offset)
    first, second = (KernelMetric(random_state=0).fit(Z, y) for Z in (X, changed))
    assert_allclose(first.widths_, second.widths_, rtol=1e-3)
    assert first.transform(X).min() == 0.0
    assert_allclose(first.transform(X), second.transform(changed), atol=1e-3)


def test_columns_in_another_order_have_the_same_widths():
    X, y = samples()
    order = np.random.default_rng(0).permutation(X.shape[1])
    first = KernelMetric(random_state=0).fit(X, y)
    second = KernelMetric(random_state=0).fit(X[:, order], y)
    assert_allclose(second.widths_, first.widths_[order], rtol=1e-3)


def test_constant_and_duplicate_columns_do_no_harm():
    X, y = samples(n=1500)
    constant = np.column_stack([X, np.full((1500, 2), 3.0)])
    double = np.column_stack([X, X[:, 0]])
    model = make_pipeline(
        KernelMetric(random_state=0), LASVC(kernel="laplacian", gamma=1.0, C=8.0, random_state=0)
    )
    scores = [
        model.fit(Z[:1000], y[:1000]).score(Z[1000:], y[1000:]) for Z in (X, constant, double)
    ]
    assert_allclose(scores[1:], scores[0], atol=0.03)
    metric = KernelMetric(random_state=0).fit(constant, y)
    assert_array_equal(metric.feature_importances_[-2:], 0.0)


@pytest.mark.parametrize("y", [np.zeros(400), np.full(400, 2.5), np.arange(400) // 399])
def test_targets_that_are_constant_or_nearly(y):
    X, _ = samples(n=400)
    assert not KernelMetric(random_state=0).fit(X, y).is_learned_


def test_all_columns_constant():
    metric = KernelMetric().fit(np.ones((400, 3)), np.arange(400) % 2)
    assert_array_equal(metric.transform(np.ones((2, 3))), 0.0)
    assert_array_equal(metric.feature_importances_, 0.0)


def test_few_samples_have_equal_widths_and_a_warning():
    X, y = samples(n=299)
    with pytest.warns(UserWarning, match="from 300 samples on and was given 299"):
        metric = KernelMetric(random_state=0).fit(X, y)
    assert np.ptp(metric.widths_) == 0
    assert len(KernelMetric(random_state=0).fit(*samples(n=300)).history_) == 30


def test_weights_of_zero_are_samples_that_are_not_there():
    X, y = samples(n=600)
    weights = (np.arange(600) % 3 > 0).astype(float)
    y_other = np.where(weights > 0, y, "other")
    first = KernelMetric(random_state=0).fit(X, y_other, weights)
    second = KernelMetric(random_state=0).fit(X[weights > 0], y[weights > 0])
    assert set(np.argsort(first.widths_)[-3:]) == set(np.argsort(second.widths_)[-3:])
    assert_array_equal(knots_of(first)[0][0], knots_of(second)[0][0])


def test_weights_make_other_features_count():
    """Half of the samples have labels by one feature, the others by another."""
    X, _ = samples(n=2000, d=6)
    half = np.arange(2000) % 2
    y = np.where(half, X[:, 0] > 0, X[:, 1] > 0)
    for weighted in (0, 1):
        weights = np.where(half == weighted, 1.0, 0.01)
        metric = KernelMetric(random_state=0).fit(X, y, weights)
        assert np.argmax(metric.widths_) == 1 - weighted


@pytest.mark.parametrize("n", [600, 3000])
def test_halves_are_drawn_in_proportion_to_weights(n):
    """Both have as many samples of a rare class with a large weight as of the others."""
    is_rare = np.arange(n) < n // 20
    weights = np.where(is_rare, 19.0, 1.0)
    random = np.random.RandomState(0)
    for _ in range(5):
        A, B = drawn_halves(weights, random)
        assert len(A) == len(B) == min(n // 2, 512)
        assert not set(A) & set(B)
        for half in (A, B):
            assert 0.35 < is_rare[half].mean() < 0.65
        A, B = drawn_halves(np.ones(n), random)
        assert len(np.unique(np.concatenate([A, B]))) == 2 * len(A)


def test_scale_of_the_weights_does_not_matter():
    X, y = samples(n=600)
    weights = np.random.default_rng(0).uniform(1, 2, size=600)
    first, second = (
        KernelMetric(random_state=0).fit(X, y, factor * weights) for factor in (1.0, 2.0**-20)
    )
    assert first.is_learned_
    assert_allclose(second.widths_, first.widths_, rtol=1e-6)


def table(n=1500):
    """A frame with categories, of which one counts, text, booleans and integers."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "letter": pd.Categorical(rng.choice(list("abcdef"), n)),
            "size": 1e6 * rng.normal(size=n) + 1e9,
            "count": rng.integers(5, size=n),
            "answer": rng.choice(np.array(["yes", "no", None], dtype=object), n),
            "flag": rng.random(n) > 0.5,
        }
    )
    return X, (X["letter"].isin(["a", "b", "c"]) ^ (X["size"] > 1e9)).to_numpy()


@pytest.mark.parametrize("params", EVERY_FORM)
def test_categories_have_one_width_for_each_column(params):
    X, y = table()
    metric = KernelMetric(**params, random_state=0).fit(X, y)
    assert metric.is_learned_
    assert set(np.argsort(metric.feature_importances_)[-2:]) == {0, 1}
    Z = metric.set_output(transform="pandas").transform(X)
    if "form" in params:
        assert list(Z.columns[:2]) == ["kernelmetric0", "kernelmetric1"]
        return
    assert list(Z.columns) == [
        "size", "count", "flag", *(f"letter_{c}" for c in "abcdef"),
        "answer_no", "answer_yes", "answer_None",
    ]  # fmt: skip
    assert len(np.unique(metric.widths_)) == 5
    assert np.ptp(metric.widths_[3:9]) == np.ptp(metric.widths_[9:]) == 0


def test_categorical_features_by_name_index_and_mask():
    X, y = table(400)
    codes = X.assign(letter=X["letter"].cat.codes).drop(columns="answer")
    named = ["letter", "flag"], [0, 3], [True, False, False, True]
    outputs = [
        KernelMetric(categorical_features=columns, random_state=0).fit_transform(Z, y)
        for columns in named
        for Z in ([codes] if columns is named[0] else [codes, codes.to_numpy(dtype=float)])
    ]
    for output in outputs:
        assert output.shape == (400, 2 + 6 + 2)
        assert_array_equal(output, outputs[0])
    with_numbers = KernelMetric(categorical_features=None, random_state=0).fit(codes, y)
    assert with_numbers.widths_.shape == (4,)


def test_missing_categories_are_one_category():
    X, y = table(400)
    kinds = ["object", "string", "category"]
    frames = [X.assign(answer=X["answer"].astype(kind)) for kind in kinds]
    frames.append(X.assign(answer=X["answer"].where(X["answer"].notna(), np.nan)))
    outputs = [KernelMetric(random_state=0).fit_transform(frame, y) for frame in frames]
    for output in outputs[1:]:
        assert_array_equal(output, outputs[0])
    metric = KernelMetric(random_state=0).fit(X, y)
    missing = X[X["answer"].isna()][:1]
    assert metric.transform(missing)[0, -1] > 0


def test_columns_of_objects_are_numbers_if_all_values_are():
    X, y = samples(n=400)
    frame = pd.DataFrame(X).astype(object)
    first = KernelMetric(random_state=0).fit_transform(frame, y)
    assert_array_equal(first, KernelMetric(random_state=0).fit_transform(X, y))


def test_polars_frames():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    X, y = table(400)
    other = polars.DataFrame(
        {name: [None if pd.isna(v) else v for v in column] for name, column in X.items()}
    )
    expected = KernelMetric(random_state=0).fit_transform(X, y)
    assert_array_equal(KernelMetric(random_state=0).fit_transform(other, y), expected)


def test_many_and_new_categories():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"id": [f"c{i}" for i in rng.zipf(1.5, size=3000)], "x": rng.normal(size=3000)}
    )
    metric = KernelMetric(random_state=0).fit(X, X["x"] > 0)
    assert metric.widths_.shape == (257,)
    new = pd.DataFrame({"id": ["unseen"], "x": [0.0]})
    rare = metric.transform(new)[0]
    assert np.count_nonzero(rare[1:]) == 1


def test_whole_numbers_are_targets_if_told():
    X, y = samples(kind="numbers")
    counts = np.round(3 * y).astype(int)
    metric = KernelMetric(target_type="continuous", random_state=0).fit(X, counts)
    assert set(np.argsort(metric.widths_)[-3:]) == {0, 1, 2}
    assert metric.history_[-5:].mean() < KernelMetric(random_state=0).fit(X, counts).history_[0]


@pytest.mark.parametrize("n, most", [(600, 100), (1200, 120)])
def test_many_integers_are_no_classes_unless_told(n, most):
    X, _ = samples(n=n)
    y = np.arange(n) % (most + 1)
    with pytest.raises(ValueError, match=f"y has {most + 1} different values"):
        KernelMetric().fit(X, y)
    KernelMetric(target_type="continuous", random_state=0).fit(X, y)
    classes = np.arange(n) % most
    assert len(KernelMetric(random_state=0).fit(X, classes).history_) == 30


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("place", ["descend", "is_better", "_check_sample_weight"])
def test_a_failed_fit_leaves_the_transformer_as_it_was(place, error, monkeypatch):
    X, y = samples(n=400)
    metric, unfitted = KernelMetric(random_state=0).fit(X, y), KernelMetric(random_state=0)
    expected = metric.transform(X)

    def fails(*_, **__):
        raise error

    monkeypatch.setattr(f"{KernelMetric.__module__}.{place}", fails)
    for each in (metric, unfitted):
        with pytest.raises(error):
            each.fit(X[:, :5], y)
    assert_array_equal(metric.transform(X), expected)
    with pytest.raises(NotFittedError):
        unfitted.transform(X)


def test_ctrl_c_in_the_check_has_no_note_on_another_model(monkeypatch):
    def fit(self, *_):
        error = KeyboardInterrupt()
        error.add_note("resume(X, y) continues the interrupted fit")
        raise error

    monkeypatch.setattr(LASVC, "fit", fit)
    with pytest.raises(KeyboardInterrupt) as raised:
        KernelMetric(random_state=0).fit(*samples(n=400))
    assert not hasattr(raised.value, "__notes__")


def test_a_column_that_depends_on_others_needs_a_map():
    """The classes are those of a sum of features, which no width can express."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 10))
    y = np.sin(3 * X[:, :4].sum(axis=1) / 2) > 0
    train, test = slice(1500), slice(1500, None)
    scores = {}
    for form in ("widths", "map"):
        model = make_pipeline(
            KernelMetric(form, kernel="rbf", ranks=False, random_state=0),
            LASVC(gamma=1.0, C=8.0, random_state=0),
        )
        scores[form] = model.fit(X[train], y[train]).score(X[test], y[test])
    assert scores["map"] > scores["widths"] + 0.05


def test_more_samples_than_are_used_do_not_change_the_output_dtype():
    X, y = samples(n=12_000, d=4)
    metric = KernelMetric(random_state=0).fit(X, y)
    assert metric.transform(X).dtype == np.float64
    assert metric.transform(X.astype(np.float32)).dtype == np.float32
    assert len(knots_of(metric)[0][0]) <= 1000


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=40), st.integers(1, 3))
def test_scores_of_repeated_values_are_those_of_their_weights(column, n_times):
    column = np.array(column, dtype=float)
    weights = 1.0 + np.arange(len(column)) % n_times
    values, scores = rank_scores(column, weights)
    repeated = rank_scores(np.repeat(column, weights.astype(int)), np.ones(int(weights.sum())))
    assert_array_equal(values, repeated[0])
    assert_allclose(scores, repeated[1], atol=1e-12)
    assert (np.diff(scores) > 0).all()
    assert scores[0] == 0


@pytest.mark.parametrize("form", [LaplacianWidths, RBFWidths])
def test_mean_differences_are_those_of_all_pairs(form):
    rng = np.random.default_rng(0)
    Z, weights = rng.integers(4, size=(30, 3)).astype(float), rng.random(30)
    power = 1 if form is LaplacianWidths else 2
    expected = np.einsum("i,j,ijk->k", weights, weights, np.abs(Z[:, None] - Z) ** power)
    assert_allclose(form.mean_differences(Z, weights), expected / weights.sum() ** 2)


def test_the_check_needs_a_clear_difference():
    X, y = samples(n=1500, d=3)
    codes, weights = (y == "yes").astype(int), np.ones(1500)
    noise = np.random.default_rng(1).normal(size=(1500, 30))
    good, bad = StandardScaler().fit_transform(X), np.column_stack([X, noise])
    verdicts = [
        is_better(*pair, codes, weights, "laplacian", False, np.random.RandomState(0))
        for pair in ((good, bad), (bad, good), (good, good))
    ]
    assert verdicts == [True, False, False]
