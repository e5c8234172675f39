"""Samples of a stream that are visited again when their class is missing: *replay*.

An online learner forgets a sample that is no support vector at the time. If a stream is sorted, by
class for example, the samples that later classes meet are no longer there. A :class:`Replay` has a
bounded random sample of the stream (``_core/reservoir.pyx``). It decides from the class counts
which of them are visited again, and with the support vectors it represents the whole stream
(:meth:`Replay.beside`).
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from .._core.reservoir import Reservoir
from ._kept_samples import stack
from ._virtual_pool import as_arrays, from_arrays

# Share of the samples so far that must have been replayed before the solution for predictions is
# optimized over the reservoir, too. The support vectors of a shuffled stream do without.
NEEDED_SHARE = 0.005

# Least part of its upper bound of alpha that a support vector keeps where the bounds of its class
# add up to more than in the stream.
LEAST_PART = 0.1


class Vectors:
    """Rows by place, dense or sparse, which are replaced in place."""

    def __init__(self, n_columns, dtype, is_sparse):
        self.n_columns, self.dtype, self.is_sparse = n_columns, dtype, is_sparse
        self.rows = [] if is_sparse else np.empty((0, n_columns), dtype=dtype)

    def put(self, places, X):
        """Store the rows of X at places; new ones follow the last one."""
        n = 1 + int(places.max())
        if self.is_sparse:
            X = sparse.csr_matrix(X)
            indices = X.indices.astype(np.int32, copy=False)
            self.rows.extend([None] * (n - len(self.rows)))
            for r, place in enumerate(places):
                row = slice(X.indptr[r], X.indptr[r + 1])
                self.rows[place] = indices[row].tobytes(), X.data[row].tobytes()
            return
        if n > len(self.rows):
            grown = np.empty((max(n, 2 * len(self.rows)), self.n_columns), self.dtype)
            grown[: len(self.rows)] = self.rows
            self.rows = grown
        self.rows[places] = X if isinstance(X, np.ndarray) else X.toarray()

    def take(self, places):
        """Return the samples at places."""
        if not self.is_sparse:
            return self.rows[places]
        rows = [self.rows[place] for place in places]
        indices, data = (b"".join([row[k] for row in rows]) for k in range(2))
        ends = np.cumsum([0, *(len(row[0]) // 4 for row in rows)], dtype=np.int32)
        indices, data = np.frombuffer(indices, np.int32), np.frombuffer(data, self.dtype)
        shape = len(places), self.n_columns
        return sparse.csr_matrix((data, indices, ends), shape=shape)

    def copy(self):
        """Return a copy that does not change with this one."""
        other = Vectors.__new__(Vectors)
        other.__dict__.update(vars(self), rows=self.rows.copy())
        return other


@dataclass
class Replay:
    """Samples of a stream, and which of them are to be visited again."""

    reservoir: Reservoir  # which samples are stored
    vectors: Vectors  # their features
    targets: Vectors | None  # their targets; None: class codes, which the reservoir has
    # Position in the stream of the first sample, and after the last one.
    begin: int
    end: int
    # What :meth:`begin_at` restores: end, places and their values before the last chunk.
    former: tuple | None = None

    @classmethod
    def of_stream(cls, size, spec, n_classes, begin):
        """Return no samples yet, of a stream that begins at a position.

        ``n_classes``: None in regression, where each problem is an output.
        """
        vectors = Vectors(spec.n_features, spec.dtype, spec.layout == "sparse")
        targets = None if n_classes is not None else Vectors(spec.n_problems, np.float64, False)
        return cls(Reservoir(size, n_classes), vectors, targets, begin, begin)

    @property
    def is_needed(self):
        """Whether the support vectors alone do not represent the stream."""
        return self.reservoir.n_replays > NEEDED_SHARE * self.reservoir.n_seen

    def encoded(self, places):
        """Return what is learned of stored samples."""
        if self.targets is None:
            return self.reservoir.samples["code"][places].astype(np.int32)
        return self.targets.take(places)

    def visit(self, rows, first, stands_for_class=True):
        """Take in a chunk whose first sample has the position ``first``.

        Returns the visits in their order: positions in the chunk, followed by replayed samples;
        and ``X``, ``encoded``, ``cost``, ``row_ids`` of samples that are visited again, or None.
        ``stands_for_class``: see :meth:`Reservoir.visit`.
        """
        self.begin_at(first)
        self.reservoir.note()
        self.former, self.end = (self.end, None, None), first + len(rows.cost)
        try:
            return self._visit(rows, first, stands_for_class)
        except BaseException:  # no memory
            self.begin_at(first)
            raise

    def _visit(self, rows, first, stands_for_class):
        n_stored, learned = self.reservoir.n, main_target(rows.encoded)
        order, replays, places, sources = self.reservoir.visit(
            learned, first, rows.cost, stands_for_class
        )
        replayed = self._replayed(replays, rows) if replays else None
        if len(places):
            former = places[places < n_stored]
            if len(former):
                values = [None if rows is None else rows.take(former) for rows in self._by_place]
                self.former = self.former[0], former, values
            self.vectors.put(places, rows.X[sources])
            if self.targets is not None:
                self.targets.put(places, rows.encoded[sources])
        return order, replayed

    @property
    def _by_place(self):
        return self.vectors, self.targets

    def _replayed(self, replays, rows):
        places, row_ids, sources, cost, codes = (np.array(values) for values in zip(*replays))
        is_new = sources >= 0
        places, sources = places[~is_new], sources[is_new]
        # Stored samples, then those of the chunk: rank of each replay among them.
        rank = np.argsort(np.argsort(is_new, kind="stable"))
        X = stack([self.vectors.take(places), rows.X[sources]])[rank]
        if self.targets is None:
            encoded = codes.astype(np.int32)
        else:
            encoded = np.concatenate([self.targets.take(places), rows.encoded[sources]])[rank]
        return dict(X=X, encoded=encoded, cost=cost, row_ids=row_ids)

    def end_at(self, rows, first, n):
        """Take in the first ``n`` samples of a chunk only, whose first sample has this position.

        A part of it, or all, has been taken in before.
        """
        self.begin_at(first + n)
        if self.end < first + n:
            self.visit(rows.part(slice(self.end - first, n)), self.end)

    def begin_at(self, first):
        """Undo the last :meth:`visit` if it has samples from this position on."""
        if self.end > first:
            self.take_back()

    def take_back(self):
        """Undo the last :meth:`visit`."""
        self.end, places, values = self.former
        self.reservoir.take_back()
        if places is not None:
            for rows, former in zip(self._by_place, values, strict=True):
                if rows is not None:
                    rows.put(places, former)

    def latest(self, n):
        """Return the latest samples of all classes, about ``n``, and what is learned of them."""
        samples = self.reservoir.samples
        by_class = np.lexsort((-samples["row_id"], samples["code"]))
        codes = samples["code"][by_class]
        begins = np.searchsorted(codes, codes)
        n_classes = np.count_nonzero(self.reservoir.classes["stored"])
        places = by_class[np.arange(len(codes)) - begins < max(1, n // n_classes)]
        return self.vectors.take(places), self.encoded(places)

    def beside(self, row_ids, learned, cost, known, represented):
        """Return samples that stand for those of the stream which are not support vectors.

        The upper bounds of alpha of stored samples, also if they are support vectors, are raised
        so that, in each class, those of all samples add up to their sum over the stream.

        ``row_ids``, ``learned``, ``cost``: those of the support vectors. ``known``: numbers of
        samples that are left out, as other ones are to stand for the rest. ``represented``: sum
        of the upper bounds of each class that these stand for.

        Returns the places of samples that are not support vectors, their upper bounds, those of
        the support vectors, and the sums of all of them.
        """
        samples, n = self.reservoir.samples, len(represented)
        _, of_support, at = np.intersect1d(row_ids, samples["row_id"], True, return_indices=True)
        support_codes, codes = self.reservoir.classes_of(learned), samples["code"]
        is_stored = np.zeros(len(row_ids), dtype=bool)
        is_stored[of_support] = True
        # Those of ``fit`` come before the stream, whose sums are meant.
        others = np.where(is_stored | (row_ids < self.begin), 0.0, cost)
        raised = np.where(np.isin(samples["row_id"], known), 0.0, samples["cost"])
        with np.errstate(invalid="ignore", divide="ignore"):  # C=inf, or no samples
            rest = self.reservoir.classes["total"] - represented
            of_others = np.bincount(support_codes, others, n)
            of_stored = np.bincount(codes, raised, n)
            # Support vectors that stood for others when they were replayed may have left.
            lowered = np.clip((rest - of_stored) / of_others, LEAST_PART, 1.0)
            lowered[np.isnan(lowered)] = 1.0
            of_others = of_others * lowered  # integers, if there are none
            factors = np.maximum(rest - of_others, 0.0) / of_stored
        factors[~np.isfinite(factors)] = 1.0
        raised *= factors[codes]
        raised[at] = np.maximum(raised[at], samples["cost"][at])
        cost = np.where(others > 0.0, cost * lowered[support_codes], cost)
        cost[of_support], is_other = raised[at], raised > 0.0
        is_other[at] = False
        represented = represented + of_others + np.bincount(codes, raised, n)
        return np.flatnonzero(is_other), raised[is_other], cost, represented

    # ---------------------------------------------------------------------------- other values

    def copy(self):
        """Return a copy that does not change with this one."""
        targets = None if self.targets is None else self.targets.copy()
        reservoir = Reservoir.from_state(self.reservoir.state())
        return Replay(reservoir, self.vectors.copy(), targets, self.begin, self.end)

    def recoded(self, places, n_classes):
        """Return a copy with other class codes, ``places`` of the present ones."""
        copied = self.copy()
        copied.reservoir = self.reservoir.recoded(places, n_classes)
        return copied

    def state(self):
        """Return arrays and numbers, for pickling."""
        every = np.arange(self.reservoir.n)
        targets = None if self.targets is None else self.targets.take(every)
        X = as_arrays(self.vectors.take(every))
        reservoir = self.reservoir.state()
        return dict(reservoir=reservoir, X=X, targets=targets, begin=self.begin, end=self.end)

    @classmethod
    def from_state(cls, state, n_features):
        """Return the value that :meth:`state` stored."""
        rows, targets = from_arrays(state["X"], n_features), state["targets"]
        is_sparse, every = sparse.issparse(rows), np.arange(rows.shape[0])
        vectors = Vectors(n_features, rows.dtype, is_sparse)
        if targets is not None:
            targets = Vectors(targets.shape[1], np.float64, False)
        if len(every):
            vectors.put(every, rows)
            if targets is not None:
                targets.put(every, state["targets"])
        reservoir = Reservoir.from_state(state["reservoir"])
        return cls(reservoir, vectors, targets, state["begin"], state["end"])


def main_target(encoded):
    """Return class codes as they are, and the first of several outputs."""
    return encoded if encoded.ndim == 1 else np.ascontiguousarray(encoded[:, 0])
