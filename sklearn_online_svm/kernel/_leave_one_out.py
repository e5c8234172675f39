"""Leave-one-out: what a support vector machine says of each row when it has learnt the others.

Rows that are no support vectors may leave, and nothing changes. What becomes of the others is
estimated from the solution (``_span.py``), bounded, or found out by solving without them.
Estimates and bounds are *shifts*: how far the decision value of a row falls, in a binary problem,
when it is left out.
"""

import copy

import numpy as np
from sklearn import config_context
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._base import check_rows, check_weights, encode_labels
from .._feature_space import Kernel
from ._span import (
    BLOCK,
    Between,
    BinarySolution,
    proven_shifts,
    span_shifts,
    xi_alpha_shifts,
)

METHODS = ("exact", "span", "xi-alpha")

# Of rows so long, reading a kernel value costs less than computing it.
MANY_FEATURES = 64


def _offers_leave_one_out(model):
    limited = model.max_support_vectors is not None or model.window_size is not None
    _refuse_other_problems(model.algorithm, limited)
    return True


def _refuse_other_problems(algorithm, limited):
    """Raise AttributeError unless solutions are those of a convex problem over rows."""
    if algorithm in ("lasvm-nc", "lasvm-i"):
        raise AttributeError(
            f"The leave-one-out error does not follow from a solution of algorithm={algorithm!r}: "
            "which rows are outliers depends on all others. Use cross-validation."
        )
    if limited:
        raise AttributeError(
            "The leave-one-out error does not follow from a solution with max_support_vectors or "
            "window_size: its support vectors stand for samples that have been removed. Use "
            "progressive_validation."
        )


class LeaveOneOut:
    """Adds the leave-one-out error to LASVC."""

    @property
    def leave_one_out_estimate_(self):
        """Leave-one-out error, estimated from the solution."""
        with self._reading() as (view, engine):
            solver = view._spec.solver
            limited = solver.most_members is not None or solver.window_size is not None
            _refuse_other_problems(solver.algorithm, limited)
            if view._is_precomputed():
                raise AttributeError(
                    "leave_one_out_estimate_ needs kernel values between support vectors, which "
                    "are not kept with kernel='precomputed'. Use "
                    "leave_one_out(X, y, method='span').mean() with the matrix given to fit."
                )
            solution, n_slots = engine.present(), engine.store.n_slots
            vectors = engine.store.vectors(np.arange(n_slots))
            problems = [
                BinarySolution.of(problem, solver.has_bias, "index", n_slots)
                for problem in engine.problems
            ]
        between = Between(Kernel.of(view, "leave_one_out_estimate_"), vectors)
        kept = solution.support
        scores = np.empty((len(kept), len(problems)))
        solution.decide(vectors[kept], scores)
        for c, problem in enumerate(problems):
            scores[:, c] -= span_shifts(problem, between)[kept]
        n_wrong = np.count_nonzero(predicted(scores) != solution.labels)
        return n_wrong / view.n_labels_used_ if view.n_labels_used_ else np.nan

    @available_if(_offers_leave_one_out)
    def leave_one_out(self, X, y, sample_weight=None, *, method="exact"):
        r"""Tell which rows would be misclassified, had they not been learnt.

        The mean is the leave-one-out error: that of n models, each learnt from all rows but one
        and tested on this one. It is about the optimum over the rows (``max_iter=-1``), to which a
        copy of this model is brought first; the model stays as it is. ``gamma_``, and the weights
        of the classes (``class_weight_``), stay the same when a row leaves.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            All rows learnt, in the same order; the kernel matrix of shape (n_samples, n_samples)
            if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights, if there were any. A row of weight 0 is not learnt by any model.
        method : {"exact", "span", "xi-alpha"}, default="exact"
            How it is found out.

            - ``"exact"``: the problem is solved again without the row, from the present solution,
              to ``tol``. Needless for rows that are no support vectors or misclassified anyway,
              and for those that are proven to stay on their side (see Notes).
            - ``"span"``: an estimate, without solving anything. Exact for a row without which the
              same vectors are free, at their bound, and without weight.
            - ``"xi-alpha"``: an upper bound, often a loose one. Without a bias it always holds;
              with a bias, as long as some vector stays free without the row.

        Returns
        -------
        wrong : ndarray of shape (n_samples,), dtype=bool
            Whether the model that has learnt the other rows misclassifies the row. With
            ``"xi-alpha"``: whether it may.

        Raises
        ------
        NotFittedError
            If nothing has been learnt yet.
        ValueError
            If the input is invalid, X and y are not the rows learnt, a class has no row, a
            parameter was changed that cannot change, or ``method`` is unknown.

        Notes
        -----
        With :math:`f_i` for the model that has not learnt row i, in a problem with labels
        :math:`\pm 1`:

        - A row with :math:`\alpha_i = 0` changes nothing. (Where no vector is free it may still
          limit the bias; it is then left out like the others.)
        - :math:`y_i f_i(x_i) \le y_i f(x_i)` for a row within its margin: it loses the one term
          that speaks for it. So rows that are misclassified remain so.
        - The span :math:`S_i` is the distance, in kernel space, of :math:`x_i` from the
          combinations :math:`\sum_j \lambda_j x_j` of the other free vectors (with a bias:
          :math:`\sum_j \lambda_j = 1`). If they take the place of the row, and all others stay at
          their bounds, :math:`f_i(x_i) = f(x_i) - \alpha_i S_i^2` [1]_ [2]_. Where no other vector
          is free, the one that is next to move takes the place.
        - The dual objective is a concave function of :math:`\alpha_i`. So
          :math:`y_i f_i(x_i) \ge y_i f(x_i) - 2 |\alpha_i| S_i^2` is proven where the free vectors
          can take the place twice, :math:`\alpha_j + 2 \alpha_i \lambda_j` within their boxes; and
          without a bias :math:`y_i f_i(x_i) \ge y_i f(x_i) - |\alpha_i| K(x_i, x_i)` [3]_.
        - With a bias, :math:`y_i f_i(x_i) \ge y_i f(x_i) - |\alpha_i| D_i^2`, with :math:`D_i` the
          distance of the farthest row in kernel space, as long as some vector is free. This is
          :math:`1 - \xi_i - 2 |\alpha_i| R^2` [4]_ with an :math:`R^2` for each row.

        With several classes this holds for each decision function; the largest decides. Where,
        with a bias, no vector is free without the row (classes of the same size and a tiny C), any
        bias of an interval is as good, and which one solving again comes to may decide. For a
        function that is no kernel (sigmoid) nothing is proven.

        ``"exact"`` may take a fit, warm-started, for each support vector. ``"span"`` inverts, for
        each class, a matrix over the free support vectors: 8 bytes for each pair of them, a few
        times.

        References
        ----------
        .. [1] Vapnik, Chapelle: Bounds on error expectation for support vector machines. Neural
           Computation 12, 2000.
        .. [2] Chapelle, Vapnik, Bousquet, Mukherjee: Choosing multiple parameters for support
           vector machines. Machine Learning 46, 2002.
        .. [3] Jaakkola, Haussler: Probabilistic kernel regression models. AISTATS, 1999.
        .. [4] Joachims: Estimating the generalization performance of an SVM efficiently. ICML,
           2000.

        Examples
        --------
        >>> from sklearn_online_svm import LASVC
        >>> from sklearn_online_svm.datasets import make_banana_like
        >>> X, y = make_banana_like(200, random_state=0)
        >>> model = LASVC(C=10, random_state=0).fit(X, y)
        >>> wrong = model.leave_one_out(X, y)
        >>> bool(wrong.mean() > 1 - model.score(X, y))
        True
        >>> bool(abs(model.leave_one_out_estimate_ - wrong.mean()) < 0.02)
        True
        """
        check_is_fitted(self)
        if method not in METHODS:
            raise ValueError(f"method must be one of {METHODS}, got {method!r}.")
        try:
            optimum = Optimum(self, X, y, sample_weight)
            if method == "exact":
                return optimum.found_out()
            return optimum.wrong(span_shifts if method == "span" else xi_alpha_shifts)
        except KeyboardInterrupt:
            # Those who solve would advise `resume`; this model has not been touched.
            raise KeyboardInterrupt from None


class Optimum:
    """The optimum over all rows of a model, and what becomes of each without it."""

    def __init__(self, model, X, y, sample_weight):
        model = copy.deepcopy(model)
        layout = False if model._is_precomputed() else "csr"
        model._new_parameters()  # refuses those that the solution is not for
        self.X, self.y = check_rows(model, X, y, reset=False, accept_sparse=layout)
        self.codes = encode_labels(self.y, model.classes_)
        weights = check_weights(sample_weight, self.X, allow_all_zero=False)
        n_rows = model.n_samples_seen_
        if len(self.y) != n_rows or not model._are_rows_of(
            model._engine.present(), self.X, self.codes
        ):
            raise ValueError(
                "leave_one_out needs the rows that have been learnt, all of them in their order, "
                f"with their labels: the {n_rows} rows of n_samples_seen_. X or y are not those."
            )
        if not np.bincount(self.codes, minlength=len(model.classes_)).all():
            raise ValueError("leave_one_out needs rows of every class: one of classes_ has none.")
        self.weights = weights * model.class_weight_[self.codes]
        model.set_params(
            max_iter=-1,
            warm_start=True,
            class_weight=None,
            selection="random",
            stopping=None,
            max_labels=None,
            verbose=0,
            random_state=0,
        )
        if isinstance(model.gamma, str):
            model.set_params(gamma=model.gamma_)
        self.model = model.fit(self.X, self.y, self.weights)
        self.scores = decisions(self.model, self.X)
        has_bias = model._spec.solver.has_bias
        self.problems = [
            BinarySolution.of(problem, has_bias, "row_id", n_rows)
            for problem in model._engine.problems
        ]
        kernel = None if model._is_precomputed() else Kernel.of(model, "leave_one_out")
        self.between = Between(kernel, self.X)

    def wrong(self, shifts):
        """Whether each row is misclassified once its decision values have moved."""
        moved = self.scores.copy()
        for c, problem in enumerate(self.problems):
            moved[:, c] -= shifts(problem, self.between)
        return predicted(moved) != self.codes

    def found_out(self):
        """Whether each row is misclassified by a model that has not learnt it."""
        wrong = predicted(self.scores) != self.codes
        doubtful = np.flatnonzero((self.wrong(proven_shifts) | self._limit_a_bias()) & ~wrong)
        weighted = np.bincount(self.codes[self.weights > 0])
        # What is given to `fit` again and again has been checked.
        with config_context(assume_finite=True, skip_parameter_validation=True):
            model, X = self._on_a_matrix() if len(doubtful) else (self.model, self.X)
            for i in doubtful:
                # Nothing is known of a class without its only row.
                if weighted[self.codes[i]] == 1:
                    wrong[i] = True
                    continue
                weights = self.weights.copy()
                weights[i] = 0.0
                without = model._draft().fit(X, self.y, weights)
                wrong[i] = predicted(decisions(without, X[i : i + 1]))[0] != self.codes[i]
        return wrong

    def _on_a_matrix(self):
        """Return the model and its rows, as a kernel matrix where that pays.

        Values are then computed once for all rows that are left out.
        """
        model, n = self.model, len(self.codes)
        is_cheap = model._is_precomputed() or (
            not callable(model.kernel) and self.X.shape[1] < MANY_FEATURES
        )
        if is_cheap or 4 * n**2 > model.cache_size * 2**20:
            return model, self.X
        matrix = np.empty((n, n), dtype=np.float32)
        everyone = np.arange(n)
        for first in range(0, n, BLOCK):
            block = everyone[first : first + BLOCK]
            matrix[block] = self.between(block, everyone)
        model = model._draft().set_params(kernel="precomputed")
        return model.fit(matrix, self.y, self.weights), matrix

    def _limit_a_bias(self):
        """Whether each row may be one that limits the bias of a problem without free vectors."""
        limits = np.zeros(len(self.codes), dtype=bool)
        for c, problem in enumerate(self.problems):
            if problem.has_bias and not len(problem.free):
                y = np.where(self.codes == (c if len(self.problems) > 1 else 1), 1, -1)
                nearest = 1.0 + 0.5 * problem.leeway + problem.tol
                limits |= y * self.scores[:, c] <= nearest
        return limits


def decisions(model, X):
    """Decision values of shape (n_samples, n_problems)."""
    return model._decide(X).reshape(X.shape[0], -1)


def predicted(scores):
    """Class codes of decision values of shape (n_samples, n_problems)."""
    return scores.argmax(axis=1) if scores.shape[1] > 1 else (scores[:, 0] > 0).astype(np.intp)
