"""Plain Python twin of ``_core/reservoir.pyx``: samples of a stream, and which to visit again."""

import copy
import math

import numpy as np

SHARE, TOLERATED, LEAST_TOLERATED, DECAY = 0.8, 20.0, 3.0, 0.5
N_RANGES, LEAST_FOR_RANGES = 8, 64
MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def uniform(number):
    """Return a number in [0, 1) for the number of a sample: SplitMix64, seeded with it."""
    z = (number * GOLDEN + GOLDEN) & MASK
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return ((z ^ (z >> 31)) >> 11) * 2.0**-53


class Class:
    """Counts of a class or range, and its samples by key: {key: (number, value, cost)}."""

    def __init__(self):
        self.count = self.total = self.shortfall = 0.0
        self.age, self.samples, self.limit, self.cursor = 0.0, {}, np.inf, -np.inf


class Reservoir:
    """The samples of the smallest keys of each class."""

    def __init__(self, size, n_classes=None):
        self.size, self.has_ranges = size, n_classes is None
        self.classes = [Class() for _ in range(n_classes or N_RANGES)]
        self.edges = [np.inf] * (N_RANGES - 1)
        self.n_seen = self.n_replays = 0
        self.former = None

    def visit(self, learned, first, cost):
        """Take in a chunk; return its visits: ("new", i), or ("again", number, cost)."""
        self.former, visits = copy.deepcopy(vars(self)), []
        for i in range(len(cost)):
            visits.append(("new", i))
            if cost[i] <= 0.0:
                continue
            value = learned[i] if self.has_ranges else 0.0
            code = self.range_of(value) if self.has_ranges else learned[i]
            k = self.missing_after(code, cost[i])
            if k is not None:
                visits.append(("again", *self.next_of(self.classes[k])))
                self.n_replays += 1
            self.insert(code, self.key_of(code), (first + i, value, cost[i]))
            n = self.n_seen
            if self.has_ranges and n >= LEAST_FOR_RANGES and n.bit_count() == 1:
                self.divide()
        return visits

    def take_back(self):
        """Undo the last visit."""
        vars(self).update(copy.deepcopy(self.former), former=self.former)

    def range_of(self, value):
        """Return the range of a target."""
        return int(np.searchsorted(self.edges, value, side="right"))

    def key_of(self, code):
        """Return the key of a new sample; its class, or that of all ranges, ages."""
        n_parts = 1 if self.has_ranges else len(self.classes)
        of = self.classes[0 if self.has_ranges else code]
        of.age += n_parts / (DECAY * max(1, self.size))
        return math.log(-math.log(uniform(self.n_seen) + 1e-17)) - of.age

    def missing_after(self, code, cost):
        """Count a new sample; return the class to replay a sample of, or None."""
        self.n_seen += 1
        self.classes[code].count += 1.0
        self.classes[code].total += cost
        for of in self.classes:
            of.shortfall += SHARE * (of.count / self.n_seen)
        self.classes[code].shortfall = max(0.0, self.classes[code].shortfall - 1.0)
        most, k = -np.inf, None
        for c, of in enumerate(self.classes):
            tolerated = max(LEAST_TOLERATED, TOLERATED * (1.0 - of.count / self.n_seen))
            if c != code and of.samples and of.shortfall > tolerated and of.shortfall > most:
                most, k = of.shortfall, c
        if k is not None:
            self.classes[k].shortfall -= SHARE
        return k

    def next_of(self, of):
        """Return the sample with the next larger key, and its cost for all that it stands for."""
        later = [key for key in of.samples if key > of.cursor]
        of.cursor = min(later or of.samples)
        number, _, cost = of.samples[of.cursor]
        return number, cost * of.count / len(of.samples)

    def insert(self, code, key, sample):
        """Store a sample, if its key is small enough."""
        mine, n_stored = self.classes[code], sum(len(of.samples) for of in self.classes)
        if key >= mine.limit:
            return
        if n_stored == self.size:
            # The class with the most samples gives way, unless the new one would then have more.
            room = len(mine.samples) + 1
            largest = max(len(of.samples) for of in self.classes)
            if largest > room:
                full = next(of for of in self.classes if len(of.samples) == largest)
            elif mine.samples and key < max(mine.samples):
                full = mine
            else:
                mine.limit = key if mine.samples else mine.limit
                return
            full.limit = max(full.samples)
            del full.samples[full.limit]
        mine.samples[key] = sample

    def divide(self):
        """Divide the targets into ranges of equally many samples of the stream."""
        # Value, and number and costs of the samples of the stream for which each one stands.
        stored = {
            key: (sample, of.count / len(of.samples), of.total / len(of.samples))
            for of in self.classes
            for key, sample in of.samples.items()
        }
        every = sorted((sample[1], count) for sample, count, _ in stored.values())
        sums = np.cumsum([count for _, count in every])
        parts = (1.0 - 1e-9) * sums[-1] * np.arange(1, N_RANGES) / N_RANGES
        places = [np.flatnonzero(sums >= part)[0] for part in parts]
        self.edges = [
            0.5 * every[max(place - 1, 0)][0] + 0.5 * every[place][0] for place in places
        ]
        totals = [sum(getattr(of, name) for of in self.classes) for name in ("count", "total")]
        known = [sum(parts[1 + k] for parts in stored.values()) for k in range(2)]
        limit, cursors = (
            min(of.limit for of in self.classes),
            [of.cursor for of in self.classes],
        )
        age = self.classes[0].age
        self.classes = [Class() for _ in range(N_RANGES)]
        self.classes[0].age = age
        for key, (sample, count, total) in stored.items():
            of = self.classes[self.range_of(sample[1])]
            of.samples[key] = sample
            of.count += count * totals[0] / known[0]
            of.total += total * totals[1] / known[1]
        for of, cursor in zip(self.classes, cursors, strict=True):
            of.limit, of.cursor = limit, cursor
