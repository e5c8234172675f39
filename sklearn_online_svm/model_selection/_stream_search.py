"""The steps of ``partial_fit``: candidates are scored on the next samples, then trained."""

import copy
from time import perf_counter

from .._chunks import part_of
from .._estimator import with_classes
from .._sklearn_compat import _num_samples
from .._transactions import PostponedInterrupts
from ._candidates import Candidate, n_support_of, training_cost
from ._samples import concatenated, refuse_another_kind
from ._transformers import FittedSteps

# Candidates left by a rung before the last one, at least.
LEAST_LEFT = 3


class StreamCandidate(Candidate):
    """A candidate that is trained by ``partial_fit``, and continues after an interrupt.

    ``n_parts``: number of parts of the stream that the model has been trained on completely.
    """

    def __init__(self, number, params, estimator, step):
        super().__init__(number, params, estimator, step)
        self.model, self.n_parts, self._has_begun = self.unfitted(), 0, False
        # Number of samples seen at the end of the last complete part, and the first sample of the
        # last call in the present part.
        self._n_seen = self._begun_from = 0

    @classmethod
    def of_model(cls, candidate):
        """Return a candidate that continues the training of a fitted one."""
        other = copy.copy(candidate)
        other.__class__, other.n_parts, other._has_begun = cls, 1, True
        other._n_seen = other._begun_from = 0
        return other

    def train_part(self, X, y, arguments, classes):
        """Train the model on a whole part; after an interrupt, the same call completes it."""
        start, model = perf_counter(), self.model
        if not hasattr(model, "resume"):
            # The state that an interrupt leaves behind is unknown.
            model = copy.deepcopy(model)
        self._continue(model, X, y, arguments, classes, self._untrained())
        with PostponedInterrupts():
            self._take(model, X)
            self._n_seen = getattr(model, "n_samples_seen_", 0)
            self.n_support = n_support_of(model)
            self.n_parts += 1
            self.note_trained(perf_counter() - start)

    def train(self, X, y, arguments, classes, begin):
        """Train the model on the samples from ``begin`` on."""
        self._continue(self.model, X, y, arguments, classes, begin)
        self._take(self.model, X)

    def _continue(self, model, X, y, arguments, classes, begin):
        if getattr(model, "interrupted_", False):
            model.resume(*_rest(self._begun_from, X, y), **self._rest_of(arguments))
        elif _num_samples(X) > begin:
            self._begun_from = begin
            given = self._rest_of(arguments)
            if not self._has_begun and classes is not None:
                given = {**given, "classes": classes}
            model.partial_fit(*_rest(begin, X, y), **given)

    def _take(self, model, X):
        self.model, self._has_begun = model, True
        self._linear, self._superlinear = training_cost(model, X, 0.0)

    def with_classes(self, classes):
        """Return a copy of the model to which new classes have been added."""
        return with_classes(self.model, classes) if self._has_begun else self.model

    def copy(self):
        """Return a candidate with a copy of the model, to be trained independently."""
        other = copy.copy(self)
        other.model = copy.deepcopy(other.model)
        return other

    @property
    def n_samples_seen(self):
        """Number of samples that the model has been trained on; 0 if it does not count them."""
        if hasattr(self.model, "n_samples_seen_"):
            return self.model.n_samples_seen_
        return int(getattr(self.model, "t_", 1)) - 1

    def _untrained(self):
        """Return where in the present part training stopped, if it was interrupted there."""
        if not hasattr(self.model, "resume"):
            return 0
        return getattr(self.model, "n_samples_seen_", 0) - self._n_seen

    def _rest_of(self, arguments):
        begin = self._begun_from
        return {name: _rest(begin, values)[0] for name, values in arguments.items()}


def _rest(begin, *arrays):
    """Return the samples from ``begin`` on, of arrays that may be None."""
    return part_of(slice(begin, None), *arrays) if begin else arrays


class Rung:
    """The samples of a rung: scored first, then trained on.

    ``fitted``: transformers that have not been fitted are fitted to these samples.
    """

    def __init__(self, samples, fitted):
        self.samples, self.fitted, self._data = samples, fitted, {}

    def prepare(self, step):
        """Transform the samples, once."""
        if step not in self._data:
            self.fitted.fit(step, self.samples.X, self.samples.y)
            self._data[step] = self.fitted.transform(step, self.samples.X)

    def training(self, step):
        """Return X, y and the arguments of ``partial_fit``."""
        return self._data[step], self.samples.y, self.samples.fit_params

    def scoring(self, step):
        """Return X, y and the arguments of the scorers."""
        return self._data[step], self.samples.y, self.samples.score_params


class StreamSearch:
    """A search along a stream: samples wait until their rung is complete.

    At the end of each rung the better half of the candidates remains. A copy of the best candidate
    is trained on the waiting samples; it is ``best_estimator_``. The last candidate is trained on
    each chunk immediately.

    A step is a method with its arguments. It is removed when it is over, so an interrupted search
    continues by ``advance``.

    ``rungs``: None if one candidate is left.
    """

    # Samples that the last candidate had been trained on before those that wait.
    _seen_before = None

    def __init__(self, race, rungs):
        self.race, self.rungs = race, rungs
        self.fitted, self.steps, self.waiting = FittedSteps(), [], []
        self.n_rungs = 0
        self.rung = None  # the samples of the present rung
        self._copy = self._fitted_of_copy = None

    @property
    def is_over(self):
        """Whether one candidate is left."""
        return len(self.race.racing) == 1 and self.rung is None

    @property
    def is_behind(self):
        """Whether there are steps to take without further samples."""
        if self.rung is not None or self.is_over:
            return self.rung is not None or bool(self.waiting)
        return sum(map(len, self.waiting)) >= self.rungs.length(self.n_rungs)

    @classmethod
    def of_winner(cls, race, winner):
        """Return a search that only continues the training of the winner of ``fit``.

        ``race`` is not changed: the first samples may be rejected.
        """
        candidate, race = StreamCandidate.of_model(winner), copy.copy(race)
        race.candidates = [candidate if c is winner else c for c in race.candidates]
        race.racing = [candidate]
        search = cls(race, None)
        search.fitted = FittedSteps.of_candidate(candidate)
        return search

    def advance(self, report):
        """Take all steps that are possible; ``report()`` is called after each comparison."""
        while self.steps or self._plan():
            step, *arguments = self.steps[0]
            step(*arguments)
            is_comparison = step == self.compare
            with PostponedInterrupts():
                self.steps.pop(0)
                if is_comparison:
                    self._eliminate(*arguments)
            if is_comparison:
                report()

    # ---------------------------------------------------------------------------- samples

    def prepared(self, samples):
        """Train ``best_estimator_`` on samples; return them as they are added to ``waiting``.

        An error or an interrupt changes no candidate; ``discard_shown`` must follow if the samples
        are not added. If one candidate is left, ``advance`` trains it on the samples.
        """
        if self.is_over:
            return samples
        if self.waiting:
            refuse_another_kind(self.waiting[0], samples)
        self._train_alone(self.shown(), samples, self._fitted_of_copy)
        return samples.copy()

    def discard_shown(self):
        """Discard the copy of the best candidate, which may have been trained on other samples."""
        self._copy = None

    def add_classes(self, classes):
        """Add new classes to the models of all candidates; return a function that undoes it."""
        race = self.race
        former = race.classes, [candidate.model for candidate in race.racing]
        extended = [candidate.with_classes(classes) for candidate in race.racing]
        racing = list(race.racing)

        def use(known, models):
            race.classes, self._copy = known, None
            for candidate, own in zip(racing, models, strict=True):
                candidate.model = own

        use(classes, extended)
        return lambda: use(*former)

    def _train_alone(self, candidate, samples, fitted, begin=0):
        step = candidate.step
        fitted.fit(step, samples.X, samples.y)
        candidate.transformers = fitted.of_pipeline(step)
        X, y, arguments = fitted.transform(step, samples.X), samples.y, samples.fit_params
        candidate.train(X, y, arguments, self.race.classes, begin)

    def shown(self):
        """Return the best candidate, or a copy that is also trained on the waiting samples."""
        if self.is_over:
            return self.race.racing[0]
        if self._copy is None:
            best = self._best()
            shown, self._fitted_of_copy = best.copy(), self.fitted.copy()
            # After an interrupt the best candidate may not be trained on the present rung.
            is_behind = self.rung is not None and best.n_parts == self.n_rungs - 1
            for samples in [self.rung.samples, *self.waiting] if is_behind else self.waiting:
                self._train_alone(shown, samples, self._fitted_of_copy)
            self._copy = shown
        return self._copy

    def _best(self):
        """Return the best candidate at the last comparison, the first one before."""
        race = self.race
        scored = [c for c in race.racing if c.entries]
        if not scored:
            return race.racing[0]
        last = max(candidate.entries[-1].rung for candidate in scored)
        return race.ranked([c for c in scored if last in c.scores], [last])[0]

    # ---------------------------------------------------------------------------- steps

    def _plan(self):
        """Start the next rung if its samples are complete; return whether there are steps."""
        if self.rung is not None:
            self.rung = self._copy = None
        if not self.is_behind:
            return False
        self._copy = None
        if self.is_over:
            self.steps = [(self.train_waiting,)]
            return True
        with PostponedInterrupts():
            samples, self.waiting = self._next_samples()
            self.rung = Rung(samples, self.fitted)
            number, self.n_rungs = self.n_rungs, self.n_rungs + 1
            self.steps = [(self.train, number)]
            if number:
                self.steps.insert(0, (self.compare, number - 1))
        return True

    def compare(self, number):
        """Score the candidates on the samples that follow a rung."""
        race = self.race
        race.score(self.rung, number, self.rungs.ends[number])
        best = race.ranked(race.racing, [number])[0]
        race.add_standard_error(self.rung, best, number)

    def _eliminate(self, number):
        """Keep the better half; one candidate after the last rung."""
        race, n_samples = self.race, self.rungs.ends[number]
        ranked = race.ranked(race.racing, [number])
        for candidate in ranked:
            error = race.standard_error(candidate, [number])
            candidate.record(number, n_samples, candidate.scores[number], error)
        if number + 2 >= len(self.rungs.ends):
            kept = [race.winner(ranked, [number])]
        else:
            kept = ranked[: max(LEAST_LEFT, -(-len(ranked) // 2))]
        race.racing = [candidate for candidate in race.racing if candidate in kept]
        for candidate in ranked:
            if candidate not in kept:
                candidate.release()

    def train(self, number):
        """Train the candidates on the samples of a rung."""
        self.race.train(self.rung, number, sum(map(self.rungs.length, range(number + 1))))

    def train_waiting(self):
        """Train the last candidate on the waiting samples; rejected chunks are discarded."""
        candidate = self.race.racing[0]
        while self.waiting:
            if self._seen_before is None:
                self._seen_before = candidate.n_samples_seen
            try:
                # Those that it was trained on before an interrupt are not used again.
                begin = candidate.n_samples_seen - self._seen_before
                self._train_alone(candidate, self.waiting[0], self.fitted, begin)
            except Exception:
                self.waiting, self._seen_before = self.waiting[1:], None
                self.steps = []
                raise
            except BaseException:
                self.waiting = [samples.copy() for samples in self.waiting]
                raise
            self.waiting, self._seen_before = self.waiting[1:], None

    def _next_samples(self):
        """Return the samples of a rung, and the remaining waiting samples."""
        n, length, taken, left = 0, self.rungs.length(self.n_rungs), [], list(self.waiting)
        while n < length:
            taken.append(left.pop(0))
            n += len(taken[-1])
        if n > length:
            last = taken.pop()
            size = len(last) - (n - length)
            taken.append(last.part(slice(0, size)))
            left.insert(0, last.part(slice(size, None)))
        return concatenated(taken), left
