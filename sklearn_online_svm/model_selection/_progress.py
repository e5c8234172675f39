"""Steps of a running search, for ``fit`` and for ``partial_fit``."""

import numpy as np

from ._samples import Subset, concatenate, refuse_another_kind

__all__ = ["BatchProgress", "StreamProgress"]


class Progress:
    """Steps of a search, in their order.

    A step is the name of a method with its arguments. It is removed when it is over, so an
    interrupted search continues by ``advance``.

    Parameters
    ----------
    race : Race
    """

    def __init__(self, race):
        self.race, self.steps = race, []

    def advance(self, report):
        """Take all steps that are possible.

        ``report(race)`` is called after each comparison; if it returns True, and the race is not
        over, the best candidate is trained on alone.
        """
        while self.steps or self.plan():
            name, *arguments = self.steps[0]
            getattr(self, name)(*arguments)
            self.steps.pop(0)
            compared = name in ("eliminate", "keep_best", "decide")
            if compared and report(self.race) and name == "eliminate":
                self.stop_race()

    def plan(self):
        """Add the next steps; return whether there are any."""
        return False

    def decide(self):
        self.race.decide()


class BatchProgress(Progress):
    """The steps of ``fit``.

    Parameters
    ----------
    race : Race
    samples : Samples
    folds : Folds
    ends : list of int
        Training samples at the rungs.
    """

    def __init__(self, race, samples, folds, ends):
        super().__init__(race)
        self.samples, self.folds, self.ends = samples, folds, ends
        self._training = self._scoring = Subset(samples, [])
        for k in range(len(ends)):
            self.steps += [("train", k), ("compare", k, k)]
            if k + 1 < len(ends):
                self.steps.append(("eliminate", k))
        if len(ends) > 1:
            self.steps += [("recall",), ("catch_up",), ("compare_recalled",)]
        self.steps += [("decide",), ("train_rest", ends[-1]), ("finish",)]
        self._recalled = []

    def train(self, rung):
        first = self.ends[rung - 1] if rung else 0
        self.race.train(self._to_train(first, self.ends[rung]), self.ends[rung])

    def compare(self, rung, number):
        indices = self.folds.scoring(self.ends[rung])
        # The same at all late rungs, where they are selected and transformed once.
        self._scoring = self._scoring.with_indices(indices)
        self.race.compare(self._scoring, number)

    def eliminate(self, rung):
        later = self.ends[rung + 1 :]
        scored = [sum(map(len, self.folds.scoring(end))) for end in later]
        self.race.eliminate(later, scored, len(self.samples))
        self._forget()

    def recall(self):
        """Recall eliminated neighbours of the winner that may be better."""
        self._recalled = self.race.recalled(len(self.samples))
        if self._recalled:
            self.race.keep(self.race.alive)

    def catch_up(self):
        if self._recalled:
            self.race.catch_up(self._to_train(0, self.ends[-1]), self._recalled)

    def compare_recalled(self):
        if self._recalled:
            self.compare(len(self.ends) - 1, len(self.ends))

    def stop_race(self):
        """Continue with the best candidate alone."""
        self.race.decide()
        self.steps = [("train_rest", self.race.n_samples), ("finish",)]

    def train_rest(self, n_trained):
        """Train the winner on the remaining samples, including the held-out ones."""
        race, folds = self.race, self.folds
        winner, n_samples = race.alive[0], folds.n_samples
        if folds.n_folds > 1:
            indices, n_samples = folds.order, n_samples + n_trained
            if len(winner.models) > 1:
                winner.start(1, race.n_parts)
        else:
            indices = np.concatenate([folds.order[n_trained:], folds.rest])
        self._training = self._training.with_indices([indices])
        race.train(self._training, n_samples)

    def finish(self):
        """Optimize the winner over its support set, if it can."""
        model = self.race.alive[0].models[0]
        if getattr(model, "interrupted_", False):
            model.resume()
        elif hasattr(model, "finish") and getattr(model, "finishing", True):
            model.finish()

    def _to_train(self, first, last):
        self._training = self._training.with_indices(self.folds.training(first, last))
        return self._training

    def _forget(self):
        self.samples.keep_transformed({c.transformers for c in self.race.alive})

    def release_samples(self):
        """Release the samples, which are passed again to continue."""
        self._training = self._scoring = Subset(self.samples, [])
        self.samples.X = self.samples.y = None
        self.samples.keep_transformed(())

    def set_samples(self, X, y):
        """Set the samples that were released."""
        self.samples.X, self.samples.y = X, y
        return self


class StreamProgress(Progress):
    """The steps of ``partial_fit``: samples wait until their rung is complete.

    A copy of the best candidate is trained on the waiting samples; it is ``best_estimator_``. The
    last remaining candidate is trained on each chunk immediately.

    Parameters
    ----------
    race : Race
    rungs : StreamRungs
    n_challengers : int
        Number of eliminated candidates that restart with each rung after the last one.
    random : RandomState
        Draws the challengers.
    """

    def __init__(self, race, rungs, n_challengers, random):
        super().__init__(race)
        self.rungs, self.n_challengers, self.random = rungs, n_challengers, random
        self.waiting = []
        self.n_rungs = 0
        self.rung = None  # the samples of the present rung
        self._copy = None

    @property
    def is_over(self):
        """Whether one candidate is left and no other can return."""
        return len(self.race.alive) == 1 and not self.n_challengers and self.rung is None

    @property
    def is_behind(self):
        """Whether there are steps to take without further samples."""
        if self.rung is not None or self.is_over:
            return self.rung is not None or bool(self.waiting)
        return sum(map(len, self.waiting)) >= self.rungs.length(self.n_rungs)

    # ---------------------------------------------------------------------------- samples

    def take(self, samples):
        """Add samples for the next rung, and train ``best_estimator_`` on them.

        Samples that the model rejects are not added, nor after an interrupt. If one candidate is
        left, ``advance`` trains it on them.
        """
        if self.is_over:
            self.waiting.append(samples)
            return
        if self.waiting:
            refuse_another_kind(self.waiting[0], samples)
        shown = self.shown()
        try:
            self._train_alone(shown, samples)
        except BaseException:
            self._copy = None
            raise
        self.waiting.append(samples.copy())

    def add_classes(self, classes):
        """Add new classes to the models of all candidates; return a function that undoes it."""
        race = self.race
        former = race.classes, [candidate.models for candidate in race.alive]
        extended = [candidate.with_classes(classes) for candidate in race.alive]
        alive = list(race.alive)

        def use(known, models):
            race.classes, self._copy = known, None
            for candidate, own in zip(alive, models, strict=True):
                candidate.models = own

        use(classes, extended)
        return lambda: use(*former)

    def _train_alone(self, candidate, samples):
        if not candidate.transformers.is_fitted:
            candidate.transformers.fit(samples.X, samples.y, slice(None))
        X, y, arguments, _ = samples.select(candidate.transformers, np.arange(len(samples)))
        candidate.train(0, X, y, arguments, self.race.classes, resumable=False)

    def shown(self):
        """Return the best candidate, or a copy that is also trained on the waiting samples."""
        best = self.race.best()
        if self.is_over:
            return best
        if self._copy is None:
            shown = best.copy()
            # After an interrupt the best candidate may not be trained on the present rung.
            is_behind = self.rung is not None and best.n_parts[0] == self.race.n_parts
            for samples in [self.rung.samples, *self.waiting] if is_behind else self.waiting:
                self._train_alone(shown, samples)
            self._copy = shown
        return self._copy

    # ---------------------------------------------------------------------------- steps

    def plan(self):
        """Start the next rung if its samples are complete."""
        if self.rung is not None:
            self.rung = self._copy = None
        if not self.is_behind:
            return False
        self._copy = None
        if self.is_over:
            self.steps = [("train_waiting",)]
            return True
        samples, self.waiting = self._next_samples()
        self.rung = Subset(samples, [np.arange(len(samples))])
        rung, self.n_rungs = self.n_rungs, self.n_rungs + 1
        last = len(self.rungs.ends) - 1
        steps = [("train", self.rungs.end(rung))]
        if rung:
            steps.insert(0, ("compare", len(self.race.comparisons)))
            if self.rungs.is_end(rung):
                self.n_challengers = 0
            if rung < last:
                steps.insert(1, ("eliminate", rung))
            elif self.n_challengers:
                steps[1:1] = [("keep_best",), ("challenge",)]
            else:
                steps.insert(1, ("decide",))
        self.steps = steps
        return True

    def train(self, end):
        samples = self.rung.samples
        self.race.fit_transformers(samples.X, samples.y, slice(None))
        self.race.train(self.rung, end)

    def compare(self, number):
        self.race.compare(self.rung, number)

    def eliminate(self, rung):
        later = self.rungs.ends[rung:]
        scored = [self.rungs.length(rung + 1 + k) for k in range(len(later))]
        self.race.eliminate(later, scored, later[-1])

    def keep_best(self):
        self.race.keep_best()

    def challenge(self):
        """Restart some eliminated candidates."""
        race = self.race
        left = [c for c in race.candidates if c not in race.alive and c.error is None]
        n_alive = race.rules.min_candidates
        n = min(len(left), max(0, n_alive + self.n_challengers - len(race.alive)))
        chosen = self.random.choice(len(left), n, replace=False)
        race.join([left[k] for k in chosen])

    def train_waiting(self):
        """Train the last candidate on the waiting samples; rejected chunks are discarded."""
        while self.waiting:
            try:
                self._train_alone(self.race.alive[0], self.waiting[0])
            except Exception:
                self.waiting.pop(0)
                self.steps = []
                raise
            except BaseException:
                self.waiting = [samples.copy() for samples in self.waiting]
                raise
            self.waiting.pop(0)

    def stop_race(self):
        """Callbacks can stop the comparisons of ``fit`` only."""

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
        return concatenate(taken), left
