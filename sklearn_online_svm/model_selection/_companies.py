"""Candidates that learn side by side: the rows of a stream, their kernel values, once for all."""

from time import perf_counter

from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from ..kernel._shared_stream import SharedStream

__all__ = ["Company", "companies_of"]


# Features from which kernel values take longer than to gather them from those of others.
WORTH_SHARING = 64


def companies_of(candidates, part):
    """Return those who share a stream, as far as models can; who cannot is in none."""
    companies, n_folds = [], len(part.rows)
    for preparation in dict.fromkeys(candidate.preparation for candidate in candidates):
        X, *_ = part.of(preparation, 0)
        if getattr(X, "ndim", 1) < 2 or X.shape[1] < WORTH_SHARING:
            continue
        prepared = [c for c in candidates if c.preparation is preparation and _is_valid(c)]
        for fold in range(n_folds):
            for group in SharedStream.groups([c.models[fold] for c in prepared]):
                if len(group) > 1:
                    companies.append(Company([prepared[k] for k in group], fold))
    return companies


def _is_valid(candidate):
    """Whether the parameters are those of a model; else it says so itself when it learns."""
    try:
        SharedStream.groups(candidate.models)
    except ValueError:
        return False
    return True


class Company:
    """Candidates whose models of one fold share a stream.

    Each becomes what it would have become alone, to the last bit.
    """

    def __init__(self, candidates, fold):
        self.candidates, self.fold = list(candidates), fold
        self.stream = SharedStream([candidate.models[fold] for candidate in candidates])

    def learn(self, part, race):
        """Have all learn their rows of a part, those that an interrupt has left of it."""
        fold, first = self.fold, self.candidates[0]
        X, y, arguments, _ = part.of(first.preparation, fold)
        left, start = first.left(fold), perf_counter()
        if _num_samples(X) > left.start:
            given = {name: _safe_indexing(values, left) for name, values in arguments.items()}
            rows, labels = _safe_indexing(X, left), _safe_indexing(y, left)
            try:
                self.stream.partial_fit(rows, labels, classes=race.classes, **given)
            except Exception:
                # One of them refuses what the others may take: all are as they were.
                self.leave(list(self.candidates))
                raise
        seconds = (perf_counter() - start) / len(self.candidates)
        for candidate in self.candidates:
            candidate.has_begun[fold] = candidate.has_begun[fold] or _num_samples(X) > 0
            candidate.has_learnt(fold, seconds)

    def answers(self, part):
        """Return for each candidate what its model says of the rows of a part."""
        X, *_ = part.of(self.candidates[0].preparation, self.fold)
        start = perf_counter()
        scores = self.stream.decision_functions(X)
        seconds = (perf_counter() - start) / len(self.candidates)
        found = {}
        for candidate, of in zip(self.candidates, scores):
            candidate.score_seconds += seconds
            labels = candidate.models[self.fold]._labels_of(of)
            found[candidate, self.fold] = {"decision_function": of, "predict": labels}
        return found

    def leave(self, candidates):
        """Let some go on alone; the last one has no company."""
        leaving = [c for c in self.candidates if c in candidates]
        if not leaving:
            return
        staying = [c for c in self.candidates if c not in candidates]
        if len(staying) == 1:
            leaving, staying = self.candidates, []
        self.stream.drop([candidate.models[self.fold] for candidate in leaving])
        self.candidates = staying
