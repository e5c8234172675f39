"""Samples that a model keeps beside its support vectors, for estimates of probabilities."""

import numpy as np
from scipy import sparse

from .. import _limits
from ._analysis._span import even_part
from ._virtual_pool import as_arrays, from_arrays


class KeptSamples:
    """Samples that the map of a model is fitted to; an object does not change.

    Support vectors are not stored here, as the model has them. The samples of ``fit`` are
    represented by their weights and by some of those that are not support vectors, until the
    stream that follows has ``N_RECENT`` samples; of a stream, the last ``N_RECENT`` are kept.

    Parameters
    ----------
    fit_weights : ndarray of shape (n_samples_fit,)
        Weights of the samples of ``fit``, or an empty array.
    others : tuple (X, codes, row_ids)
        Samples of ``fit`` outside of the support set.
    begin : int
        Position of the first sample of the stream.
    end : int
        Position after its last sample.
    chunks : tuple of tuples (X, codes, weights)
        The last samples of the stream, at least ``N_RECENT`` if there are so many.
    """

    def __init__(self, fit_weights, others, begin, end, chunks=()):
        self.fit_weights, self.others = fit_weights, others
        self.begin, self.end, self.chunks = begin, end, chunks

    @classmethod
    def of_fit(cls, X, codes, weights, order, support):
        """Return the samples of ``fit``, which were visited in this order."""
        is_other = np.zeros(len(codes), dtype=bool)
        is_other[order] = True
        is_other[support] = False
        is_other &= weights > 0.0
        rows = np.sort(even_part(order[is_other[order]], _limits.N_OTHERS))
        used = np.zeros(len(codes))
        used[order] = weights[order]
        return cls(used, (X[rows], codes[rows], rows), len(codes), len(codes))

    @classmethod
    def of_stream(cls, X, begin):
        """Return no samples yet, of a stream of samples like X that begins at a position."""
        nothing = np.zeros(0, dtype=np.int32)
        return cls(np.zeros(0), (X[:0], nothing, nothing.astype(np.intp)), begin, begin)

    def after_chunk(self, rows, first, n):
        """Return those after the first ``n`` samples of a chunk, which begins at a position."""
        # After an interrupt a part of the chunk has been kept before.
        fresh = slice(self.end - first, n)
        if fresh.start >= n:
            return self
        return self.extended(rows.X[fresh], rows.encoded[fresh], rows.weights[fresh])

    def extended(self, X, codes, weights):
        """Return these samples and the next ones of the stream."""
        end = self.end + len(codes)
        last = slice(max(0, len(codes) - _limits.N_RECENT), None)
        chunks = (*self.chunks, (X[last].copy(), codes[last].copy(), weights[last].copy()))
        n = sum(len(chunk[1]) for chunk in chunks)
        first = 0
        while n - len(chunks[first][1]) >= _limits.N_RECENT:
            n -= len(chunks[first][1])
            first += 1
        return KeptSamples(self.fit_weights, self.others, self.begin, end, chunks[first:])

    def recoded(self, places):
        """Return these samples with other class codes, ``places`` of the present ones."""
        X, codes, rows = self.others
        others = X, places[codes].astype(codes.dtype), rows
        chunks = tuple((X, places[c].astype(c.dtype), weights) for X, c, weights in self.chunks)
        return KeptSamples(self.fit_weights, others, self.begin, self.end, chunks)

    def state(self):
        """Return arrays and numbers, for pickling."""
        X, codes, rows = self.others
        state = dict(
            fit_weights=self.fit_weights,
            others=as_arrays(X),
            codes=codes,
            rows=rows,
            begin=self.begin,
            end=self.end,
        )
        if self.chunks:
            X, codes, weights = self._recent()
            state |= dict(recent=as_arrays(X), recent_codes=codes, recent_weights=weights)
        return state

    @classmethod
    def from_state(cls, state, n_features):
        """Return the samples that ``state`` stored."""
        others = from_arrays(state["others"], n_features), state["codes"], state["rows"]
        chunks = ()
        if "recent" in state:
            X = from_arrays(state["recent"], n_features)
            chunks = ((X, state["recent_codes"], state["recent_weights"]),)
        return cls(state["fit_weights"], others, state["begin"], state["end"], chunks)

    def _recent(self):
        """Return X, codes and weights of the last samples of the stream."""
        parts = list(zip(*self.chunks, strict=True))
        whole = stack(parts[0]), np.concatenate(parts[1]), np.concatenate(parts[2])
        return tuple(array[-_limits.N_RECENT :] for array in whole)

    def of_solution(self, row_ids):
        """Return the weight of each support vector, and the other samples: X, codes, weights.

        Parameters
        ----------
        row_ids : ndarray of int64
            Positions of the support vectors.
        """
        weights = np.zeros(len(row_ids))
        X, codes, rows = self.others
        counted = np.zeros(len(rows))
        if self.end - self.begin < _limits.N_RECENT:
            of_fit = (row_ids >= 0) & (row_ids < len(self.fit_weights))
            weights[of_fit] = self.fit_weights[row_ids[of_fit]]
            counted = np.where(np.isin(rows, row_ids), 0.0, self.fit_weights[rows])
            if counted.any():
                # They stand for all samples outside of the support set.
                counted *= max(self.fit_weights.sum() - weights.sum(), 0.0) / counted.sum()
        if self.chunks:
            X_last, codes_last, weights_last = self._recent()
            first = self.end - len(codes_last)
            # Another thread may be training: vectors of its present chunk are not kept yet.
            recent = (row_ids >= first) & (row_ids < self.end)
            weights[recent] = weights_last[row_ids[recent] - first]
            weights_last = weights_last.copy()
            weights_last[row_ids[recent] - first] = 0.0
            X, codes = stack([X, X_last]), np.concatenate([codes, codes_last])
            counted = np.concatenate([counted, weights_last])
        used = counted > 0.0
        return weights, (X[used], codes[used], counted[used])


def stack(parts):
    """Stack samples, dense or CSR; the result is CSR if one of them is."""
    is_sparse = any(sparse.issparse(part) for part in parts)
    return sparse.vstack(parts, format="csr") if is_sparse else np.vstack(parts)
