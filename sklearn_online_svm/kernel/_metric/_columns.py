"""Columns of a table as features: scores of the ranks of numbers, and one-hot categories."""

import numpy as np
from scipy.special import ndtri
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import check_array

from ..._sklearn_compat import _safe_indexing
from ..._validation import refuse_dates

# Categories of a column beyond which infrequent ones are grouped.
_MAX_CATEGORIES = 256
# Largest number of values that the scores of a column are interpolated between.
_MAX_KNOTS = 1000
# Factors of one-hot columns: two categories then differ about as much as the scores of two samples
# do on average, |a - b| = 2 / sqrt(pi) and (a - b)^2 = 2.
_ONE_HOT = {"laplacian": 0.5, "rbf": 1.0}
_CATEGORICAL_ADVICE = """If they have categories, pass all categorical columns as \
categorical_features; the default, 'from_dtype', finds them in data frames only."""


class Columns:
    """Encoding of a table: its numeric columns, then its categories.

    ``inputs`` has the column of the table that each feature is from.
    """

    def __init__(self, X, estimator, categorical):
        self.categorical = categorical
        self.numeric = np.setdiff1d(np.arange(estimator.n_features_in_), categorical)
        self.inputs, self.one_hot = self.numeric, None
        if len(categorical):
            self.one_hot = OneHotEncoder(
                max_categories=_MAX_CATEGORIES,
                handle_unknown="infrequent_if_exist",
                sparse_output=False,
                dtype=np.float32,
            ).set_output(transform="default")
            advice = "Convert their values to one type, for example to str."
            fit = self.one_hot.fit
            _naming(lambda j: fit(_categories(X, j)), categorical, estimator, advice)
            n_categories = [min(len(c), _MAX_CATEGORIES) for c in self.one_hot.categories_]
            self.inputs = np.concatenate([self.numeric, np.repeat(categorical, n_categories)])
        self._factor = np.float32(_ONE_HOT[estimator.kernel])

    def features(self, X, estimator):
        """Return the numeric columns, and the one-hot columns, of samples."""
        if self.one_hot is None:
            return self._numbers(X, estimator)
        parts = [self._factor * self.one_hot.transform(_categories(X, self.categorical))]
        if len(self.numeric):
            parts.insert(0, self._numbers(X, estimator))
        return np.hstack(parts, dtype=parts[0].dtype)

    def _numbers(self, X, estimator):
        def numbers(columns):
            whole = len(columns) == estimator.n_features_in_
            part, types = (
                X if whole else _safe_indexing(X, columns, axis=1),
                [np.float64, np.float32],
            )
            refuse_dates(part)
            return check_array(part, dtype=types, estimator=estimator, input_name="X")

        return _naming(numbers, self.numeric, estimator, _CATEGORICAL_ADVICE)

    def fit_scores(self, F, weights, ranks):
        """Compute the scores of numeric columns, and return those of the features F."""
        score = rank_scores if ranks else standard_scores
        self.knots = [score(column, weights) for column in F[:, : len(self.numeric)].T]
        return self.scores(F)

    def scores(self, F):
        """Return the scores of features, which begin at 0.

        The engine computes Laplacian kernels of nonnegative samples faster.
        """
        Z = F.copy()
        for j, (values, scores) in enumerate(self.knots):
            Z[:, j] = np.interp(F[:, j], values, scores)
        return Z

    def names(self, input_names):
        """Return the names of the features."""
        names = input_names[self.numeric]
        if self.one_hot is not None:
            of_categories = self.one_hot.get_feature_names_out(input_names[self.categorical])
            names = np.concatenate([names, of_categories])
        return names


def rank_scores(column, weights):
    """Return the values of a column, ascending, and their scores, of variance 1.

    The score of a value is the normal quantile of its rank: the share of samples below it plus
    half of those equal to it. The scores of other values are interpolated, and those beyond the
    ends are those of the ends.
    """
    values, places = np.unique(column, return_inverse=True)
    totals = np.bincount(places, weights)
    ranks = (np.cumsum(totals) - 0.5 * totals) / totals.sum()
    scores = ndtri(ranks)
    scores = (scores - scores[0]) / (_deviation(scores, totals) or 1.0)
    if len(values) > _MAX_KNOTS:
        kept = np.unique(np.searchsorted(ranks, np.linspace(ranks[0], ranks[-1], _MAX_KNOTS)))
        values, scores = values[kept], scores[kept]
    return values, scores


def standard_scores(column, weights):
    """Return the least and the greatest value of a column, and their scores, of variance 1."""
    ends = np.unique([column.min(), column.max()])
    return ends, (ends - ends[0]) / (_deviation(column, weights) or 1.0)


def _deviation(values, weights):
    mean = np.average(values, weights=weights)
    return np.sqrt(np.average((values - mean) ** 2, weights=weights))


def _naming(function, columns, estimator, advice):
    """Return ``function(columns)``; an error of it names the columns that cause it."""
    try:
        return function(columns)
    except (TypeError, ValueError) as error:
        names = getattr(estimator, "feature_names_in_", np.arange(estimator.n_features_in_))
        wrong = []
        for j in columns:
            try:
                function([j])
            except (TypeError, ValueError):
                wrong.append(names.tolist()[j])
        if not wrong or "dates or times" in str(error):
            raise
        advice = f". {advice}" if "string" in str(error) else ""
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"Columns {wrong[:9]} of X: {error}{advice}") from None


def _categories(X, columns):
    """Return columns as an array of objects, in which None is a missing value."""
    found = _safe_indexing(X, columns, axis=1)
    if hasattr(found, "isna"):  # of pandas, whose NA is equal to nothing
        return found.to_numpy(dtype=object, na_value=None)
    found = np.array(found, dtype=object)
    found[found != found] = None
    return found
