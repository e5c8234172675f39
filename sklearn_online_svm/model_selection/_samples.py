"""Samples of a search: data, targets and metadata, and the transformed data."""

import copy

import numpy as np
from scipy import sparse

from .._sklearn_compat import _num_samples, _safe_indexing

__all__ = ["Samples", "Subset", "concatenate", "refuse_another_kind"]


class Samples:
    """Data with targets and metadata.

    Parameters
    ----------
    X, y : data and targets
    fit_params : dict
        Arguments of ``partial_fit``, one value for each sample.
    score_params : dict of dicts
        Arguments of each scorer, likewise.
    """

    def __init__(self, X, y, fit_params, score_params):
        self.X, self.y = X, y
        self.fit_params, self.score_params = fit_params, score_params
        self._transformed = {}

    def __len__(self):
        return _num_samples(self.X)

    def transformed(self, transformers):
        """Return the transformed X; computed once."""
        if transformers not in self._transformed:
            self._transformed[transformers] = transformers.transform(self.X)
        return self._transformed[transformers]

    def keep_transformed(self, kept):
        """Release transformed data, except that of some transformers."""
        self._transformed = {key: X for key, X in self._transformed.items() if key in kept}

    def select(self, transformers, indices):
        """Return X, y, and the arguments of ``partial_fit`` and of scorers, of some samples."""
        chosen = self._map(lambda values: _safe_indexing(values, indices))
        X = _safe_indexing(self.transformed(transformers), indices)
        return X, chosen.y, chosen.fit_params, chosen.score_params

    def part(self, indices):
        """Return some of the samples."""
        chosen = self._map(lambda values: _safe_indexing(values, indices))
        chosen.X = _safe_indexing(self.X, indices)
        return chosen

    def copy(self):
        """Return a copy that shares no memory with the caller's arrays."""
        copied = self._map(_copied)
        copied.X = _copied(self.X)
        return copied

    def _map(self, function):
        return Samples(
            None,
            None if self.y is None else function(self.y),
            {name: function(values) for name, values in self.fit_params.items()},
            {
                metric: {name: function(values) for name, values in given.items()}
                for metric, given in self.score_params.items()
            },
        )


class Subset:
    """Indices of samples for each model of a candidate; the data are selected once for all.

    Parameters
    ----------
    samples : Samples
    indices : list of ndarray
        One array for each fold.
    """

    def __init__(self, samples, indices):
        self.samples, self.indices = samples, indices
        self._selected = {}

    def with_indices(self, indices):
        """Return a subset with these indices: itself if they are its own."""
        if len(indices) == len(self.indices) and all(map(np.array_equal, indices, self.indices)):
            return self
        return Subset(self.samples, indices)

    def of(self, transformers, fold):
        """Return what :meth:`Samples.select` does, for the model of a fold."""
        key = transformers, fold
        if key not in self._selected:
            self._selected[key] = self.samples.select(transformers, self.indices[fold])
        return self._selected[key]


def refuse_another_kind(samples, other):
    """Raise an error if the samples of two chunks cannot be concatenated."""
    if hasattr(samples.X, "iloc") != hasattr(other.X, "iloc"):
        raise ValueError(
            "X must be of the same kind in all calls of partial_fit, got "
            f"{type(other.X).__name__} after {type(samples.X).__name__}."
        )
    if samples.fit_params.keys() != other.fit_params.keys():
        raise ValueError(
            "Metadata must be the same in all calls of partial_fit, got "
            f"{sorted(other.fit_params)} after {sorted(samples.fit_params)}."
        )


def concatenate(chunks):
    """Return the samples of several chunks as one."""
    if len(chunks) == 1:
        return chunks[0]
    first = chunks[0]
    return Samples(
        _stacked([chunk.X for chunk in chunks]),
        None if first.y is None else _stacked([chunk.y for chunk in chunks]),
        {name: _stacked([c.fit_params[name] for c in chunks]) for name in first.fit_params},
        {
            metric: {
                name: _stacked([c.score_params[metric][name] for c in chunks]) for name in given
            }
            for metric, given in first.score_params.items()
        },
    )


def _copied(array):
    return array.copy() if hasattr(array, "copy") else copy.copy(array)


def _stacked(parts):
    """Concatenate arrays, sparse matrices, data frames or lists along the samples."""
    if any(sparse.issparse(part) for part in parts):
        return sparse.vstack([sparse.csr_matrix(part) for part in parts], format="csr")
    if hasattr(parts[0], "iloc"):
        from pandas import concat

        return concat(parts)
    if isinstance(parts[0], list):
        return [value for part in parts for value in part]
    return np.concatenate(parts)
