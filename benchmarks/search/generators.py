"""Rows like those of two sets that are not at hand, IJCNN 2001 and Forest CoverType; a plane."""

import numpy as np

N_SAMPLES = 22
N_REGIMES = 5
N_AREAS, N_SOILS = 4, 40


def make_ijcnn_like(n_rows, seed, noise=0.25):
    """Windows of a periodic signal that has one of several regimes; one in ten is positive.

    A regime has a frequency and overtones of its own. A window is positive where the phase at its
    end is close to one of two that belong to the regime, the closer the weaker the signal: nothing
    that a plane could tell. Which rows are the tenth part is known without noise, the samples are
    not.

    Returns
    -------
    X : ndarray of shape (n_rows, 22), float32, standardised
    y : ndarray of shape (n_rows,), of -1 and 1
    """
    # The regimes are the same for every seed, as the engine would be.
    world = np.random.default_rng(2001)
    frequency = world.uniform(0.8, 2.4, N_REGIMES)
    overtones = world.uniform(0.2, 0.7, (N_REGIMES, 2))
    shifts = world.uniform(0, 2 * np.pi, (N_REGIMES, 2))
    critical = world.uniform(0, 2 * np.pi, (N_REGIMES, 2))

    rng = np.random.default_rng([seed, 22])
    regime = rng.integers(0, N_REGIMES, n_rows)
    phase = rng.uniform(0, 2 * np.pi, n_rows)
    amplitude = rng.uniform(0.7, 1.5, n_rows)
    at = np.linspace(-1, 0, N_SAMPLES)
    angle = phase[:, None] + 2 * np.pi * frequency[regime, None] * at
    X = np.sin(angle)
    for k in range(2):
        X += overtones[regime, k, None] * np.sin((k + 2) * angle + shifts[regime, k, None])
    X = amplitude[:, None] * X + noise * rng.normal(size=X.shape)

    closeness = np.cos(phase[:, None] - critical[regime]).max(axis=1)
    score = closeness - 0.15 * amplitude
    y = np.where(score > np.quantile(score, 0.9), 1, -1)
    return ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32), y


def _field(world, position, n_waves, roughness):
    """A smooth random function of the position, of mean 0 and deviation about 1."""
    waves = world.normal(size=(2, n_waves)) * roughness
    return np.cos(position @ waves + world.uniform(0, 2 * np.pi, n_waves)).sum(axis=1) * np.sqrt(
        2 / n_waves
    )


def make_covtype_like(n_rows, seed, wrong=0.005):
    """Places in a landscape: is the commonest tree the one that grows there?

    Ten features are measured (height, slope, aspect, distances, light), four say in which area the
    place lies and forty what soil it has, each as one column of 1. All of them depend on where the
    place is. The tree depends on height, moisture, soil and area; one label in 200 is wrong.

    Returns
    -------
    X : ndarray of shape (n_rows, 54), float32, in [0, 1]
    y : ndarray of shape (n_rows,), of -1 and 1, about as many of each
    """
    # The landscape is the same for every seed.
    world = np.random.default_rng(1998)
    rng = np.random.default_rng([seed, 54])
    position = rng.uniform(0, 1, (n_rows, 2))

    height = _field(world, position, 30, 6.0)
    east, north = _field(world, position, 30, 9.0), _field(world, position, 30, 9.0)
    slope, aspect = np.hypot(east, north), np.arctan2(north, east)
    water, road, fire = (np.abs(_field(world, position, 20, 8.0)) for _ in range(3))
    above_water = 0.5 * height + 0.5 * water
    light = [np.cos(aspect - sun) * np.tanh(slope) for sun in (-0.8, 0.0, 0.8)]
    measured = np.column_stack([height, aspect, slope, water, above_water, road, *light, fire])
    measured += 0.01 * measured.std(axis=0) * rng.normal(size=measured.shape)

    centres = world.uniform(0, 1, (N_AREAS, 2))
    area = ((position[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    soil_scores = np.column_stack([_field(world, position, 15, 10.0) for _ in range(N_SOILS)])
    soil = (soil_scores + 0.5 * rng.gumbel(size=soil_scores.shape)).argmax(axis=1)

    of_area, of_soil = world.normal(size=N_AREAS), world.normal(size=N_SOILS)
    score = (
        np.cos(2.0 * height + of_area[area])
        + 0.6 * np.sin(2.0 * water + slope)
        + 0.3 * of_soil[soil]
        + 0.4 * light[0] * height
    )
    y = np.where((score > np.median(score)) ^ (rng.random(n_rows) < wrong), 1, -1)
    low, high = measured.min(axis=0), measured.max(axis=0)
    X = np.column_stack([(measured - low) / (high - low), np.eye(N_AREAS)[area]])
    return np.column_stack([X, np.eye(N_SOILS)[soil]]).astype(np.float32), y


def make_uneven_plane(n_rows, seed, n_features=100, noise=0.3):
    """Two sides of a plane, with features whose scales differ by up to ten.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features), float32
    y : ndarray of shape (n_rows,), of -1 and 1, about one in ten of them wrong
    """
    rng = np.random.default_rng([seed, 100])
    X = rng.standard_normal((n_rows, n_features), dtype=np.float32)
    values = X @ rng.standard_normal(n_features, dtype=np.float32)
    values += noise * values.std() * rng.standard_normal(n_rows, dtype=np.float32)
    X *= np.logspace(-1, 0, n_features, dtype=np.float32)
    return X, np.where(values > 0, 1, -1)
