"""Cells in a stream: their samples, the training of their models, and their division."""

import copy

import numpy as np

from .._chunks import joined_weights, selected, stacked
from ._tree import share_of_overlap, split


class StoredSamples:
    """Samples of a cell, in the order of the stream.

    ``start``: the model before the first of these samples: not fitted, or fitted by ``fit`` on
    ``n_before`` samples.
    """

    def __init__(self, start, n_before=0):
        self.start, self.n_before, self.n = start, n_before, 0
        self._parts = []
        # Pairs of a position and the classes known from there on, None for a regressor.
        self._known = []
        # Ends of the chunks; a shallow copy shares the list, and uses the first entries.
        self._ends, self._n_chunks = [], 0
        self._least = 0

    def add(self, X, y, weights, classes):
        # A new list: a shallow copy of this object remains as it is.
        parts = [*self._parts, (X, y, weights)]
        if not self._known or not np.array_equal(self._known[-1][1], classes):
            self._known = [*self._known, (self.n, classes)]
        self.n += X.shape[0]
        del self._ends[self._n_chunks :]
        self._ends.append(self.n)
        self._n_chunks += 1
        # Parts are joined with parts that are at least as long, so that there are few of them.
        while len(parts) > 1 and len(parts[-2][1]) <= len(parts[-1][1]):
            parts[-2:] = [_joined(parts[-2:])]
        self._parts = parts

    def all(self):
        """Return X, y and weights; weights are None if none were given."""
        if len(self._parts) > 1:
            self._parts = [_joined(self._parts)]
        return self._parts[0]

    def chunks(self):
        """Yield X, y, weights and classes of each chunk: a model may depend on the division."""
        samples, begin = self.all(), 0
        for end in self._ends[: self._n_chunks]:
            classes = [known for position, known in self._known if position <= begin][-1]
            yield *selected(slice(begin, end), *samples), classes
            begin = end

    def postpone_division(self):
        """Divide the cell again only when it has a third more samples.

        If most samples are equal, a cut may separate few from the others, or none.
        """
        self._least = self.n + max(1, self.n // 3)

    def room(self, cell_size):
        """Return the number of samples that can be added before the cell is divided."""
        return max(0, max(cell_size, self._least) - self.n)


def _joined(parts):
    X, y, weights = zip(*parts, strict=True)
    return stacked(X), np.concatenate(y), joined_weights(weights, map(len, y))


class CellStream:
    """A tree, the models of its cells, and the samples from which they can be trained again.

    A cell that is full is divided in two when the next sample arrives; the models of both sides
    are trained on the stored samples. After an error the tree, the models and the samples are
    those of before the call. ``sizes``: number of samples that each model has been fitted on.
    """

    def __init__(self, tree, models, sizes, random):
        self.tree, self.models, self.sizes, self.random = tree, models, sizes, random
        self.cells = [StoredSamples(*started) for started in zip(models, sizes, strict=True)]

    def learn(self, X, y, weights, owner, run):
        """Train on a chunk, and divide cells that are full.

        ``owner``: has ``cell_size``, ``overlap``, and the methods ``_new_model``, ``_prepared``,
        ``_share_caches`` and ``_train``. ``run``: ``map``, or that of a pool of threads.
        """
        before, random, changed = self.__dict__.copy(), self.random.get_state(), set()
        self.tree, self.sizes = copy.copy(self.tree), self.sizes.copy()
        self.models, self.cells = list(self.models), list(self.cells)
        try:
            self._train_and_divide((X, y, weights), owner, run, changed)
        except BaseException:
            self.__dict__.update(before)
            self.random.set_state(random)
            owner._share_caches(self.models, len(self.models))
            for number in changed:
                cell = self.cells[number] if number < len(self.cells) else None
                # A model without samples in the stream has been copied before it was trained.
                if cell is not None and cell.n:
                    self.models[number] = copy.deepcopy(cell.start)
                    for part in cell.chunks():
                        owner._train(self.models[number], *part)
            raise

    def _train_and_divide(self, chunk, owner, run, changed):
        """Train all cells; divisions are in the order of the samples for which there is no room.

        The numbers of trained cells are added to ``changed``.
        """
        X = chunk[0]
        waiting = self.tree.arrivals(X)
        while True:
            rooms = {number: self.cells[number].room(owner.cell_size) for number in waiting}
            full = [(rows[rooms[c]], c) for c, rows in waiting.items() if len(rows) > rooms[c]]
            if not full:
                break
            number = min(full)[1]
            rows, room = waiting.pop(number), rooms[number]
            self._train(chunk, {number: rows[:room]}, owner, run, changed)
            node = self._divide(number, owner, run)
            if node is None:
                waiting[number] = rows[room:]
            else:
                waiting.update(self.tree.arrivals(X, node, rows[room:]))
        self._train(chunk, waiting, owner, run, changed)

    def _train(self, chunk, rows_of, owner, run, changed):
        """Train cells on their samples of a chunk, and store these."""
        parts = {number: selected(rows, *chunk) for number, rows in rows_of.items() if len(rows)}
        changed.update(parts)
        for number in parts:
            cell = self.cells[number] = copy.copy(self.cells[number])
            if self.models[number] is cell.start:
                cell.start = owner._prepared(cell.start)
                self.models[number] = copy.deepcopy(cell.start)
        classes = getattr(owner, "classes_", None)
        list(run(lambda number: owner._train(self.models[number], *parts[number], classes), parts))
        for number, part in parts.items():
            self.cells[number].add(*part, classes)
            self.sizes[number] += len(part[1])

    def _divide(self, number, owner, run):
        """Divide a cell; return the number of the new node, or None if it cannot be divided."""
        cell = self.cells[number]
        samples = cell.all()
        share = share_of_overlap(cell.n, min(cell.n, owner.cell_size), owner.overlap)
        cut = split(samples[0], share, self.random)
        if cut is None:
            cell = self.cells[number] = copy.copy(cell)
            cell.postpone_division()
            return None
        direction, lower, upper, *sides = cut
        children, models, classes = [], [], getattr(owner, "classes_", None)
        for side in sides:
            start = cell.start if cell.n_before else owner._new_model(self.random)
            child = StoredSamples(start, cell.n_before)
            child.add(*selected(side, *samples), classes)
            child.postpone_division()
            children.append(child)
            models.append(copy.deepcopy(start))
        list(run(lambda side: owner._train(models[side], *children[side].all(), classes), (0, 1)))
        # Copies have no cache of kernel values.
        models = [copy.deepcopy(model) for model in models]
        self.cells[number], self.models[number] = children[0], models[0]
        self.cells.append(children[1])
        self.models.append(models[1])
        sizes = [child.n_before + child.n for child in children]
        self.sizes = np.append(self.sizes, sizes[1])
        self.sizes[number] = sizes[0]
        n = len(self.models)
        # The share of each cache changes only when a power of two is exceeded.
        owner._share_caches(self.models if (n - 1).bit_count() == 1 else models, n)
        return self.tree.divide(number, direction, lower, upper, cell.n)
