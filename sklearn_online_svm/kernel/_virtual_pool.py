"""The pool of VIRTUAL: rows that wait for their turn, and points made up on the way."""

import numpy as np
from scipy import sparse

from .._core.kernel.given_rows import Rows
from .._core.kernel.members import VIRTUAL
from .._persistent import generator_from, stored_generator
from ._choosing import Choice


class VirtualPool:
    """Rows in the order of learning, real ones and virtual ones.

    When a real row of the minority has become a support vector, points between it and its
    neighbours join those that are left. An interrupt finds all of that done or nothing: what
    ``follow`` has not brought to its end it does again.

    Parameters
    ----------
    X, codes, cost : rows, class codes, upper bounds of alpha
    row_ids, origin : what the real rows are called
    makes : VirtualPoints
        Its first rows are those of the minority in X, in their order.
    of : dict
        ``minority``, a class code; ``problem``, the number of the one whose support vectors count;
        ``n_virtual``, points for each of them; ``max_labels``.
    state : dict
        ``order`` and what ``state`` gave.
    """

    def __init__(self, X, codes, cost, row_ids, origin, makes, of, state):
        self.n_rows, self.row_ids, self.origin = X.shape[0], row_ids, origin
        self.makes, self.of = makes, of
        parents = np.flatnonzero(codes == of["minority"])
        self.place = dict(zip(parents.tolist(), range(len(parents)), strict=True))
        most = of["n_virtual"] * len(parents)
        self.rows = (SparseRows if sparse.issparse(X) else DenseRows)(X, most)
        self.cost = np.concatenate([cost, np.zeros(most)])
        self.first_id, self.n_done = state["first_id"], state["n_done"]
        self.random = generator_from(state["random"])
        self.n = len(state["order"]) - state["points"].shape[0]
        self.order = np.concatenate([state["order"], np.zeros(most, dtype=np.int64)])
        points = state["points"]
        self._put(points, state["costs"])
        self.order[: self.n] = state["order"]
        labels = np.concatenate([codes, np.full(most, of["minority"], dtype=codes.dtype)])
        ids = np.concatenate([row_ids, self.first_id + np.arange(most)])
        origins = np.full(len(ids), VIRTUAL, dtype=np.int8)
        origins[: self.n_rows] = origin
        self.given = Rows(labels, self.cost, ids, origin=origins)

    @property
    def n_made(self):
        """Virtual points made so far."""
        return len(self.rows) - self.n_rows

    def follow(self, problems, n_learnt):
        """Make what the rows learnt since the last call lead to.

        Returns the rows, and the number of those that have been learnt or wait.
        """
        while self.n_done < n_learnt:
            row = int(self.order[self.n_done])
            if row in self.place and self.of["n_virtual"] and self.makes.n_neighbors:
                members = problems[self.of["problem"]].members
                if members.alpha_of(self.row_ids[row], self.origin):
                    self._make(row)
            self.n_done += 1
        budget = self.of["max_labels"]
        if budget is not None and self.n_labels(n_learnt) >= budget:
            return self.rows.X, n_learnt
        return self.rows.X, self.n

    def n_labels(self, n_learnt):
        """Real rows among those learnt."""
        return int(np.count_nonzero(self.order[:n_learnt] < self.n_rows))

    def _make(self, row):
        random = generator_from(self.random.get_state(legacy=False))
        n = self.of["n_virtual"]
        points, _ = self.makes.draw(np.full(n, self.place[row]), random)
        self._put(points, np.full(n, self.cost[row]))
        self.random = random

    def _put(self, points, costs):
        """Let points wait."""
        made = len(self.rows) + np.arange(len(costs))
        self.rows.append(points)
        self.cost[made] = costs
        self.order[self.n : self.n + len(made)] = made
        self.n += len(made)

    def state(self):
        """Return what it takes to go on, beside the order."""
        made = slice(self.n_rows, len(self.rows))
        return {
            "points": taken_apart(self.rows.X[made]),
            "costs": self.cost[made].copy(),
            "n_done": self.n_done,
            "first_id": self.first_id,
            "random": self.random.get_state(legacy=False),
        }


class DenseRows:
    """Rows of an array, with room for ``most`` more."""

    def __init__(self, X, most):
        self.X = np.zeros((X.shape[0] + most, X.shape[1]), dtype=X.dtype)
        self.X[: X.shape[0]] = X
        self._n = X.shape[0]

    def __len__(self):
        return self._n

    def append(self, points):
        self.X[self._n : self._n + len(points)] = points
        self._n += len(points)


class SparseRows:
    """CSR rows to which others are appended, in time that does not depend on their number."""

    def __init__(self, X, most):
        self._parts = [X.data, X.indices, X.indptr]
        self._n, self._width = X.shape
        self._used = [X.nnz, X.nnz, self._n + 1]
        self.X = X

    def __len__(self):
        return self._n

    def append(self, points):
        if not points.shape[0]:
            return
        points.sort_indices()
        nnz = self._used[0]
        for k, new in enumerate((points.data, points.indices, points.indptr[1:] + nnz)):
            self._parts[k] = _appended(self._parts[k], self._used[k], new)
            self._used[k] += len(new)
        self._n += points.shape[0]
        data, indices, indptr = (p[:n] for p, n in zip(self._parts, self._used, strict=True))
        self.X = type(self.X)((data, indices, indptr), shape=(self._n, self._width), copy=False)


def _appended(array, n, new):
    """Return an array with ``new`` behind its first ``n``; it has twice the room if it grows."""
    if n + len(new) > len(array):
        array = np.resize(array[:n], 2 * (n + len(new)))
    array[n : n + len(new)] = new
    return array


def stacked(rows, others):
    """Return rows of one layout, one set below the other."""
    if sparse.issparse(rows):
        return sparse.vstack([rows, others], format="csr", dtype=rows.dtype)
    return np.concatenate([rows, others])


def taken_apart(rows):
    """Return rows as arrays, or None as it is."""
    if rows is None or not sparse.issparse(rows):
        return rows if rows is None else {"rows": np.array(rows)}
    parts = {name: getattr(rows, name).copy() for name in ("data", "indices", "indptr")}
    return parts | {"n": rows.shape[0]}


def put_together(state, name, model):
    """Return what :func:`taken_apart` took apart, checked; None: no rows."""
    if state.value(name) is None:
        return None
    parts, dtype, width = state.part(name), model._dtype, model.n_features_in_
    if not model._sparse:
        return parts.array("rows", dtype, (None, width), finite=True)
    n, data = parts.integer("n"), parts.array("data", dtype, (None,), finite=True)
    kind = np.asarray(parts.value("indices")).dtype
    parts.require(kind in (np.int32, np.int64), "indices", "must be integers")
    indices = parts.array("indices", kind, (len(data),), low=0, high=width - 1)
    indptr = parts.array("indptr", kind, (n + 1,), low=0, high=len(data))
    parts.require(
        indptr[0] == 0 and indptr[-1] == len(data) and (np.diff(indptr) >= 0).all(),
        "indptr",
        "must rise from 0 to the number of values",
    )
    return sparse.csr_matrix((data, indices, indptr), shape=(n, width))


class VirtualChoice(Choice):
    """The choice of :class:`VirtualLASVC`: from a pool that grows."""

    def __init__(self, model, at, X, codes, cost, row_ids, origin):
        super().__init__(model, at, X, codes, cost, row_ids, origin)
        self.model, self.begun_with = model, at["choice"]["virtual"]
        state = {"order": at["order"], **self.begun_with}
        if state["points"] is None:
            state |= {"points": X[:0], "costs": np.zeros(0)}
        self.pool = VirtualPool(
            X,
            codes,
            cost,
            row_ids,
            origin,
            model._points_of(X, codes, state["minority"], state["former"]),
            {
                "minority": state["minority"],
                "problem": state["minority"] if len(model.classes_) > 2 else 0,
                "n_virtual": model.n_virtual,
                "max_labels": model.max_labels,
            },
            state,
        )
        self.X, self.order, self.given = self.pool.rows.X, self.pool.order, self.pool.given

    @classmethod
    def begun(cls, model, order, codes, cost, random, salt=0):
        begun = super().begun(model, order, codes, cost, random, salt)
        class_rows, minority = model._counted(codes)
        generator = np.random.RandomState(begun["choice"]["random"] % 2**32)
        begun["choice"]["virtual"] = {
            "points": None,
            "costs": None,
            "minority": minority,
            "class_rows": class_rows,
            # What a stream has learnt before; a fit begins anew.
            "former": model._former(minority) if salt else None,
            "n_done": 0,
            "first_id": model.n_virtual_points_,
            "random": generator.get_state(legacy=False),
        }
        return begun

    @classmethod
    def checked(cls, model, at, n_rows):
        virtual = at.part("choice").part("virtual")
        points = put_together(virtual, "points", model)
        n_points = 0 if points is None else points.shape[0]
        checked = super().checked(model, at, n_rows + n_points)
        order = checked["order"]
        at.require((order >= n_rows).sum() == n_points, "order", "must name each virtual point")
        stored_generator(virtual, "random")
        checked["choice"]["virtual"] = {
            "points": points,
            "costs": None if points is None else virtual.array("costs", np.float64, (n_points,)),
            "former": put_together(virtual, "former", model),
            "minority": virtual.integer("minority", 0, len(model.classes_) - 1),
            "class_rows": virtual.array("class_rows", np.int64, (len(model.classes_),), low=0),
            "n_done": virtual.integer("n_done", 0, len(order)),
            "first_id": virtual.integer("first_id"),
            "random": virtual.value("random"),
        }
        return checked

    def __enter__(self):
        self.engine.follower = self.pool
        return super().__enter__()

    def __exit__(self, *error):
        self.engine.follower = None
        if self.engine.n_learnt:
            self.model.__dict__.update(
                n_virtual_points_=self.pool.first_id + self.pool.n_made,
                _minority=self.begun_with["minority"],
                _class_rows=self.begun_with["class_rows"],
            )
        super().__exit__(*error)

    @property
    def state(self):
        state = super().state
        known = {name: self.begun_with[name] for name in ("minority", "class_rows")}
        known["former"] = taken_apart(self.begun_with["former"])
        state["choice"]["virtual"] = self.pool.state() | known
        state["order"] = self.pool.order[: self.pool.n]
        return state

    @property
    def n_labels(self):
        return self.pool.n_labels(self.engine.n_learnt)
