"""Samples that a model keeps beside its support vectors, for probabilities and intervals."""

import numpy as np
from scipy import sparse

from .. import _limits
from ._analysis._span import even_part
from ._virtual_pool import as_arrays, from_arrays


class KeptSamples:
    """Samples that the map of a model is fitted to; an object does not change.

    Support vectors are not stored here, as the model has them. The samples of ``fit`` are
    represented by their weights and targets, and by some of those that are not support vectors
    (``others``: X, row_ids), until the stream that follows has ``N_RECENT`` samples; of a stream,
    the last ``N_RECENT`` are kept, in ``chunks`` of (X, encoded, weights). ``begin`` and ``end``
    are the positions of the stream. Targets are encoded: class codes, or values of shape
    (n_samples, n_outputs).
    """

    def __init__(self, fit_weights, fit_encoded, others, begin, end, chunks=()):
        self.fit_weights, self.fit_encoded, self.others = fit_weights, fit_encoded, others
        self.begin, self.end, self.chunks = begin, end, chunks

    @classmethod
    def of_fit(cls, X, encoded, weights, order, support):
        """Return the samples of ``fit``, which were visited in this order."""
        is_other = np.zeros(len(encoded), dtype=bool)
        is_other[order] = True
        is_other[support] = False
        is_other &= weights > 0.0
        rows = np.sort(even_part(order[is_other[order]], _limits.N_OTHERS))
        used = np.zeros(len(encoded))
        used[order] = weights[order]
        return cls(used, encoded.copy(), (X[rows], rows), len(encoded), len(encoded))

    @classmethod
    def of_stream(cls, X, encoded, begin):
        """Return no samples yet, of a stream of such samples that begins at a position."""
        none = X[:0].copy(), np.zeros(0, dtype=np.intp)
        return cls(np.zeros(0), encoded[:0].copy(), none, begin, begin)

    def after_chunk(self, rows, first, n):
        """Return those after the first ``n`` samples of a chunk, which begins at a position."""
        if self.end >= first + n:
            return self
        # After an interrupt a part of the chunk has been kept before.
        last = slice(max(self.end - first, n - _limits.N_RECENT), n)
        new = tuple(values[last].copy() for values in (rows.X, rows.encoded, rows.weights))
        chunks = (*self.chunks, new)
        n_kept = sum(len(chunk[1]) for chunk in chunks)
        while n_kept - len(chunks[0][1]) >= _limits.N_RECENT:
            n_kept -= len(chunks[0][1])
            chunks = chunks[1:]
        return self._with(end=first + n, chunks=chunks)

    def recoded(self, places):
        """Return these samples with other class codes, ``places`` of the present ones."""
        chunks = tuple((X, places[c].astype(c.dtype), weights) for X, c, weights in self.chunks)
        codes = places[self.fit_encoded].astype(self.fit_encoded.dtype)
        return self._with(fit_encoded=codes, chunks=chunks)

    def _with(self, **values):
        return KeptSamples(**vars(self) | values)

    def state(self):
        """Return arrays and numbers, for pickling."""
        X, rows = self.others
        state = dict(
            fit_weights=self.fit_weights,
            fit_encoded=self.fit_encoded,
            others=as_arrays(X),
            rows=rows,
            begin=self.begin,
            end=self.end,
        )
        if self.chunks:
            X, encoded, weights = self._recent()
            state |= dict(recent=as_arrays(X), recent_encoded=encoded, recent_weights=weights)
        return state

    @classmethod
    def from_state(cls, state, n_features):
        """Return the samples that ``state`` stored."""
        others = from_arrays(state["others"], n_features), state["rows"]
        chunks = ()
        if "recent" in state:
            X = from_arrays(state["recent"], n_features)
            chunks = ((X, state["recent_encoded"], state["recent_weights"]),)
        of_fit = state["fit_weights"], state["fit_encoded"]
        return cls(*of_fit, others, state["begin"], state["end"], chunks)

    def _recent(self):
        """Return X, encoded targets and weights of the last samples of the stream."""
        parts = list(zip(*self.chunks, strict=True))
        whole = stack(parts[0]), np.concatenate(parts[1]), np.concatenate(parts[2])
        return tuple(array[-_limits.N_RECENT :] for array in whole)

    def of_solution(self, row_ids):
        """Return targets and weights of the support vectors, and X, targets, weights of others.

        The target of a support vector whose weight is 0 is 0.
        """
        shape = len(row_ids), *self.fit_encoded.shape[1:]
        weights, encoded = np.zeros(len(row_ids)), np.zeros(shape, self.fit_encoded.dtype)
        X, rows = self.others
        counted = np.zeros(len(rows))
        if self.end - self.begin < _limits.N_RECENT:
            of_fit = (row_ids >= 0) & (row_ids < len(self.fit_weights))
            weights[of_fit] = self.fit_weights[row_ids[of_fit]]
            encoded[of_fit] = self.fit_encoded[row_ids[of_fit]]
            counted = np.where(np.isin(rows, row_ids), 0.0, self.fit_weights[rows])
            if counted.any():
                # They stand for all samples outside of the support set.
                counted *= max(self.fit_weights.sum() - weights.sum(), 0.0) / counted.sum()
        others = self.fit_encoded[rows]
        if self.chunks:
            X_last, encoded_last, weights_last = self._recent()
            first = self.end - len(encoded_last)
            # Another thread may be training: vectors of its present chunk are not kept yet.
            recent = (row_ids >= first) & (row_ids < self.end)
            weights[recent] = weights_last[row_ids[recent] - first]
            encoded[recent] = encoded_last[row_ids[recent] - first]
            weights_last = weights_last.copy()
            weights_last[row_ids[recent] - first] = 0.0
            X, others = stack([X, X_last]), np.concatenate([others, encoded_last])
            counted = np.concatenate([counted, weights_last])
        used = counted > 0.0
        return encoded, weights, (X[used], others[used], counted[used])


def stack(parts):
    """Stack samples, dense or CSR; the result is CSR if one of them is."""
    is_sparse = any(sparse.issparse(part) for part in parts)
    return sparse.vstack(parts, format="csr") if is_sparse else np.vstack(parts)
