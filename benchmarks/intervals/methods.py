"""Methods of `intervals`: functions of training samples, test samples and a seed.

Those of regression return the ends of intervals, those of classes return sets.
"""

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import LeaveOneOut, train_test_split

from sklearn_online_svm import LASVC, LASVR
from sklearn_online_svm.kernel._analysis._intervals import fitted_scale, knots_of
from sklearn_online_svm.kernel._analysis._kept_values import ConformalQuantiles

COVERAGE = 0.9
C, EPSILON = 10.0, 0.1


def _machine(**params):
    return LASVR(**{"C": C, "epsilon": EPSILON, **params})


def ours(X, y, X_test, seed, **params):
    return _machine(intervals=True, **params).fit(X, y).predict_interval(X_test, COVERAGE)


def _around(middle, half):
    return np.column_stack([middle - half, middle + half])


def one_width(X, y, X_test, seed):
    """A quantile of the residuals without each sample, the jackknife."""
    model = _machine().fit(X, y)
    sizes = np.abs(y - model.leave_one_out_predict(X, y))
    half = ConformalQuantiles(sizes, np.ones(len(sizes))).at(COVERAGE)
    return _around(model.predict(X_test), half)


def split(X, y, X_test, seed):
    """Residuals of the other half of the samples, divided by the scale of `predict_interval`."""
    X, X_held, y, y_held = train_test_split(X, y, test_size=0.5, random_state=seed)
    model = _machine().fit(X, y)
    held, middle = model.predict(X_held), model.predict(X_test)
    sizes, weights = np.abs(y_held - held), np.ones(len(held))
    values = rbf_kernel(X_held, X_held, model.gamma_)
    given = values, held, sizes, weights, np.arange(len(held)), knots_of(held, held)
    scale, without = fitted_scale(*given)
    sums = rbf_kernel(X_test, X_held, model.gamma_) @ scale.coef + scale.constant
    half = ConformalQuantiles(sizes / without, weights).at(COVERAGE)
    return _around(middle, half * scale(sums, middle))


def _cross(X, y, X_test, cv):
    from mapie.regression import CrossConformalRegressor

    mapie = CrossConformalRegressor(_machine(), confidence_level=COVERAGE, method="plus", cv=cv)
    return mapie.fit_conformalize(X, y).predict_interval(X_test)[1][:, :, 0]


def jackknife_plus(X, y, X_test, seed):
    return _cross(X, y, X_test, LeaveOneOut())


def cv_plus(X, y, X_test, seed):
    return _cross(X, y, X_test, 5)


def crepes(X, y, X_test, seed):
    """Residuals of the other half, divided by the mean of those of 25 neighbours."""
    from crepes import WrapRegressor
    from crepes.extras import DifficultyEstimator

    X, X_held, y, y_held = train_test_split(X, y, test_size=0.5, random_state=seed)
    model = WrapRegressor(_machine())
    model.fit(X, y)
    sizes = np.abs(y - model.predict(X))
    difficulty = DifficultyEstimator().fit(X=X, residuals=sizes, scaler=True)
    model.calibrate(X_held, y_held, de=difficulty)
    return model.predict_int(X_test, confidence=COVERAGE)


OURS = {"ours": ours, "one width": one_width, "split": split}
PEERS = {"jackknife+": jackknife_plus, "CV+": cv_plus, "crepes": crepes}


def our_sets(X, y, X_test, seed):
    return LASVC(C=C, probability=True).fit(X, y).predict_set(X_test, COVERAGE)


def mapie_sets(X, y, X_test, seed):
    """Scores of five folds of a model with probabilities."""
    from mapie.classification import CrossConformalClassifier

    mapie = CrossConformalClassifier(
        LASVC(C=C, probability=True), confidence_level=COVERAGE, cv=5, random_state=seed
    )
    return mapie.fit_conformalize(X, y).predict_set(X_test)[1][:, :, 0]


def crepes_sets(X, y, X_test, seed):
    """Scores of a third of the samples."""
    from crepes import WrapClassifier

    X, X_held, y, y_held = train_test_split(X, y, test_size=1 / 3, random_state=seed, stratify=y)
    model = WrapClassifier(LASVC(C=C, probability=True))
    model.fit(X, y)
    model.calibrate(X_held, y_held, seed=seed)
    return model.predict_set(X_test, labels=False, confidence=COVERAGE).astype(bool)


SETS = {"ours": our_sets, "MAPIE": mapie_sets, "crepes": crepes_sets}
