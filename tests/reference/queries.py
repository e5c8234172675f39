"""Which rows to ask the label of, in plain Python, one row at a time.

Per row: `probability(confidence, ...)`, `asks(probability)`, and, after the row was learnt or left
alone, `update(probability, asked, updated, norm)`. The confidence is a binary decision value, or
the gap between the two best of several scores.

Cesa-Bianchi, Gentile, Zaniboni (2006), "Worst-case analysis of selective sampling for linear
classification"; Lu, Zhao, Hoi (2016), "Online passive-aggressive active learning".
"""

import math

import numpy as np

MASK = 2**64 - 1


class SplitMix64:
    """Steele, Lea, Flood (2014), "Fast splittable pseudorandom number generators"."""

    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self):
        """A multiple of 2**-53 in [0, 1)."""
        return (self.next() >> 11) * 2.0**-53


def confidence_of(scores):
    """The binary decision value, or the gap between the two best scores."""
    scores = np.asarray(scores, dtype=np.float64)
    if len(scores) == 1:
        return float(scores[0])
    second, best = np.sort(scores)[-2:]
    return float(best - second)


class AllQuery:
    """Asks always and draws nothing."""

    def probability(self, confidence, norm=None, variance=None):
        return 1.0

    def asks(self, probability):
        return True

    def update(self, probability, asked, updated=False, norm=None):
        pass


class RandomQuery:
    def __init__(self, rate=0.1, seed=0):
        self.rate = rate
        self.random = SplitMix64(seed)

    def probability(self, confidence, norm=None, variance=None):
        return self.rate

    def asks(self, probability):
        return self.random.uniform() < probability

    def update(self, probability, asked, updated=False, norm=None):
        pass


class MarginQuery:
    """P(ask) = d / (d + offset + |p|), p the confidence.

    Parameters
    ----------
    delta : float
        d is delta ("constant"), delta / t for row number t ("adaptive"), or
        `delta X^2 sqrt(1 + M)` ("mistakes"; M = updates so far, X = the largest norm among the
        rows updated on and the current one).
    offset : float
        Where `offset + |p|` is not above 0, the row is asked.
    confidence : {"margin", "second_order", "standardized"}
        In place of |p|: |r| + r^2 (1 + v) / 2, r = p / (1 + v), v the variance ("second_order"),
        or |p| / sqrt(v) ("standardized").
    rate : float or None
        The fraction of rows to ask; delta is then only where the steering starts::

            delta = h rate / (1 - rate) exp(kappa credit + trend),   kappa = 0.25 (1 - rate)

        h, the delta that would ask half of the rows, follows the scale of the confidences (by all
        rows, asked or not): log h moves by `max(0.1, 2 / n) (1 - 2 Q)`, Q = the probability to
        ask that h would have given, n = such rows so far. credit = labels due but not asked, so
        that the count is kept; it and its integral, the trend, are bounded: what cannot be kept
        to (rows of confidence 0 are asked, come what may) is forgotten in time.
    """

    START_GAIN = 2.0
    SCALE_GAIN = 0.1
    COUNT_GAIN = 0.25
    BOUND = 4.0  # of `kappa credit` and of `trend`: a factor of 55 each

    def __init__(
        self, delta=1.0, offset=0.0, schedule="constant", rate=None, confidence="margin", seed=0
    ):
        self.start_delta = delta
        self.offset = offset
        self.schedule = schedule
        self.rate = rate
        self.confidence = confidence
        self.random = SplitMix64(seed)
        self.n_rows = 0
        self.n_updates = 0
        self.largest_norm = 0.0
        if rate is not None:
            self.kappa = self.COUNT_GAIN * (1 - rate)
            self.log_half = math.log(delta * (1 - rate) / rate)
            self.n_scaled = 0
            self.credit = 0.0
            self.trend = 0.0

    def log_odds(self):
        """log(delta / h)."""
        return math.log(self.rate / (1 - self.rate)) + self.kappa * self.credit + self.trend

    @property
    def delta(self):
        if self.rate is None:
            return self.start_delta
        return math.exp(self.log_half + self.log_odds())

    def probability(self, confidence, norm=None, variance=None):
        d = self.delta
        if self.schedule == "adaptive":
            d /= self.n_rows + 1
        elif self.schedule == "mistakes":
            d *= max(self.largest_norm, norm) ** 2 * math.sqrt(1 + self.n_updates)
        distance = abs(confidence)
        if self.confidence == "second_order":
            r = distance / (1 + variance)
            distance = r + r**2 * (1 + variance) / 2
        elif self.confidence == "standardized" and distance > 0:
            distance = distance / math.sqrt(variance) if variance > 0 else math.inf
        distance += self.offset
        return d / (d + distance) if distance > 0 else 1.0

    def asks(self, probability):
        return self.random.uniform() < probability

    def update(self, probability, asked, updated=False, norm=None):
        self.n_rows += 1
        if updated:
            self.n_updates += 1
            self.largest_norm = max(self.largest_norm, norm or 0.0)
        if self.rate is not None:
            self._steer(probability, asked)

    def _steer(self, probability, asked):
        if probability < 1:
            # 1 - 2 Q: the odds against asking are exp(log_odds) times longer under h.
            against = (1 - probability) * math.exp(self.log_odds())
            surplus = (against - probability) / (against + probability)
            self.n_scaled += 1
            self.log_half += max(self.SCALE_GAIN, self.START_GAIN / self.n_scaled) * surplus
        most = self.BOUND / self.kappa
        self.credit = min(max(self.credit + self.rate - asked, -most), most)
        # A quarter of kappa^2 per label due: critical damping.
        self.trend += self.kappa**2 / 4 * self.rate * self.credit
        self.trend = min(max(self.trend, -self.BOUND), self.BOUND)
