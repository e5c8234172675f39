"""Pool of VIRTUAL: the remaining samples, and virtual samples added during training."""

import numpy as np
from scipy import sparse

from .._chunks import stacked
from .._class_codes import code_of
from .._core.kernel.vectors.block import Samples
from .._core.kernel.vectors.support_set import VIRTUAL
from .._feature_space import Kernel
from .._validation import restore_generator
from ._choice import SampleSelection
from ._virtual_points import VirtualPoints


class VirtualPool:
    """Real and virtual samples in the order of training.

    When a real sample of the minority class becomes a support vector, points between it and its
    neighbours are added to the remaining samples. An interrupt leaves either all or none of such
    an addition: an incomplete ``follow`` is repeated.

    ``generator``: its first samples are those of the minority class in X, in their order.
    ``state``: ``order`` and the fields returned by ``state``.
    ``problem``: index of the binary problem that determines the support vectors.
    ``n_virtual``: number of points for each support vector of the minority class.
    ``max_labels``: maximum number of real samples, or None.
    """

    def __init__(
        self, X, codes, cost, row_ids, origin, generator, state, *, minority, problem, n_virtual,
        max_labels,
    ):  # fmt: skip
        self.n_samples, self.row_ids, self.origin = X.shape[0], row_ids, origin
        self.generator, self.problem = generator, problem
        self.n_virtual, self.max_labels = n_virtual, max_labels
        parents = np.flatnonzero(codes == minority)
        # Index of each minority sample among the samples of the generator.
        self.parents = dict(zip(parents.tolist(), range(len(parents)), strict=True))
        capacity = n_virtual * len(parents)
        self.samples = (SparseBuffer if sparse.issparse(X) else DenseBuffer)(X, capacity)
        self.cost = np.concatenate([cost, np.zeros(capacity)])
        self.first_id, self.n_done = state["first_id"], state["n_done"]
        self.random = restore_generator(state["random"])
        self.n, self.n_points = len(state["order"]), state["points"].shape[0]
        self.order = np.concatenate([state["order"], np.zeros(capacity, dtype=np.int64)])
        self.samples.put(self.n_samples, state["points"])
        self.cost[self.n_samples : self.n_samples + self.n_points] = state["costs"]
        labels = np.concatenate([codes, np.full(capacity, minority, dtype=codes.dtype)])
        ids = np.concatenate([row_ids, self.first_id + np.arange(capacity)])
        origins = np.full(len(ids), VIRTUAL, dtype=np.int8)
        origins[: self.n_samples] = origin
        self.given = Samples(labels, self.cost, ids, origin=origins)

    def follow(self, problems, n_processed):
        """Add the virtual samples due after the samples processed since the last call.

        Returns the samples, and the number of those that are processed or remain.
        """
        while self.n_done < n_processed:
            i, changed = int(self.order[self.n_done]), {}
            if i in self.parents and self.n_virtual and self.generator.n_neighbors:
                members = problems[self.problem].members
                if members.alpha_of(self.row_ids[i], self.origin):
                    changed = self._add_points_of(i)
            # One assignment, so that an interrupt leaves all or nothing.
            self.__dict__.update(n_done=self.n_done + 1, **changed)
        if self.max_labels is not None and self.n_labels(n_processed) >= self.max_labels:
            return self.samples.X, n_processed
        return self.samples.X, self.n

    def n_labels(self, n_processed):
        """Return the number of real samples among those processed."""
        return int(np.count_nonzero(self.order[:n_processed] < self.n_samples))

    def _add_points_of(self, i):
        """Draw the points of a sample; return the changed fields, set only afterwards."""
        random = restore_generator(self.random.get_state(legacy=False))
        n, first = self.n_virtual, self.n_samples + self.n_points
        points, _ = self.generator.draw(np.full(n, self.parents[i]), random)
        self.samples.put(first, points)
        self.cost[first : first + n] = self.cost[i]
        self.order[self.n : self.n + n] = first + np.arange(n)
        return dict(random=random, n=self.n + n, n_points=self.n_points + n)

    def state(self):
        """Return what is needed to continue, apart from the order."""
        virtual = slice(self.n_samples, self.n_samples + self.n_points)
        return {
            "points": as_arrays(self.samples.X[virtual]),
            "costs": self.cost[virtual].copy(),
            "n_done": self.n_done,
            "first_id": self.first_id,
            "random": self.random.get_state(legacy=False),
        }


class DenseBuffer:
    """Samples of an array, with space for ``capacity`` more."""

    def __init__(self, X, capacity):
        self.X = np.zeros((X.shape[0] + capacity, X.shape[1]), dtype=X.dtype)
        self.X[: X.shape[0]] = X

    def put(self, first, points):
        """Write points from index ``first`` on."""
        self.X[first : first + len(points)] = points


class SparseBuffer:
    """CSR matrix to which samples are appended in amortized constant time per sample."""

    def __init__(self, X, capacity):
        nnz = X.indptr[-1]
        self._parts = [X.data[:nnz], X.indices[:nnz], X.indptr]  # no spare capacity: owned by X
        self.X = X

    def put(self, first, points):
        """Write points from index ``first`` on."""
        n, used = points.shape[0], int(self._parts[2][first])
        if not n:
            return
        points.sort_indices()
        new = (points.data, points.indices, points.indptr[1:] + used)
        begins = (used, used, first + 1)
        for k in range(3):
            self._parts[k] = _appended(self._parts[k], begins[k], new[k])
        ends = (used + points.nnz, used + points.nnz, first + n + 1)
        parts = tuple(part[:end] for part, end in zip(self._parts, ends, strict=True))
        self.X = type(self.X)(parts, shape=(first + n, self.X.shape[1]), copy=False)


def _appended(array, n, new):
    """Return an array with ``new`` after its first ``n`` items; capacity doubles on growth."""
    if n + len(new) > len(array):
        array = np.resize(array[:n], 2 * (n + len(new)))
    array[n : n + len(new)] = new
    return array


def as_arrays(rows):
    """Return samples as a dict of arrays, or None unchanged."""
    if rows is None or not sparse.issparse(rows):
        return rows if rows is None else {"rows": np.array(rows)}
    parts = {name: getattr(rows, name).copy() for name in ("data", "indices", "indptr")}
    return parts | {"n": rows.shape[0]}


def from_arrays(parts, n_features):
    """Return the samples that :func:`as_arrays` converted, or None unchanged."""
    if parts is None:
        return None
    if "rows" in parts:
        return parts["rows"]
    arrays = tuple(parts[name] for name in ("data", "indices", "indptr"))
    return sparse.csr_matrix(arrays, shape=(parts["n"], n_features))


class VirtualSampleSelection(SampleSelection):
    """Sample selection of :class:`VirtualLASVC`, from a pool that grows.

    The memory of the machine has the numbers of samples of each class (``class_rows``) and of
    virtual samples (``n_points``), and the code of the minority class.
    """

    # Class of the generator of virtual samples; studies of VIRTUAL place them elsewhere.
    points = VirtualPoints

    def __init__(self, plan, machine, order, choice, X, codes, cost, row_ids, origin):
        super().__init__(plan, machine, order, choice, X, codes, cost, row_ids, origin)
        self.machine, self.begun_with = machine, choice["virtual"]
        state = {"order": order, **self.begun_with}
        for name in ("points", "former"):
            state[name] = from_arrays(state[name], X.shape[1])
        if state["points"] is None:
            state |= {"points": X[:0], "costs": np.zeros(0)}
        params, minority = plan.params, state["minority"]
        self.pool = VirtualPool(
            X,
            codes,
            cost,
            row_ids,
            origin,
            self.points(
                with_former(X[codes == minority], state["former"]),
                Kernel.of(machine.spec),
                params.n_neighbors,
            ),
            state,
            minority=minority,
            problem=minority if len(machine.targets.classes) > 2 else 0,
            n_virtual=int(params.n_virtual),
            max_labels=params.max_labels,
        )
        self.X, self.order, self.given = self.pool.samples.X, self.pool.order, self.pool.given

    @classmethod
    def begun(cls, plan, machine, order, codes, cost, random, chunk=None):
        begun = super().begun(plan, machine, order, codes, cost, random, chunk)
        if not chunk:  # a fit, or a stream, begins
            class_rows = np.zeros(len(machine.targets.classes), dtype=np.int64)
            minority = counted(plan, machine.targets, class_rows, codes)[1]
            machine.memory = dict(class_rows=class_rows, minority=minority, n_points=0)
        memory = machine.memory
        class_rows, minority = counted(plan, machine.targets, memory["class_rows"], codes)
        generator = np.random.RandomState(begun["choice"]["random"] % 2**32)
        begun["choice"]["virtual"] = {
            "points": None,
            "costs": None,
            "minority": minority,
            "class_rows": class_rows,
            # Support vectors of earlier chunks of a stream; a fit starts without any.
            "former": as_arrays(former_vectors(machine, minority)) if chunk else None,
            "n_done": 0,
            "first_id": memory["n_points"],
            "random": generator.get_state(legacy=False),
        }
        return begun

    def __enter__(self):
        self.engine.stream.follower = self.pool
        return super().__enter__()

    def __exit__(self, *error):
        self.engine.stream.follower = None
        if self.engine.n_processed:
            known = {name: self.begun_with[name] for name in ("minority", "class_rows")}
            n_points = self.pool.first_id + self.pool.n_points
            self.machine.memory = self.machine.memory | known | dict(n_points=n_points)
        super().__exit__(*error)

    @property
    def state(self):
        state = super().state
        known = {name: self.begun_with[name] for name in ("minority", "class_rows", "former")}
        state["choice"]["virtual"] = self.pool.state() | known
        state["order"] = self.pool.order[: self.pool.n]
        return state

    @property
    def n_labels(self):
        return self.pool.n_labels(self.engine.n_processed)


def counted(plan, targets, class_rows, codes):
    """Return the class counts including ``codes``, and the code of the minority class."""
    rows = class_rows + np.bincount(codes, minlength=len(targets.classes))
    minority_class = plan.params.minority_class
    if minority_class is None:
        return rows, int(np.where(rows > 0, rows, rows.max(initial=0) + 1).argmin())
    code = code_of(minority_class, targets.classes)
    if code is None:
        raise ValueError(
            f"minority_class={minority_class!r} is not among the classes "
            f"{targets.classes.tolist()}."
        )
    return rows, code


def former_vectors(machine, minority):
    """Return the real support vectors of the minority class as rows of X, or None."""
    solution = machine.engine.current_solution()
    former = (solution.row_ids >= 0) & (solution.labels == minority)
    if not former.any():
        return None
    vectors = solution.vectors()[former]
    if machine.is_sparse:
        return sparse.csr_matrix(vectors, dtype=machine.dtype)
    vectors = vectors.toarray() if sparse.issparse(vectors) else vectors
    return vectors.astype(machine.dtype)


def with_former(rows, former):
    """Return minority samples and former ones, which may be None."""
    if former is None:
        return rows
    # The chunks of a stream may be dense and sparse.
    if sparse.issparse(rows):
        former = sparse.csr_matrix(former)
    elif sparse.issparse(former):
        former = former.toarray()
    return stacked([rows, former])
