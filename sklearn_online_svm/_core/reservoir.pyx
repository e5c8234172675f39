"""A bounded random sample of each class of a stream, and which of them to visit again.

A :class:`Reservoir` has the samples of each class with the smallest keys log(-log u) - t. Here u
in (0, 1) is a hash of the number of samples so far, so that the result does not depend on chunks.
The age of the class, t, grows with its samples: mostly the last ones of each class are stored, as
many as it has room for, and some of those before (an exponentially decaying reservoir: Efraimidis
and Spirakis 2006, with weights exp(t)). So samples that drift has made invalid leave when samples
of their class arrive, and a class that does not arrive keeps its samples. Without room, the class
with the most samples gives way, those with the largest keys first: rare classes keep theirs.

A stored sample is *replayed*, that is, visited again, if its class is missing from the stream. At
each new sample the shortfall of a class grows by ``SHARE`` of the part of all samples so far that
are of this class; a visit of the class reduces it by 1, but not below 0. If it exceeds
``TOLERATED`` times the part of the other classes, a sample of the class is replayed, at most one
after each new sample. In a shuffled stream this happens next to never: the shortfall is a random
walk with a drift towards 0. The samples of a class are replayed in the order of their keys, again
and again.

In regression the classes are ranges of the targets between quantiles, which are computed again
each time the number of samples has doubled.
"""
cimport cython
from libc.math cimport INFINITY, fmax, log
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memmove, memset

from .memory cimport address, grown_buffer
from .random cimport next_state, uniform

import numpy as np

# With a smaller share or more tolerance, less is replayed where classes come in short bursts, and
# in long ones it begins later. On shuffled streams of 2 to 26 classes nothing is replayed.
cdef double SHARE = 0.8
cdef double TOLERATED = 20.0
# For a class with nearly all samples.
cdef double LEAST_TOLERATED = 3.0

# Regression: number of ranges, and the number of samples from which there are several.
cdef enum:
    N_RANGES = 8
    LEAST_FOR_RANGES = 64

# Less than the distance of two numbers of ``uniform``, which may be 0.
cdef double TINY = 1e-17

# Samples of a class, as a part of those that it has room for, after which t has grown by 1.
cdef double DECAY = 0.5

# What is known of each class, and of each stored sample. An edge is the end of a range.
CLASS = np.dtype([("count", np.float64), ("total", np.float64), ("shortfall", np.float64),
                  ("edge", np.float64), ("age", np.float64), ("limit", np.float64),
                  ("cursor", np.float64), ("stored", np.int64)])
SAMPLE = np.dtype([("row_id", np.int64), ("key", np.float64), ("value", np.float64),
                   ("cost", np.float64), ("code", np.int64)])

cdef struct OfClass:
    double count
    double total
    double shortfall
    double edge
    double age
    double limit
    double cursor
    int64_t stored

cdef struct OfSample:
    int64_t row_id
    double key
    double value
    double cost
    int64_t code


@cython.final
cdef class Reservoir:
    """Which samples of a stream are stored, and how far each class falls short.

    Until the next call of :meth:`visit`, :meth:`take_back` can undo the last one.

    ``size``: maximum number of samples. ``n_classes``: None if classes are ranges of targets.

    Further attributes:
    ``samples`` (n,): a structured array with the fields ``row_id``, ``key``, ``value`` (of the
        target in regression), ``cost`` and ``code`` (class).
    ``classes`` (n_classes,): a structured array, with the fields ``count`` (number of samples in
        the stream), ``total`` (sum of their costs), ``shortfall``, ``edge`` (end of a range),
        ``age`` (t), ``limit`` (from which keys are not stored), ``cursor`` (key of the sample
        replayed last) and ``stored`` (number in the reservoir).
    ``n``: number of samples in the reservoir.
    ``n_seen``, ``n_replays``: number of samples in the stream, and of those that have been visited
        again.
    """
    cdef readonly Py_ssize_t size
    cdef readonly bint has_ranges
    cdef readonly int64_t n_seen
    cdef readonly int64_t n_replays
    cdef readonly Py_ssize_t n
    cdef Py_ssize_t n_classes
    cdef object samples_array
    cdef OfSample *at
    cdef OfClass *of
    cdef int32_t *place_of      # places by class and, within a class, by key
    cdef int32_t *source        # position of the sample in the chunk being visited, or -1
    # What ``take_back`` restores.
    cdef OfClass *former_of
    cdef int32_t *former_ranks
    cdef int64_t former_seen
    cdef int64_t former_replays
    cdef Py_ssize_t former_n
    cdef object former_samples  # all of them, or None: those of replaced places
    cdef OfSample *former_at
    cdef int32_t *former_place
    cdef Py_ssize_t n_former
    cdef Py_ssize_t former_capacity

    def __init__(self, Py_ssize_t size, n_classes):
        cdef Py_ssize_t c
        self.size, self.has_ranges = size, n_classes is None
        self.n_classes = N_RANGES if n_classes is None else n_classes
        self.of = <OfClass *>grown_buffer(NULL, self.n_classes * sizeof(OfClass))
        self.former_of = <OfClass *>grown_buffer(NULL, self.n_classes * sizeof(OfClass))
        self.attach(np.zeros(0, dtype=SAMPLE))
        for c in range(self.n_classes):
            self.of[c] = OfClass(0.0, 0.0, 0.0, INFINITY, 0.0, INFINITY, -INFINITY, 0)

    def __dealloc__(self):
        free(self.of)
        free(self.former_of)
        free(self.former_ranks)
        free(self.former_at)
        free(self.former_place)
        free(self.place_of)
        free(self.source)

    cdef int attach(self, array) except -1:
        """Use an array of samples, which has the present ones."""
        cdef Py_ssize_t capacity = max(len(array), 1)
        self.place_of = <int32_t *>grown_buffer(self.place_of, capacity * sizeof(int32_t))
        self.source = <int32_t *>grown_buffer(self.source, capacity * sizeof(int32_t))
        self.former_ranks = <int32_t *>grown_buffer(
            self.former_ranks, capacity * sizeof(int32_t))
        memset(self.source + self.n, -1, (capacity - self.n) * sizeof(int32_t))
        self.samples_array = array
        self.at = <OfSample *>address(array.view(np.uint8))
        return 0

    @property
    def samples(self):
        return self.samples_array[:self.n]

    @property
    def classes(self):
        array = np.zeros(self.n_classes, dtype=CLASS)
        memcpy(address(array), self.of, self.n_classes * sizeof(OfClass))
        return array

    def classes_of(self, learned):
        """Return the classes of samples, given class codes or target values."""
        if not self.has_ranges:
            return learned
        return np.searchsorted(self.classes["edge"][:-1], learned, side="right")

    # -------------------------------------------------------------------------- samples

    def visit(self, learned, int64_t first, const double[::1] cost, bint stands_for_class=True):
        """Take in new samples; return their visits, and the places that change.

        ``learned`` (n_samples,): class code (int32) or target value (float64) of each sample.
        ``first``: number of the first sample; the others follow.
        ``cost`` (n_samples,): their costs; samples of cost 0 are visited, and nothing else.
        ``stands_for_class``: whether the cost of a replayed sample is multiplied by the number of
            samples of its class for each stored one.

        Returns ``order`` (int64): visits: positions of new samples, and ``n_samples + r`` for
            replay r.
        ``replays``: place of each replayed sample, its number, its position among the new samples,
            or -1 if it was in the reservoir before, its cost, and its class. The place may have
            been taken by a new sample since.
        ``places``, ``sources`` (int64): places that new samples take, and their positions. A place
            may occur several times: the last one counts.
        """
        cdef Py_ssize_t i, k, c, place, n = cost.shape[0], n_visits = 0, n_in = 0
        cdef const int32_t[::1] codes = None
        cdef const double[::1] values = None
        cdef int64_t[::1] order
        cdef int64_t[:, ::1] changed
        cdef list replays = []
        cdef double weight, value = 0.0
        cdef OfSample *sample
        self.note()             # first, so that all that follows can be taken back
        order = np.empty(2 * n, dtype=np.int64)
        changed = np.empty((2, n), dtype=np.int64)
        if self.has_ranges:
            values = learned
        else:
            codes = learned
        for i in range(n):
            order[n_visits] = i
            n_visits += 1
            if not cost[i] > 0.0:
                continue
            if self.has_ranges:
                value = values[i]
                c = self.range_of(value)
            else:
                c = codes[i]
            k = self.missing_after(c, cost[i])
            if k >= 0:
                place = self.next_of(k)
                sample = &self.at[place]
                order[n_visits] = n + len(replays)
                n_visits += 1
                weight = self.of[k].count / self.of[k].stored if stands_for_class else 1.0
                replays.append(
                    (place, sample.row_id, self.source[place], sample.cost * weight, k))
            place = self.insert(c, first + i)
            if place >= 0:
                self.source[place] = <int32_t>i
                changed[0, n_in], changed[1, n_in] = place, i
                n_in += 1
                self.at[place].value, self.at[place].cost = value, cost[i]
            if self.has_ranges and self.n_seen >= LEAST_FOR_RANGES and (
                    self.n_seen & (self.n_seen - 1) == 0):
                self.divide()
        memset(self.source, -1, self.n * sizeof(int32_t))
        self.n_replays += len(replays)
        places, sources = np.asarray(changed)[:, :n_in]
        return np.asarray(order)[:n_visits], replays, places, sources

    cpdef int note(self) except -1:
        """Note what ``take_back`` needs; to be called before ``visit`` if that is to be undone."""
        memcpy(self.former_of, self.of, self.n_classes * sizeof(OfClass))
        memcpy(self.former_ranks, self.place_of, self.n * sizeof(int32_t))
        self.former_seen, self.former_replays, self.former_n = self.n_seen, self.n_replays, self.n
        self.former_samples, self.n_former = None, 0
        return 0

    cdef int note_place(self, Py_ssize_t place) except -1:
        """Note a sample before it is replaced."""
        cdef Py_ssize_t n = self.n_former
        if n == self.former_capacity:
            self.former_capacity = max(64, 2 * n)
            self.former_at = <OfSample *>grown_buffer(
                self.former_at, self.former_capacity * sizeof(OfSample))
            self.former_place = <int32_t *>grown_buffer(
                self.former_place, self.former_capacity * sizeof(int32_t))
        self.former_at[n], self.former_place[n] = self.at[place], <int32_t>place
        self.n_former += 1
        return 0

    def take_back(self):
        """Undo the last :meth:`visit`."""
        memcpy(self.of, self.former_of, self.n_classes * sizeof(OfClass))
        self.n_seen, self.n_replays, self.n = self.former_seen, self.former_replays, self.former_n
        if self.former_samples is None:
            self.restore_places()
        else:
            self.attach(self.former_samples)
        memcpy(self.place_of, self.former_ranks, self.n * sizeof(int32_t))
        memset(self.source, -1, len(self.samples_array) * sizeof(int32_t))

    cdef void restore_places(self) noexcept:
        """Restore the samples that have been replaced since ``note``."""
        while self.n_former:
            self.n_former -= 1
            self.at[self.former_place[self.n_former]] = self.former_at[self.n_former]

    cdef Py_ssize_t range_of(self, double value) noexcept:
        """Return the range of a target."""
        cdef Py_ssize_t c = 0
        while c < N_RANGES - 1 and not value < self.of[c].edge:
            c += 1
        return c

    cdef Py_ssize_t missing_after(self, Py_ssize_t code, double cost) noexcept:
        """Count a new sample; return the class to replay a sample of, or -1."""
        cdef Py_ssize_t c, k = -1
        cdef double share
        cdef OfClass *of
        self.n_seen += 1
        self.of[code].count += 1.0
        self.of[code].total += cost
        for c in range(self.n_classes):
            of = &self.of[c]
            share = of.count / self.n_seen
            of.shortfall += SHARE * share
            if c == code:
                of.shortfall = fmax(0.0, of.shortfall - 1.0)
            elif of.stored and of.shortfall > fmax(LEAST_TOLERATED, TOLERATED * (1.0 - share)):
                if k < 0 or of.shortfall > self.of[k].shortfall:
                    k = c
        if k >= 0:
            # So that the class is visited at the rate of its share, not at SHARE of it.
            self.of[k].shortfall -= SHARE
        return k

    cdef Py_ssize_t begin_of(self, Py_ssize_t c) noexcept:
        """Return the rank of the first sample of a class."""
        cdef Py_ssize_t other, begin = 0
        for other in range(c):
            begin += self.of[other].stored
        return begin

    cdef Py_ssize_t rank_of(self, Py_ssize_t c, double key) noexcept:
        """Return the rank of the first sample of a class whose key is larger."""
        cdef Py_ssize_t first = self.begin_of(c), last = first + self.of[c].stored, middle
        while first < last:
            middle = (first + last) // 2
            if self.at[self.place_of[middle]].key <= key:
                first = middle + 1
            else:
                last = middle
        return first

    cdef Py_ssize_t next_of(self, Py_ssize_t c) noexcept:
        """Return the place of the next sample of a class in the order of keys."""
        cdef Py_ssize_t begin = self.begin_of(c), rank = self.rank_of(c, self.of[c].cursor)
        if rank == begin + self.of[c].stored:
            rank = begin
        self.of[c].cursor = self.at[self.place_of[rank]].key
        return self.place_of[rank]

    cdef double new_key(self, Py_ssize_t code) noexcept:
        """Return the key of the new sample, which has been counted, and let its class age."""
        cdef double u = uniform(next_state(<uint64_t>self.n_seen * <uint64_t>0x9e3779b97f4a7c15))
        # All ranges have the same age, as their samples change.
        cdef Py_ssize_t n_parts = 1 if self.has_ranges else self.n_classes
        cdef OfClass *aging = &self.of[0 if self.has_ranges else code]
        aging.age += n_parts / (DECAY * max(1, self.size))
        return log(-log(u + TINY)) - aging.age

    cdef Py_ssize_t insert(self, Py_ssize_t code, int64_t row_id) except -2:
        """Store a sample; return its place, -1 if it is not stored."""
        cdef double key = self.new_key(code)
        cdef Py_ssize_t c, rank, last = self.n, place = self.n, full = code, n = self.n
        if key >= self.of[code].limit:
            return -1
        if self.n < self.size:
            self.reserve(self.n + 1)
            self.n += 1
        else:
            for c in range(self.n_classes):
                if self.of[c].stored > self.of[full].stored + (full == code):
                    full = c
            last = self.begin_of(full) + self.of[full].stored - 1
            if last < self.begin_of(full):      # no room for a sample of each class
                return -1
            place = self.place_of[last]
            if full == code and key > self.at[place].key:
                self.of[code].limit = key
                return -1
            self.note_place(place)
            self.of[full].limit = self.at[place].key
        rank = self.rank_of(code, key)
        if rank > last:                 # the sample that leaves is of a class before
            rank -= 1
            memmove(self.place_of + last, self.place_of + last + 1,
                    (rank - last) * sizeof(int32_t))
        else:
            memmove(self.place_of + rank + 1, self.place_of + rank,
                    (last - rank) * sizeof(int32_t))
        self.place_of[rank] = <int32_t>place
        self.of[full].stored -= place < n
        self.at[place].row_id, self.at[place].key, self.at[place].code = row_id, key, code
        self.of[code].stored += 1
        return place

    cdef int reserve(self, Py_ssize_t n) except -1:
        """Allocate at least ``n`` places."""
        cdef Py_ssize_t capacity = len(self.samples_array)
        if n > capacity:
            array = np.zeros(min(self.size, max(n, 2 * capacity, 64)), dtype=SAMPLE)
            array[:self.n] = self.samples
            self.attach(array)
        return 0

    # -------------------------------------------------------------------------- other classes

    cdef int rank(self) except -1:
        """Sort the places by class and key."""
        cdef Py_ssize_t r
        samples = self.samples
        cdef const int64_t[::1] order = np.lexsort((samples["key"], samples["code"]))
        for r in range(self.n):
            self.place_of[r] = <int32_t>order[r]
        return 0

    cdef int divide(self) except -1:
        """Divide the targets into ranges of equally many samples of the stream.

        A stored sample stands for its part of the samples of its former range.
        """
        cdef Py_ssize_t c, p
        cdef double limit = INFINITY
        classes, codes, values = self.classes, self.samples["code"], self.samples["value"]
        parts = [(classes[name] / np.maximum(classes["stored"], 1))[codes]
                 for name in ("count", "total")]
        order = np.argsort(values, kind="stable")
        sums = np.cumsum(parts[0][order])
        # Not to depend on rounding of sums, nor of targets that are computed from other values.
        at = np.searchsorted(sums, (1.0 - 1e-9) * sums[self.n - 1]
                             * np.arange(1, N_RANGES) / N_RANGES)
        cdef const double[::1] edges = (
            0.5 * values[order[np.maximum(at - 1, 0)]] + 0.5 * values[order[at]])
        if self.former_samples is None:
            self.former_samples, samples = self.samples_array, self.samples_array.copy()
            self.restore_places()
            self.attach(samples)
        for c in range(N_RANGES):
            limit = min(limit, self.of[c].limit)
            self.of[c].edge = edges[c] if c < N_RANGES - 1 else INFINITY
            self.of[c].stored = 0
        for p in range(self.n):
            self.at[p].code = self.range_of(self.at[p].value)
            self.of[self.at[p].code].stored += 1
        cdef const double[:, ::1] sums_of = np.array([
            np.bincount(self.samples["code"], part * (classes[name].sum() / part.sum()), N_RANGES)
            for name, part in zip(("count", "total"), parts)])
        for c in range(N_RANGES):
            self.of[c].count, self.of[c].total = sums_of[0, c], sums_of[1, c]
            self.of[c].shortfall, self.of[c].limit = 0.0, limit
        return self.rank()

    def recoded(self, const int64_t[::1] places, Py_ssize_t n_classes):
        """Return the reservoir with other class codes, ``places`` of the present ones."""
        cdef Reservoir other = Reservoir(self.size, n_classes)
        cdef Py_ssize_t c
        other.attach(self.samples.copy())
        other.n, other.n_seen, other.n_replays = self.n, self.n_seen, self.n_replays
        other.samples_array["code"] = np.asarray(places)[other.samples_array["code"]]
        for c in range(self.n_classes):
            other.of[places[c]] = self.of[c]
        other.rank()
        return other

    # -------------------------------------------------------------------------- state

    def state(self):
        """Return arrays and numbers."""
        fields = {name: self.samples[name].copy() for name in SAMPLE.names}
        classes = self.classes
        return dict(
            samples=fields, classes={name: classes[name].copy() for name in CLASS.names},
            size=self.size, has_ranges=bool(self.has_ranges), n_seen=self.n_seen,
            n_replays=self.n_replays)

    @classmethod
    def from_state(cls, state):
        """Return the reservoir that ``state`` stored."""
        n_classes = None if state["has_ranges"] else len(state["classes"]["count"])
        cdef Reservoir reservoir = cls(state["size"], n_classes)
        samples = np.zeros(len(state["samples"]["key"]), dtype=SAMPLE)
        classes = np.zeros(reservoir.n_classes, dtype=CLASS)
        for array, name in ((samples, "samples"), (classes, "classes")):
            for field in array.dtype.names:
                array[field] = state[name][field]
        reservoir.attach(samples)
        reservoir.n, reservoir.n_seen = len(samples), state["n_seen"]
        reservoir.n_replays = state["n_replays"]
        memcpy(reservoir.of, address(classes), reservoir.n_classes * sizeof(OfClass))
        reservoir.rank()
        return reservoir
