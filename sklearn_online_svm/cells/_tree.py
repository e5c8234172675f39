"""Partition of the feature space into cells by a binary tree of half-spaces."""

import numpy as np

# Samples from which the direction of a split is computed, and steps of the power iteration.
N_SAMPLES = 1000
N_STEPS = 20
# The share of a node in its overlap is proportional to n^-DECAY for n samples. With a share of
# 0.2 in all nodes, the number of samples in all cells would grow as n^1.36.
DECAY = 0.25


def principal_direction(X, random):
    """Return the first principal direction of samples by power iteration.

    Only products with X are computed: a sparse X is not centered explicitly. If all samples are
    equal, the direction is 0.
    """
    mean = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    direction = random.standard_normal(X.shape[1])
    for _ in range(N_STEPS):
        direction = _unit(direction)
        along = X @ direction - mean @ direction
        direction = X.T @ along - along.sum() * mean
        if not direction.any():
            return direction
    return _unit(direction)


def _unit(direction):
    norm = np.linalg.norm(direction)
    if norm == 0.0:  # the squares are too small
        direction = direction / np.abs(direction).max()
        norm = np.linalg.norm(direction)
    return direction / norm


class CellTree:
    """Binary tree whose leaves, the cells, are intersections of half-spaces.

    An inner node divides its samples at the median of their projections to their first principal
    direction. Samples with projections between ``lower`` and ``upper`` belong to both sides.

    ``directions`` (n_nodes, n_features): direction of each inner node; node 0 is the root.
    ``lower``, ``upper`` (n_nodes,): ends of the overlap when the node was divided; equal if there
        is none.
    ``children`` (n_nodes, 2): left and right child: the number of a node, or -1 minus the number
        of a cell.
    ``n_divided`` (n_nodes,): number of samples when the node was divided.

    Further attributes: ``n_samples`` (n_nodes,): number of samples now. The overlap shrinks
    towards its middle as a node gets more samples, so that its share is that of a node divided
    with all of them.
    """

    def __init__(self, directions, lower, upper, children, n_divided):
        self.directions, self.lower, self.upper = directions, lower, upper
        self.children, self.n_divided, self.n_samples = children, n_divided, n_divided.copy()

    @classmethod
    def single(cls, n_features):
        """Return a tree with a single cell."""
        directions, children = np.zeros((0, n_features)), np.zeros((0, 2), dtype=np.int64)
        return cls(directions, np.zeros(0), np.zeros(0), children, np.zeros(0, dtype=np.int64))

    @classmethod
    def grow(cls, X, cell_size, overlap, random):
        """Return a tree and, for each cell, the numbers of its samples in ascending order.

        Nodes of more than ``cell_size`` samples are divided, unless all samples are equal. The
        share of a node in its overlap is ``overlap * (cell_size / n) ** DECAY``.
        """
        splits, children, cells = [], [], []
        todo = [(np.arange(X.shape[0]), None, 0)]
        while todo:
            rows, parent, side = todo.pop()
            cut = None
            if len(rows) > cell_size:
                share = share_of_overlap(len(rows), cell_size, overlap)
                cut = split(X[rows], share, random)
            if cut is None:
                number = -1 - len(cells)
                cells.append(rows)
            else:
                number = len(splits)
                direction, lower, upper, is_left, is_right = cut
                splits.append((direction, lower, upper, len(rows)))
                children.append([0, 0])
                todo += [(rows[is_right], number, 1), (rows[is_left], number, 0)]
            if parent is not None:
                children[parent][side] = number
        directions = np.array([cut[0] for cut in splits]).reshape(len(splits), X.shape[1])
        lower, upper = (np.array([cut[k] for cut in splits]) for k in (1, 2))
        n_divided = np.array([cut[3] for cut in splits], dtype=np.int64)
        children = np.array(children, dtype=np.int64).reshape(-1, 2)
        return cls(directions, lower, upper, children, n_divided), cells

    def parts(self, X):
        """Yield each cell with samples, their numbers, and their weights in this cell.

        The weights of a sample sum to 1. Across an overlap they change linearly from one side to
        the other.
        """
        for number, rows, weights in self._walk(X, arriving=False):
            if number < 0:
                yield -1 - number, rows, weights

    def arrivals(self, X, node=None, arriving=None):
        """Count samples that arrive one after the other; return those of each cell that has some.

        ``node``, ``arriving``: node at which samples arrive, and their numbers; None: all of X at
        the root.
        """
        cells, n_samples = {}, self.n_samples.copy()
        for number, rows, _ in self._walk(X, True, node, arriving):
            if number >= 0:
                n_samples[number] += len(rows)
            else:
                cell = -1 - number
                # A cell may be the child of several nodes.
                cells[cell] = np.union1d(cells[cell], rows) if cell in cells else rows
        # A new array: that of a model that has been loaded may be read-only.
        self.n_samples = n_samples
        return cells

    def divide(self, cell, direction, lower, upper, n_samples):
        """Replace a cell by a node with the cell on the left and a new one; return its number."""
        number, new = len(self.children), len(self.children) + 1
        children = np.where(self.children == -1 - cell, number, self.children)
        self.children = np.vstack([children, [[-1 - cell, -1 - new]]])
        self.directions = np.vstack([self.directions, direction])
        self.lower, self.upper = np.append(self.lower, lower), np.append(self.upper, upper)
        self.n_divided = np.append(self.n_divided, n_samples)
        self.n_samples = np.append(self.n_samples, n_samples)
        return number

    def _walk(self, X, arriving, number=None, rows=None):
        """Yield each node and cell with samples, their numbers, and their weights there.

        With ``arriving=True`` each sample is counted in a node before its side is determined.
        """
        if number is None:
            number, rows = 0 if len(self.children) else -1, np.arange(X.shape[0])
        todo = [(number, rows, np.ones(len(rows)))]
        while todo:
            number, rows, weights = todo.pop()
            if not len(rows):
                continue
            yield number, rows, weights
            if number < 0:
                continue
            n_samples = self.n_samples[number]
            if arriving:
                n_samples = n_samples + np.arange(1, len(rows) + 1)
            projections = X[rows] @ self.directions[number]
            right = self._share_of_right(number, projections, n_samples)
            for side, share in ((1, right), (0, 1.0 - right)):
                inside = share > 0.0
                todo.append((self.children[number, side], rows[inside], (weights * share)[inside]))

    def _share_of_right(self, number, projections, n_samples):
        lower, upper = self.lower[number], self.upper[number]
        if lower == upper:
            return (projections > lower).astype(np.float64)
        # Each end moves towards the middle by this much as the node gets more samples.
        inset = (upper - lower) / 2 * (1.0 - (self.n_divided[number] / n_samples) ** DECAY)
        lower, upper = lower + inset, upper - inset
        return np.clip((projections - lower) / (upper - lower), 0.0, 1.0)


def share_of_overlap(n_samples, cell_size, overlap):
    """Return the share of the samples of a node that belongs to both sides."""
    return overlap * (cell_size / n_samples) ** DECAY


def split(X, share, random):
    """Return a direction, the ends of the overlap, and the masks of both sides.

    Returns None if no sample can be separated from the others, or values overflow.
    """
    n = X.shape[0]
    some = random.choice(n, N_SAMPLES, replace=False) if n > N_SAMPLES else slice(None)
    with np.errstate(over="ignore", invalid="ignore"):
        direction = principal_direction(X[some], random)
        projections = X @ direction
    if not np.isfinite(projections).all():
        return None
    lower, upper = np.quantile(projections, [0.5 - share / 2, 0.5 + share / 2])
    if lower == upper:
        # With ties at the maximum, the cut is at the next smaller value.
        below = projections[projections < projections.max()]
        if not len(below):
            return None
        lower = upper = min(lower, below.max())
        return direction, lower, upper, projections <= lower, projections > lower
    is_left, is_right = projections < upper, projections > lower
    if is_left.all() or is_right.all():
        return None
    return direction, lower, upper, is_left, is_right
