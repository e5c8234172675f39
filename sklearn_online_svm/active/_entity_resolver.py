"""EntityResolver: cluster records of an entity by a learned distance of pairs."""

import numpy as np
from scipy.spatial.distance import squareform
from scipy.special import expit
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from .._docs import with_shared_docs
from .._estimator import store_parameters
from .._sklearn_compat import CallbackSupportMixin, HasMethods, available_if
from .._tasks import propagating, reporting
from ..kernel import LASVC


@with_shared_docs
class EntityResolver(CallbackSupportMixin, ClusterMixin, BaseEstimator):
    r"""Cluster records that refer to the same entity (entity resolution, deduplication).

    A classifier of pairs of records, whose features are similarities, predicts whether both
    records refer to the same entity. Its decision value f defines the distance of a pair,
    :math:`1 / (1 + e^f)`, and a clustering algorithm finds the entities from these distances
    [1]_. Read more in the :ref:`user guide <name_disambiguation>`.

    Records are a list of objects of any kind (dicts, tuples, dataclasses), an array, or a pandas
    DataFrame, whose rows are passed to the functions as dicts.

    Parameters
    ----------
    similarities : list of callable
        Symmetric functions of two records that return a finite number: the features of a pair. The
        default classifier requires features of similar scale, such as [0, 1].
    blocking : callable, default=None
        Function of a record that returns a hashable key. Only records with equal keys are
        compared. If None, all records are compared.
    estimator : classifier with ``decision_function``, default=None
        Classifier of pairs; its label 1 means the same entity. If None, ``LASVC()``.
    clusterer : clusterer with ``metric="precomputed"``, default=None
        Clustering algorithm for the distances within a block: ``DBSCAN``, ``HDBSCAN``, ``OPTICS``
        or ``AgglomerativeClustering`` of :mod:`sklearn.cluster`. Records that it labels as noise
        become entities of their own. If None, average linkage up to a mean distance of 0.5,
        ``AgglomerativeClustering(None, linkage="average", distance_threshold=0.5,
        metric="precomputed")``. [1]_ uses DBSCAN, which needs a far smaller threshold.

    Attributes
    ----------
    estimator_ : estimator
        The fitted classifier.

    See Also
    --------
    edit_similarity : Similarity of two strings by their edit distance.
    jaccard_similarity : Similarity of two sets, or of the words of two strings.
    SoftTFIDF : Similarity of two names by the TF-IDF of their words.
    MarginSampling : Select the pairs whose labels are the most useful.
    sklearn_online_svm.ActiveLASVC : Classifier that selects its training samples itself.

    Notes
    -----
    The number of pairs is quadratic in the size of a block. The similarities of each pair are
    computed in Python, and ``predict`` stores the distance matrix of one block.

    References
    ----------
    .. [1] J. Huang, S. Ertekin, C. L. Giles. Efficient Name Disambiguation for Large-Scale
       Databases. PKDD 2006.

    Examples
    --------
    >>> from difflib import SequenceMatcher
    >>> from sklearn_online_svm.active import EntityResolver
    >>> def name(a, b):
    ...     return SequenceMatcher(None, *sorted([a["name"], b["name"]])).ratio()
    >>> def city(a, b):
    ...     return float(a["city"] == b["city"])
    >>> records = [
    ...     {"name": "Jane Smith", "city": "Bonn"}, {"name": "J. Smith", "city": "Bonn"},
    ...     {"name": "Joan Smith", "city": "Oslo"}, {"name": "Jon Smith", "city": "Graz"},
    ...     {"name": "John Smith", "city": "Graz"},
    ... ]
    >>> resolver = EntityResolver([name, city], blocking=lambda record: record["name"][0])
    >>> resolver.fit(records, ["Jane", "Jane", "Joan", "John", "John"]).predict(records)
    array([0, 0, 1, 2, 2])
    """

    _parameter_constraints: dict = {
        "similarities": [list, tuple],
        "blocking": [callable, None],
        "estimator": [HasMethods(["fit", "decision_function"]), None],
        "clusterer": [HasMethods("fit_predict"), None],
    }

    def __init__(self, similarities, *, blocking=None, estimator=None, clusterer=None):
        store_parameters(locals())

    def fit(self, records, y, pairs=None):
        """Train the classifier on records of known entities, or on labeled pairs.

        Parameters
        ----------
        records : sequence or DataFrame of n_records records
            The records.
        y : array-like of shape (n_records,) or (n_pairs,)
            Entity of each record: the classifier is trained on all pairs within blocks. With
            ``pairs``: 1 for pairs of the same entity, otherwise 0.
        pairs : array-like of int of shape (n_pairs, 2), default=None
            Indices of the two records of each labeled pair.

        $fitted_self

        Raises
        ------
        ValueError
            If a parameter, a pair, a label, or the value of a similarity is invalid.
        """
        with reporting(self, "fit", records, y, n_tasks=1):
            X, y = self._training_data(records, y, pairs)
            estimator = self._new_estimator()
            with propagating(self, estimator, "fit-estimator"):
                self.estimator_ = estimator.fit(X, y)
        return self

    @available_if(lambda self: bool(self._new_estimator().partial_fit))
    def partial_fit(self, records, y, pairs=None):
        """Update the classifier; available if the classifier has ``partial_fit``.

        Parameters
        ----------
        records : sequence or DataFrame of n_records records
            The records, which may differ from those of earlier calls.
        y : array-like of shape (n_records,) or (n_pairs,)
            Entities of the records, or labels of the pairs, as in :meth:`fit`. Entities are
            compared only with those of the same call.
        pairs : array-like of int of shape (n_pairs, 2), default=None
            Indices of the two records of each labeled pair.

        $fitted_self

        Raises
        ------
        ValueError
            If a parameter, a pair, a label, or the value of a similarity is invalid. The model is
            then unchanged.
        """
        with reporting(self, "partial_fit", records, y, n_tasks=1):
            X, y = self._training_data(records, y, pairs)
            estimator = self.estimator_ if hasattr(self, "estimator_") else self._new_estimator()
            with propagating(self, estimator, "partial-fit-estimator"):
                self.estimator_ = estimator.partial_fit(X, y, classes=[0, 1])
        return self

    def candidate_pairs(self, records):
        """Return all pairs of records within blocks.

        Parameters
        ----------
        records : sequence or DataFrame of n_records records
            The records.

        Returns
        -------
        pairs : ndarray of shape (n_pairs, 2)
            Indices of the two records of each pair, block by block.

        Raises
        ------
        ValueError
            If a parameter is invalid.
        """
        pairs = [_all_pairs(block) for block in self._blocks(self._checked(records))]
        return np.concatenate([np.empty((0, 2), dtype=np.intp), *pairs])

    def pair_similarities(self, records, pairs=None):
        """Compute the similarities of pairs, which are the features of the classifier.

        Parameters
        ----------
        records : sequence or DataFrame of n_records records
            The records.
        pairs : array-like of int of shape (n_pairs, 2), default=None
            Indices of the two records of each pair. If None, those of :meth:`candidate_pairs`.

        Returns
        -------
        X : ndarray of shape (n_pairs, n_similarities)
            Similarities of each pair.

        Raises
        ------
        ValueError
            If a parameter, a pair, or the value of a similarity is invalid.
        """
        records = self._checked(records)
        pairs = np.asarray(self.candidate_pairs(records) if pairs is None else pairs)
        if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
            raise ValueError(
                "pairs must be an array of int of shape (n_pairs, 2); got an array of "
                f"{pairs.dtype} of shape {pairs.shape}."
            )
        if pairs.size and not 0 <= pairs.min() <= pairs.max() < len(records):
            raise ValueError(
                f"pairs must be indices between 0 and {len(records) - 1}; got {pairs.min()} to "
                f"{pairs.max()}."
            )
        X = np.empty((len(pairs), len(self.similarities)))
        for k, similarity in enumerate(self.similarities):
            X[:, k] = [similarity(records[i], records[j]) for i, j in pairs.tolist()]
            bad = np.flatnonzero(~np.isfinite(X[:, k]))
            if len(bad):
                raise ValueError(
                    f"similarities[{k}] must return a finite number; got {X[bad[0], k]} for "
                    f"records {pairs[bad[0], 0]} and {pairs[bad[0], 1]}."
                )
        return X

    def pair_distances(self, records, pairs=None):
        """Compute the distances of pairs.

        Parameters
        ----------
        records : sequence or DataFrame of n_records records
            The records.
        pairs : array-like of int of shape (n_pairs, 2), default=None
            Indices of the two records of each pair. If None, those of :meth:`candidate_pairs`.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)
            Distances between 0 and 1; below 0.5 where the classifier predicts the same entity.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        ValueError
            If a parameter, a pair, or the value of a similarity is invalid.
        """
        check_is_fitted(self)
        X = self.pair_similarities(records, pairs)
        return expit(-self.estimator_.decision_function(X)) if len(X) else np.empty(0)

    def predict(self, records):
        """Cluster records.

        Parameters
        ----------
        records : sequence or DataFrame of n_records records
            The records, which may differ from those of :meth:`fit`.

        Returns
        -------
        labels : ndarray of shape (n_records,)
            Index of the entity of each record, numbered by first occurrence. Records of different
            blocks have different labels.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        ValueError
            If a parameter or the value of a similarity is invalid.
        """
        check_is_fitted(self)
        records = self._checked(records)
        # Only here: it would take a fifth of the time to import this package.
        from sklearn.cluster import AgglomerativeClustering

        clusterer = self.clusterer or AgglomerativeClustering(
            None, linkage="average", distance_threshold=0.5, metric="precomputed"
        )
        if getattr(clusterer, "metric", None) != "precomputed":
            raise ValueError(f"clusterer must have metric='precomputed'; got {clusterer!r}.")
        labels, n_entities = np.empty(len(records), dtype=np.intp), 0
        for block in self._blocks(records):
            found = np.full(len(block), -1)
            if len(block) > 1:
                distances = squareform(self.pair_distances(records, _all_pairs(block)))
                found = clone(clusterer).fit_predict(distances)
            noise = found < 0
            found[noise] = found.max() + 1 + np.arange(noise.sum())
            labels[block] = n_entities + found
            n_entities += found.max() + 1
        _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
        return first.argsort().argsort()[inverse]

    def fit_predict(self, records, y, pairs=None):
        """Train the classifier, then cluster the same records.

        Parameters
        ----------
        records : sequence or DataFrame of n_records records
            The records.
        y : array-like of shape (n_records,) or (n_pairs,)
            Entities of the records, or labels of the pairs, as in :meth:`fit`.
        pairs : array-like of int of shape (n_pairs, 2), default=None
            Indices of the two records of each labeled pair.

        Returns
        -------
        labels : ndarray of shape (n_records,)
            Index of the entity of each record, as in :meth:`predict`.

        Raises
        ------
        ValueError
            If a parameter, a pair, a label, or the value of a similarity is invalid.
        """
        return self.fit(records, y, pairs).predict(records)

    def _new_estimator(self):
        return LASVC() if self.estimator is None else clone(self.estimator)

    def _checked(self, records):
        """Validate the parameters; return a sequence of records."""
        self._validate_params()
        if not self.similarities or not all(map(callable, self.similarities)):
            raise ValueError(
                f"similarities must be functions of two records; got {self.similarities!r}."
            )
        return records.to_dict("records") if hasattr(records, "iloc") else records

    def _blocks(self, records):
        """Return the indices of the records of each block."""
        blocks = {}
        for i, record in enumerate(records):
            blocks.setdefault(self.blocking and self.blocking(record), []).append(i)
        return [np.array(block) for block in blocks.values()]

    def _training_data(self, records, y, pairs):
        """Return the similarities and the labels of pairs."""
        records, y = self._checked(records), np.asarray(y)
        n_labels = len(records if pairs is None else pairs)
        if y.shape != (n_labels,):
            raise ValueError(f"y must have shape ({n_labels},); got {y.shape}.")
        if pairs is None:
            pairs = self.candidate_pairs(records)
            y = y[pairs[:, 0]] == y[pairs[:, 1]]
        elif not np.isin(y, [0, 1]).all():
            bad = y[~np.isin(y, [0, 1])][0]
            raise ValueError(f"y must be 1 (the same entity) or 0 for each pair; got {bad!r}.")
        return self.pair_similarities(records, pairs), y.astype(int)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.no_validation = True
        return tags


def _all_pairs(block):
    """Return all pairs of some indices, in the order of a condensed distance matrix."""
    return block[np.column_stack(np.triu_indices(len(block), k=1))]
