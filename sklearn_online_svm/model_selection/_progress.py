"""Steps of a running search, for ``fit`` and for ``partial_fit``."""

import numpy as np

from ._samples import (
    FEWEST_FOLDS,
    N_FOLDS,
    N_REPEATS,
    Subset,
    concatenate,
    refuse_another_kind,
    repeated_folds,
)

__all__ = ["BatchProgress", "StreamProgress"]


class Progress:
    """Steps of a search, in their order.

    A step is a method with its arguments. It is removed when it is over, so an interrupted search
    continues by ``advance``. A step that ends with a comparison returns whether the race may stop
    there; other steps return None.

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
            step, *arguments = self.steps[0]
            may_stop = step(*arguments)
            self.steps.pop(0)
            if may_stop is not None and report(self.race) and may_stop:
                self.stop_race()

    def plan(self):
        """Add the next steps; return whether there are any."""
        return False

    def keep_best(self):
        self.race.keep_best()
        return False

    def decide(self):
        self.race.decide()
        return False


class BatchProgress(Progress):
    """The steps of ``fit``.

    Rungs are scored on held-out samples. As soon as a cross-validation of the candidates left is
    cheap, it takes the place of the further rungs.

    Parameters
    ----------
    race : Race
    samples : Samples
    held_out : HeldOut
    ends : list of int
        Training samples at the rungs.
    folds : list of tuples
        Training and test samples of the folds that the user has given.
    draws_folds : bool
        Whether folds are drawn as soon as a cross-validation is cheap.
    """

    def __init__(self, race, samples, held_out, ends, folds, *, draws_folds):
        super().__init__(race)
        self.samples, self.held_out, self.ends = samples, held_out, ends
        self.folds, self.n_folds, self.draws_folds = folds, len(folds), draws_folds
        self._training = self._scoring = Subset(samples, np.arange(0))
        for k in range(len(ends)):
            self.steps += [(self.train, k), (self.compare, k, k)]
            self.steps.append((self.eliminate if k + 1 < len(ends) else self.end_rungs, k))
        if folds:
            self.steps += [(self.keep_best,), *self._fold_steps()]
        else:
            if len(ends) > 1:
                self.steps += [(self.recall,), (self.catch_up,), (self.compare_recalled,)]
            self.steps += [(self.decide,), (self.train_rest, ends[-1]), (self.finish,)]
        self._recalled = []

    @property
    def n_comparisons(self):
        """Maximum number of comparisons."""
        return len(self.ends) + 1 + max(len(self.folds), N_FOLDS * N_REPEATS)

    def train(self, rung):
        first = self.ends[rung - 1] if rung else 0
        self.race.train(self._to_train(first, self.ends[rung]), self.ends[rung])

    def compare(self, rung, number):
        # The same at all late rungs, where they are selected and transformed once.
        self._scoring = self._scoring.with_indices(self.held_out.scored(self.ends[rung]))
        self.race.compare(self._scoring, number)

    def eliminate(self, rung):
        race, held_out, later = self.race, self.held_out, self.ends[rung + 1 :]
        if not self._turns_to_folds(later):
            race.eliminate(
                later,
                [len(held_out.scored(end)) for end in later],
                len(self.samples),
                is_informed=held_out.tells_classes_apart(self.ends[rung]),
            )
        self._forget()
        return True

    def end_rungs(self, rung):
        self._turns_to_folds([])

    def _turns_to_folds(self, later):
        """Turn to the cross-validation if that is cheap; return whether it is.

        Three folds are enough with ``min_candidates`` left, whom no rung eliminates, and for all
        candidates if the rarest class has too few samples for any rung before the last.
        """
        race, n_total = self.race, len(self.samples)
        if len(race.alive) < len(race.comparisons[-1].candidates):
            return False  # candidates were eliminated before an interrupt
        race.foresee(later, n_total)
        numbers = [self.n_folds] if self.folds else [N_FOLDS] if self.draws_folds else []
        is_uninformed = not self.held_out.tells_classes_apart(self.ends[-2 if later else -1])
        if self.draws_folds and (len(race.alive) <= race.rules.min_candidates or is_uninformed):
            numbers.append(FEWEST_FOLDS)
        n_folds = next((n for n in numbers if race.affords_folds(n, n_total)), 0)
        folds = self.folds or self._drawn(n_folds)
        if not n_folds or not folds:
            return False
        self.folds, self.n_folds = folds, n_folds
        race.keep(race.alive)
        self.steps[1:] = self._fold_steps()
        return True

    def _drawn(self, n_folds):
        if not n_folds:
            return []
        order = np.concatenate([self.held_out.order, self.held_out.rest])
        is_classifier = self.race.classes is not None
        return repeated_folds(n_folds, order, self.samples.y, is_classifier=is_classifier)

    def _fold_steps(self):
        return [step for k in range(len(self.folds)) for step in ((self.fold, k), (self.drop, k))]

    def fold(self, k):
        """Fit and score the candidates on a fold."""
        self.race.cross_validate(self.samples, self.folds[k], k)

    def drop(self, k):
        """Eliminate the worse candidates; end after a round if another one costs too much."""
        race, n_done = self.race, (k + 1) % self.n_folds
        race.drop_worse(self.n_folds - n_done, is_limited=self.draws_folds and n_done > 0)
        is_over = k + 1 == len(self.folds) or len(race.alive) == 1
        if is_over or not n_done and not race.affords_round(self.n_folds):
            race.decide()
            self.steps[1:] = [(self.refit,)]
        return True

    def refit(self):
        """Fit the winner of the cross-validation on all samples."""
        self.race.refit(self.samples)

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
        race = self.race
        race.decide()
        if race.fold_errors:
            self.steps = [(self.refit,)]
        else:
            self.steps = [(self.train_rest, race.n_samples), (self.finish,)]

    def train_rest(self, n_trained):
        """Train the winner on the remaining samples, including the held-out ones."""
        held_out = self.held_out
        indices = np.concatenate([held_out.order[n_trained:], held_out.rest])
        self._training = self._training.with_indices(indices)
        self.race.train(self._training, len(self.samples))

    def finish(self):
        """Optimize the winner over its support set, if it can."""
        self.race.finish()

    def _to_train(self, first, last):
        self._training = self._training.with_indices(self.held_out.order[first:last])
        return self._training

    def _forget(self):
        self.samples.keep_transformed({c.transformers for c in self.race.alive})

    def release_samples(self):
        """Release the samples, which are passed again to continue."""
        self._training = self._scoring = Subset(self.samples, np.arange(0))
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

    # Samples that the last candidate had been trained on before those that wait.
    _seen_before = None

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

    def prepared(self, samples):
        """Train ``best_estimator_`` on samples; return them as they are added to ``waiting``.

        An error or an interrupt changes no candidate; ``discard_shown`` must follow if the samples
        are not added. If one candidate is left, ``advance`` trains it on the samples.
        """
        if self.is_over:
            return samples
        if self.waiting:
            refuse_another_kind(self.waiting[0], samples)
        self._train_alone(self.shown(), samples)
        return samples.copy()

    def discard_shown(self):
        """Discard the copy of the best candidate, which may have been trained on other samples."""
        self._copy = None

    def add_classes(self, classes):
        """Add new classes to the models of all candidates; return a function that undoes it."""
        race = self.race
        former = race.classes, [candidate.model for candidate in race.alive]
        extended = [candidate.with_classes(classes) for candidate in race.alive]
        alive = list(race.alive)

        def use(known, models):
            race.classes, self._copy = known, None
            for candidate, own in zip(alive, models, strict=True):
                candidate.model = own

        use(classes, extended)
        return lambda: use(*former)

    def _train_alone(self, candidate, samples, begin=0):
        if not candidate.transformers.is_fitted:
            candidate.transformers.fit(samples.X, samples.y, slice(None))
        X, y, arguments, _ = samples.select(candidate.transformers, np.arange(len(samples)))
        samples.keep_transformed(())  # samples that wait are kept as they were given
        candidate.train(X, y, arguments, self.race.classes, resumable=False, begin=begin)

    def shown(self):
        """Return the best candidate, or a copy that is also trained on the waiting samples."""
        best = self.race.best()
        if self.is_over:
            return best
        if self._copy is None:
            shown = best.copy()
            # After an interrupt the best candidate may not be trained on the present rung.
            is_behind = self.rung is not None and best.n_parts == self.race.n_parts
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
            self.steps = [(self.train_waiting,)]
            return True
        samples, self.waiting = self._next_samples()
        self.rung = Subset(samples, np.arange(len(samples)))
        rung, self.n_rungs = self.n_rungs, self.n_rungs + 1
        last = len(self.rungs.ends) - 1
        steps = [(self.train, self.rungs.end(rung))]
        if rung:
            steps.insert(0, (self.compare, len(self.race.comparisons)))
            if self.rungs.is_end(rung):
                self.n_challengers = 0
            if rung < last:
                steps.insert(1, (self.eliminate, rung))
            elif self.n_challengers:
                steps[1:1] = [(self.keep_best,), (self.challenge,)]
            else:
                steps.insert(1, (self.decide,))
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
        return True

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
        candidate = self.race.alive[0]
        while self.waiting:
            if self._seen_before is None:
                self._seen_before = candidate.n_samples_seen
            try:
                # Those that it was trained on before an interrupt are not used again.
                begin = candidate.n_samples_seen - self._seen_before
                self._train_alone(candidate, self.waiting[0], begin)
            except Exception:
                self.waiting, self._seen_before = self.waiting[1:], None
                self.steps = []
                raise
            except BaseException:
                self.waiting = [samples.copy() for samples in self.waiting]
                raise
            self.waiting, self._seen_before = self.waiting[1:], None

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
