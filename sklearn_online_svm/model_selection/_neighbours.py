"""Neighbours of a candidate: in the grid, or drawn near it from the distributions."""

from itertools import combinations
from numbers import Number

import numpy as np
from sklearn.model_selection import ParameterGrid, ParameterSampler

from ._candidates import candidates_of
from ._transformers import key_of

# Draws from the distributions per candidate of the search, among which neighbours are sought.
DRAWS_PER_CANDIDATE = 100
# Neighbours drawn at a time; and how often the region is halved where none of them is better.
N_DRAWN, N_HALVINGS = 6, 2


def _is_number(value):
    return isinstance(value, Number) and not isinstance(value, (bool, np.bool_))


def ordered_parameters(settings):
    """Return the names of parameters, each with its values, which are numbers, in their order."""
    found = {}
    for name in sorted({name for params in settings for name in params}):
        values = [params[name] for params in settings if name in params]
        if all(map(_is_number, values)) and len({*map(float, values)}) > 1:
            found[name] = sorted({*map(float, values)})
    return found


class GridNeighbours:
    """Neighbours in a grid, given the parameters of each candidate.

    One step in one ordered parameter, or a step up in one and a step down in another: the valley
    of an SVM with a radial kernel runs along pairs of a larger ``C`` and a smaller ``gamma``.
    Candidates that differ in another parameter are no neighbours.
    """

    def __init__(self, settings):
        names = ordered_parameters(settings)
        self._places = []
        for params in settings:
            # A grid in a list may lack a parameter.
            rank = [v.index(float(params[n])) if n in params else None for n, v in names.items()]
            other = [(n, key_of(v)) for n, v in sorted(params.items()) if n not in names]
            self._places.append((*rank, tuple(other)))
        self._numbers = {place: number for number, place in enumerate(self._places)}
        self._steps = []
        for k in range(len(names)):
            for sign in (-1, 1):
                self._steps.append({k: sign})
        for k, m in combinations(range(len(names)), 2):
            self._steps += [{k: 1, m: -1}, {k: -1, m: 1}]

        self._done = set()

    def of(self, centre, race):
        """Return the neighbours of a candidate, once."""
        if centre.number in self._done:
            return []
        self._done.add(centre.number)
        *rank, other = self._places[centre.number]
        found = []
        for step in self._steps:
            if all(rank[k] is not None for k in step):
                moved = [value + step[k] if k in step else value for k, value in enumerate(rank)]
                found.append(self._numbers.get((*moved, other)))
        return [race.candidates[number] for number in found if number is not None]


class DrawnNeighbours:
    """New candidates near the best one, drawn from the distributions in ``param_grid``.

    The region is a box around the best candidate in the quantiles of the ordered parameters, in
    which there would be about one of the candidates of the search. It is halved if the best
    candidate stays the same.
    """

    def __init__(self, estimator, param_grid, n_candidates, seed):
        self.estimator, self.param_grid = estimator, param_grid
        self.n_candidates, self.seed = n_candidates, seed
        self._drawn, self._n_halvings, self._is_over = None, {}, False

    def of(self, centre, race):
        """Return new candidates near this one, which are added to the race."""
        n_halvings = self._n_halvings.get(centre.number, -1) + 1
        # Candidates as good as the best one have no end.
        self._is_over = self._is_over or n_halvings > N_HALVINGS
        if self._is_over:
            return []
        self._n_halvings[centre.number] = n_halvings
        known = {_key_of_all(candidate.params) for candidate in race.candidates}
        near = self._near(centre.params, n_halvings)
        settings = [params for params in near if _key_of_all(params) not in known]
        first = len(race.candidates)
        new = candidates_of(self.estimator, settings, shared=race.steps, first=first)
        race.candidates += new
        return new

    def _near(self, params, n_halvings):
        """Draw parameters near these."""
        names = [name for name in params if _is_number(params[name])]
        other = {name: key_of(value) for name, value in params.items() if name not in names}
        if self._drawn is None:
            self._drawn = list(self._draw())
        drawn = [
            setting
            for setting in self._drawn
            if setting.keys() == params.keys()
            and all(key_of(setting[name]) == key for name, key in other.items())
        ]
        if not drawn or not names:
            return []
        radius = 0.5 * self.n_candidates ** (-1 / len(names)) * 0.5**n_halvings
        is_near = np.ones(len(drawn), dtype=bool)
        for name in names:
            column = np.array([float(setting[name]) for setting in drawn])
            quantiles = np.searchsorted(np.sort(column), [*column, params[name]]) / len(column)
            is_near &= np.abs(quantiles[:-1] - quantiles[-1]) <= radius
        return [drawn[k] for k in np.flatnonzero(is_near)[:N_DRAWN]]

    def _draw(self):
        n = DRAWS_PER_CANDIDATE * self.n_candidates
        grids = [self.param_grid] if isinstance(self.param_grid, dict) else self.param_grid
        if not any(hasattr(values, "rvs") for grid in grids for values in grid.values()):
            n = min(n, len(ParameterGrid(self.param_grid)))
        return ParameterSampler(self.param_grid, n, random_state=self.seed)


def _key_of_all(params):
    return tuple((name, key_of(value)) for name, value in sorted(params.items()))
