"""Generators of data sets and of label noise."""

import re
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC

from sklearn_online_svm.datasets import flip_labels, make_banana_like, make_waveform


def wave(which, j):
    """Return v_1, v_2 or v_3 of the thesis at one of the points 1, ..., 21."""
    shift = {1: 0, 2: -4, 3: 4}[which]
    return max(6 - abs(j + shift - 11), 0)


class NoNoise(np.random.RandomState):
    """A RandomState with Gaussian noise of 0."""

    def standard_normal(self, size=None):
        return np.zeros(size)


def test_waveform_follows_the_formula():
    """Without noise each sample is u v_a + (1 - u) v_b for a u in (0, 1)."""
    X, y, waveform = make_waveform(300, random_state=NoNoise(0), return_waveform=True)
    assert X.shape == (300, 21)
    shares = []
    for x, label, c in zip(X, y, waveform, strict=True):
        a, b = {1: (1, 2), 2: (1, 3), 3: (2, 3)}[c]
        assert label == (1 if c == 1 else -1)
        # Solve for u at the peak of the second wave.
        peak = {2: 15, 3: 7}[b]
        u = (x[peak - 1] - wave(b, peak)) / (wave(a, peak) - wave(b, peak))
        expected = [u * wave(a, j) + (1 - u) * wave(b, j) for j in range(1, 22)]
        assert_allclose(x, expected, atol=1e-12)
        shares.append(u)
    assert 0 < min(shares) < 0.1
    assert 0.9 < max(shares) < 1
    assert abs(np.mean(shares) - 0.5) < 0.06


def test_waveform_noise_has_unit_variance(global_random_seed):
    """At points 1 and 21 all three triangles are 0, so only the noise remains."""
    X, _ = make_waveform(20000, random_state=global_random_seed)
    assert_allclose(X[:, [0, 20]].mean(axis=0), 0, atol=0.04)
    assert_allclose(X[:, [0, 20]].std(axis=0), 1, atol=0.03)


@pytest.mark.parametrize(
    ("n_samples", "ratio", "n_positive"),
    [(4000, 2, 1333), (2750, 32, 83), (100, 1, 50), (101, 1 / 3, 76), (20, 1000, 1), (2, 2, 1)],
)
def test_waveform_imbalance_ratio(n_samples, ratio, n_positive):
    X, y = make_waveform(n_samples, imbalance_ratio=ratio, random_state=0)
    assert len(X) == len(y) == n_samples
    assert set(y.tolist()) == {-1, 1}
    assert (y == 1).sum() == n_positive


def test_waveform_negatives_are_both_other_classes(global_random_seed):
    _, y, waveform = make_waveform(6000, random_state=global_random_seed, return_waveform=True)
    assert_array_equal(y == 1, waveform == 1)
    counts = np.bincount(waveform, minlength=4)
    assert counts[1] == 2000
    assert abs(counts[2] - 2000) < 200  # more than six standard deviations


@pytest.mark.parametrize("make", [make_waveform, make_banana_like])
def test_generators_are_seeded_and_shuffled(make, global_random_seed):
    X, y = make(500, random_state=global_random_seed)
    X_same, y_same = make(500, random_state=np.random.RandomState(global_random_seed))
    X_other, _ = make(500, random_state=global_random_seed + 1)
    assert_array_equal(X, X_same)
    assert_array_equal(y, y_same)
    assert not np.array_equal(X, X_other)
    assert (np.diff(y) != 0).sum() > 100


@pytest.mark.parametrize(
    ("make", "params"),
    [
        *(
            (make, {"n_samples": n})
            for make in (make_waveform, make_banana_like)
            for n in (1, 2.5)
        ),
        *((make_waveform, {"imbalance_ratio": ratio}) for ratio in (0, -1, np.inf, np.nan, "2")),
        (make_banana_like, {"noise": -0.1}),
        *((partial(flip_labels, [0, 1]), {"fraction": value}) for value in (-0.1, 1.5, np.nan)),
    ],
)
def test_invalid_parameters_are_refused_by_name(make, params):
    ((name, value),) = params.items()
    with pytest.raises(ValueError, match=f"The '{name}' parameter of .* Got {value!r} instead"):
        make(**params)


def test_banana_like_moments_and_share(global_random_seed):
    for noise in (0.0, 0.32, 1.0):
        X, y = make_banana_like(40000, noise=noise, random_state=global_random_seed)
        assert_allclose(X.mean(axis=0), 0, atol=0.03)
        assert_allclose(X.std(axis=0), 1, atol=0.02)
        assert (y == 1).sum() == 17932  # 44.83 %


def test_banana_like_error_resembles_banana(global_random_seed):
    X, y = make_banana_like(6000, random_state=global_random_seed)
    svc = SVC(C=316, gamma=0.5).fit(X[:2000], y[:2000])
    assert 0.075 < 1 - svc.score(X[2000:], y[2000:]) < 0.125


def test_banana_like_without_noise_is_separable():
    X, y = make_banana_like(400, noise=0, random_state=0)
    assert SVC(C=1e4, gamma=2.0).fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("fraction", [0, 0.01, 0.1, 0.25, 1])
def test_flip_labels_count(fraction, global_random_seed):
    y = np.repeat([-1, 1], [140, 60])
    before = y.copy()
    noisy, mask = flip_labels(y, fraction, random_state=global_random_seed, return_mask=True)
    assert_array_equal(y, before)
    assert mask.sum() == round(200 * fraction)
    assert_array_equal(noisy, np.where(mask, -y, y))


def test_flip_labels_one_sided(global_random_seed):
    y = np.tile([-1, -1, 1], 50)
    noisy, mask = flip_labels(
        y, 0.4, from_label=1, random_state=global_random_seed, return_mask=True
    )
    assert mask.sum() == 20
    assert (y[mask] == 1).all()
    assert (noisy[mask] == -1).all()


def test_flip_labels_multiclass_strings(global_random_seed):
    y = np.array(["a", "bb", "ccc"] * 300)
    noisy = flip_labels(y, 1.0, random_state=global_random_seed)
    assert noisy.dtype == y.dtype
    assert (noisy != y).all()
    for label in "a", "bb", "ccc":
        _, counts = np.unique(noisy[y == label], return_counts=True)
        assert len(counts) == 2
        assert counts.min() > 100  # of 300 in two classes: nearly six standard deviations


def test_flip_labels_is_seeded():
    y = [0, 1] * 100
    assert_array_equal(flip_labels(y, 0.3, random_state=3), flip_labels(y, 0.3, random_state=3))
    assert (flip_labels(y, 0.3, random_state=3) != flip_labels(y, 0.3, random_state=4)).any()


@pytest.mark.parametrize(
    ("y", "kwargs", "message"),
    [
        ([[0, 1]], dict(fraction=0.1), "y must be one-dimensional, got shape (1, 2)"),
        ([1, 1], dict(fraction=0.1), "y must have at least two classes, got [1]"),
        ([0, 1], dict(fraction=0.5, from_label=2), "from_label must be one of [0, 1], got 2"),
    ],
)
def test_flip_labels_refuses(y, kwargs, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        flip_labels(y, **kwargs)
