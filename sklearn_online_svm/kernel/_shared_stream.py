"""Several LASVC that learn one stream side by side: vectors and kernel values once for all."""

from contextlib import ExitStack, contextmanager
from dataclasses import fields

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from .._base import check_rows, has_fast_path, refuse_not_finite, thread_pool
from .._core.kernel.common_loop import CommonLoop
from .._core.kernel.given_rows import Rows
from .._core.kernel.members import STREAM
from .._core.kernel.stores import BLOCK, filled
from ._choosing import chooses
from ._engine import VectorSpec
from ._lasvc import LASVC
from ._online import NO_LIMIT, to_its_end


class SharedStream:
    """A stream of rows that several models learn, each as if it were alone.

    The models may differ in whatever is not about the kernel: C, class weights, tol, the
    algorithm. Each keeps support vectors of its own choice; a vector that several of them keep is
    stored once, and kernel values are computed once for all. Every model becomes, to the last bit,
    what it would have become alone: its support vectors, alpha, bias and counts. Its decision
    values are sums in the order of the common store, and may differ in their last bits; and
    ``n_kernel_evaluations_`` counts the values that were made for it, whoever else had use for
    them.

    All else can be asked of the models themselves at any time. A model that learns on its own
    (``partial_fit``, ``finish``, ``fit``), a copy and a pickle are independent of the stream. The
    memory for kernel rows is the sum of what the models may have (``cache_size``), threads are
    those of the first (``n_jobs``).

    Parameters
    ----------
    models : list of LASVC
        Models that may share a stream (see ``groups``), all of them unfitted, or all of them
        having learnt the same rows.

    Attributes
    ----------
    models : list of LASVC
        Those that are in the stream now.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.kernel._shared_stream import SharedStream
    >>> X, y = load_digits(return_X_y=True)
    >>> models = [LASVC(C=C, gamma=0.001) for C in (0.1, 1, 10)]
    >>> stream = SharedStream(models).partial_fit(X[:1000], y[:1000], classes=range(10))
    >>> stream.drop(models[:1])
    >>> stream.partial_fit(X[1000:], y[1000:]).models[0].n_samples_seen_
    1797
    """

    def __init__(self, models):
        self.models = list(models)
        self._loop = None
        self._tenants = []
        if not self.models or len(self.groups(self.models)) > 1:
            raise ValueError(
                "models must be one or more LASVC that can share a stream, one of "
                f"SharedStream.groups(models); got {self.models!r}."
            )
        if hasattr(self.models[0], "_engine"):
            with self._guards():
                for model in self.models:
                    model._move_home()
                self._come_together(self.models)

    @staticmethod
    def groups(models):
        """Sort models by whom they can share a stream with.

        Parameters
        ----------
        models : list of estimators

        Returns
        -------
        groups : list of list of int
            Indices of the models of each group. What cannot share is alone in its group: models
            other than LASVC, those that choose among the rows (``selection``, ``max_labels``,
            ``stopping``), those with limits (``max_support_vectors``, ``max_age``), kernels that
            are functions or matrices, and a linear kernel with a bias, whose rows may come to be
            counted from another centre.
        """
        groups = {}
        for i, model in enumerate(models):
            key = _sharing_key(model)
            groups.setdefault(("alone", i) if key is None else key, []).append(i)
        return list(groups.values())

    # ---------------------------------------------------------------------------- learning

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Let all models learn new rows, side by side.

        Parameters
        ----------
        X, y, classes, sample_weight
            As in :meth:`LASVC.partial_fit`.

        Returns
        -------
        self : SharedStream

        Raises
        ------
        ValueError
            If one of the models refuses the chunk: all are left as they were. If a model has
            learnt on its own, or cannot share any more.
        KeyboardInterrupt
            The block of rows in which it came is brought to its end: ``n_samples_seen_``, the same
            for all models, says how many rows have been learnt. Learning can go on with the row
            behind.
        """
        chunk = X, y, classes, sample_weight
        with self._guards():
            self._refuse_strangers()
            if self._loop is None:
                uncertain = self._learn_first(chunk)
            else:
                uncertain = self._learn(self.models, _begun(self.models, chunk))
            for model in self.models:
                model._warn_if_cut_short(stacklevel=2)
        for model, found in zip(self.models, uncertain, strict=True):
            model._warn_if_coarse(found, stacklevel=3)
        return self

    def _learn_first(self, chunk):
        """Learn with drafts of the models, which are fitted by their first chunk."""
        drafts, done = [model._draft() for model in self.models], False
        chunks = _begun(drafts, chunk)
        try:
            self._come_together(drafts)
            uncertain = self._learn(drafts, chunks)
            done = True
        except BaseException as error:
            done = self._loop is not None and self._loop.was_interrupted(error)
            raise
        finally:
            if done:
                to_its_end(lambda: self._take(drafts))
            else:
                self._loop, self._tenants = None, []
        return uncertain

    def _learn(self, learners, chunks):
        """Learn validated chunks, one for each model; returns how uncertain decisions are."""
        loop = self._loop
        (X, codes, _), cost, at = chunks[0]
        costs, first, n_rows = np.stack([cost for _, cost, _ in chunks]), at["first"], len(codes)
        given = Rows(
            codes,
            costs.max(axis=0),
            first + np.arange(n_rows),
            origin=STREAM,
            costs=costs,
            n_each=len(self._tenants[0].problems),
        )

        def count(n):
            for model, (_, _, at) in zip(learners, chunks, strict=True):
                model.n_samples_seen_, model.n_labels_used_ = first + n, at["n_labels"] + n

        def count_all():
            count(loop.n_learnt)
            for model, ((_, codes, weights), _, at) in zip(learners, chunks, strict=True):
                model.stopped_early_ = False
                model._note_counts(codes, weights, at)

        with loop.guard:
            loop.begin_pass(None)
        try:
            with loop.guard, thread_pool(learners[0].n_jobs, n_rows) as threads:
                loop.allow(NO_LIMIT)  # but that of each row
                if n_rows > BLOCK:
                    loop.check(X)
                progress = count if n_rows > BLOCK else None
                loop.learn(X, np.arange(n_rows), given, threads, 0, progress)
                return [model._look_at_rounding(first, n_rows) for model in learners]
        except KeyboardInterrupt as error:
            error.add_note(
                f"All models hold the first {loop.n_learnt} rows of the chunk; partial_fit of "
                "those behind goes on."
            )
            raise
        finally:
            to_its_end(count_all)

    def _come_together(self, models):
        """Put what the models have learnt into one store."""
        loop = _common_loop([(model._spec, model._engine) for model in models])
        self._loop, self._tenants = loop, list(loop.tenants)
        for model, tenant in zip(models, self._tenants, strict=True):
            model._engine = tenant

    def _take(self, drafts):
        """Let the models be what their drafts have become."""
        for model, draft in zip(self.models, drafts, strict=True):
            model._take(draft)

    def _refuse_strangers(self):
        """Refuse to go on with models that have gone their own way."""
        if not self.models:
            raise ValueError("There are no models left in this stream.")
        for i, tenant in enumerate(self._tenants):
            if self.models[i]._engine is not tenant or tenant.home is not None:
                raise ValueError(
                    f"models[{i}] has learnt on its own since, and is no longer where the others "
                    "are. Take it out of the stream with drop."
                )
        if len(self.groups(self.models)) > 1:
            raise ValueError(
                "The models cannot share a stream any more: drop those whose parameters have "
                f"changed. Got {self.models!r}."
            )

    @contextmanager
    def _guards(self):
        """Context in which no other thread changes one of the models."""
        with ExitStack() as stack:
            for model in sorted(self.models, key=id):  # two streams wait for each other in order
                stack.enter_context(model._guard)
            yield

    # ---------------------------------------------------------------------------- leaving

    def drop(self, models):
        """Let models leave the stream; the others go on.

        Each is an ordinary LASVC on its own again, and can go on learning as if it had never
        been in company. Vectors that none of the others keeps, and their kernel rows, are given
        up.

        Parameters
        ----------
        models : list of LASVC
            Models of this stream.

        Raises
        ------
        ValueError
            If one is not in the stream; none has left then.
        """
        leaving = {id(model) for model in models}
        unknown = leaving - {id(model) for model in self.models}
        if unknown:
            raise ValueError("models must be in this stream.")
        with self._guards():
            for model in models:
                model._move_home()
        kept = [i for i, model in enumerate(self.models) if id(model) not in leaving]
        self._tenants = [self._tenants[i] for i in kept if self._tenants]
        self.models = [self.models[i] for i in kept]
        if not self.models:
            self._loop = None

    def release(self, model):
        """Let one model leave the stream, and return it.

        Parameters
        ----------
        model : LASVC
            One of ``models``.

        Returns
        -------
        model : LASVC
            The same object, on its own.
        """
        self.drop([model])
        return model

    # ---------------------------------------------------------------------------- looking

    def decision_functions(self, X):
        """``decision_function`` of each model, with kernel values that are computed once.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        scores : list of ndarray of shape (n_samples,) or (n_samples, n_classes)
            In the order of ``models``.
        """
        self._refuse_strangers()
        check_is_fitted(self.models[0])
        if self.models[0]._spec.kernel == "linear":
            return [model.decision_function(X) for model in self.models]
        model, loop = self.models[0], self._loop
        if not has_fast_path(model, X, model._dtype):
            X = check_rows(model, X, reset=False, dtype=model._dtype, accept_sparse="csr")
        with thread_pool(model.n_jobs, X.shape[0]) as threads:
            with loop.guard.reading():
                self._refuse_strangers()
                loop.prepare_each(
                    self._tenants,
                    [model._settles() for model in self.models],
                    [model._most_steps() for model in self.models],
                    threads,
                )
                solution = loop.present()
            scores = np.empty((X.shape[0], len(loop.problems)))
            solution.decide(X, scores, threads)
        refuse_not_finite(scores, "made of kernel values beyond the range of single precision")
        parts = np.split(scores, len(self.models), axis=1)
        return [part[:, 0] if part.shape[1] == 1 else part for part in parts]

    @property
    def n_kernel_evaluations_(self):
        """Kernel values computed for learning since the models have come together."""
        return 0 if self._loop is None else self._loop.n_kernel_evaluations


def _sharing_key(model):
    """Return what models that share a stream have in common; None: this one shares with none."""
    if not isinstance(model, LASVC):
        return None
    if "_engine" not in model.__dict__:
        model._validate_params()
    limited = model.max_support_vectors is not None or model.max_age is not None
    if callable(model.kernel) or model._is_precomputed() or chooses(model) or limited:
        return None
    if model.kernel == "linear" and model._solver().has_bias:
        return None
    if "_engine" not in model.__dict__:
        return type(model), model.kernel, model.degree, model.gamma, model.coef0
    spec = model._spec
    vectors = tuple(getattr(spec, field.name) for field in fields(VectorSpec))
    return type(model), *vectors, model.n_samples_seen_, tuple(model.classes_.tolist())


def _begun(models, chunk):
    """Begin a chunk with each model: all of them, or none if one refuses it."""
    checked = []
    for model in models:
        checked.append(model._checked_chunk(*chunk))
    for model, (_, *new) in zip(models, checked, strict=True):
        model._begin_checked(*new)
    return [begun for begun, *_ in checked]


def _common_loop(learnt):
    """Return a loop over the problems of several engines, given with their specs.

    Its store has the vectors that any of them keeps.
    """
    states, rows, vectors, labels = [], [], [], []
    for _, engine in learnt:
        row_of_slot = np.full(engine.store.n_slots, -1)
        for problem in engine.problems:
            slots = problem.slots()
            row_of_slot[problem.members["index"][slots]] = problem.members["row_id"][slots]
        slots = np.flatnonzero(row_of_slot >= 0)
        states.append(engine.state())
        rows.append(row_of_slot[slots])
        vectors.append(engine.store.vectors(slots))
        labels.append(states[-1]["slot_labels"][slots])
    rows, labels = np.concatenate(rows), np.concatenate(labels)
    stacked = np.concatenate if isinstance(vectors[0], np.ndarray) else _stacked
    vectors = stacked(vectors)
    known, first, place = np.unique(rows, return_index=True, return_inverse=True)
    if len(rows) and abs(vectors - vectors[first][place]).max() > 0:
        raise ValueError(
            "models that share a stream must have learnt the same rows, and these keep different "
            "vectors for the same row."
        )
    for part in (part for state in states for part in state["problems"]):
        alive = part["alive"] != 0
        index = np.searchsorted(known, part["row_id"])
        part["index"] = np.where(alive, index, -1).astype(np.int32)
    specs = [spec for spec, _ in learnt]
    store = filled(specs[0].store(), vectors[first])
    return CommonLoop(
        store,
        [spec.problems(store, alone=False) for spec in specs],
        states,
        labels[first],
        [spec.row_bytes for spec in specs],
    )


def _stacked(matrices):
    return sparse.vstack(matrices, format="csr")
