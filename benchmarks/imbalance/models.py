"""Methods for imbalanced classes, all with the parameters of the data set.

Each returns a fitted model, and fields that only this method has.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from sklearn.svm import SVC

from sklearn_online_svm import ActiveLASVC, VirtualLASVC
from sklearn_online_svm.kernel._virtual_points import VirtualPoints
from sklearn_online_svm.kernel._virtual_pool import VirtualSampleSelection

N_CANDIDATES = 59
# VIRTUAL runs a single epoch, too.
ONE_PASS = dict(max_iter=1)
# SMOTE doubles the minority, as VIRTUAL does where all its samples become support vectors.
OVERSAMPLING = 2


@dataclass(frozen=True)
class Setting:
    """The parameters of a set, and up to how many samples are used (None: all)."""

    C: float
    gamma: float
    seed: int
    max_labels: int | None = None
    # That of active's support vectors, for under-sampling.
    ratio: float | None = None

    @property
    def svm(self):
        return dict(C=self.C, gamma=self.gamma, cache_size=1000)

    @property
    def active(self):
        return self.svm | dict(max_labels=self.max_labels, random_state=self.seed)


def batch(setting, X, y):
    return SVC(**setting.svm).fit(X, y), {}


def one_pass(setting, X, y, **options):
    """Samples in random order."""
    options |= setting.active | ONE_PASS
    return ActiveLASVC(selection="random", **options).fit(X, y), {}


def costs(setting, X, y):
    """Class weights by the ratio of the classes."""
    return one_pass(setting, X, y, class_weight={1: np.sum(y < 0) / np.sum(y > 0), -1: 1.0})


def smote(setting, X, y):
    """As many synthetic positive samples as real ones."""
    from imblearn.over_sampling import SMOTE

    strategy = {1: OVERSAMPLING * int(np.sum(y > 0))}
    sampler = SMOTE(k_neighbors=5, random_state=setting.seed, sampling_strategy=strategy)
    X_more, y_more = sampler.fit_resample(X, y)
    model, _ = one_pass(setting, X_more, y_more)
    n_virtual = len(y_more) - len(y)
    share = int(np.sum(model.support_ >= len(y))) / n_virtual
    return model, {"n_virtual": n_virtual, "virtual_ratio": share}


def under_sampling(setting, X, y):
    """Negative samples removed at random, down to the ratio of active's support vectors."""
    from imblearn.under_sampling import RandomUnderSampler

    n_negative = min(int(np.sum(y < 0)), max(1, round(setting.ratio * np.sum(y > 0))))
    sampler = RandomUnderSampler(random_state=setting.seed, sampling_strategy={-1: n_negative})
    return one_pass(setting, *sampler.fit_resample(X, y))


def active(setting, X, y, stopping=None, pool_size=N_CANDIDATES):
    """Margin sampling from a small pool until `stopping` ends it."""
    options = dict(pool_size=pool_size, stopping=stopping) | ONE_PASS
    model = ActiveLASVC(**options, **setting.active).fit(X, y)
    return model, {"n_labels": int(model.n_labels_used_)}


def virtual(setting, X, y, stopping=None, make=VirtualLASVC):
    """A virtual sample for each support vector of the minority."""
    options = dict(pool_size=N_CANDIDATES, stopping=stopping, minority_class=1)
    model = make(**options, **setting.active).fit(X, y)
    n_labels = int(model.n_labels_used_)
    return model, {
        "n_labels": n_labels,
        "n_virtual": int(model.n_virtual_points_),
        # Those that have been processed; early stopping leaves the others in the pool.
        "n_virtual_used": int(model._machine.engine.n_processed) - n_labels,
        "virtual_ratio": float(model.virtual_ratio_),
    }


class _Nearby(VirtualPoints):
    def _shares(self, n, random):
        return 0.5 + 0.5 * super()._shares(n, random)


class _Ends(VirtualPoints):
    def _shares(self, n, random):
        return np.round(super()._shares(n, random))


class _NearbySelection(VirtualSampleSelection):
    points = _Nearby


class _EndsSelection(VirtualSampleSelection):
    points = _Ends


class VirtualNearby(VirtualLASVC):
    """With points in the half of the segment that is nearer to the support vector."""

    def _plan(self):
        return replace(super()._plan(), choice=_NearbySelection)


class VirtualEnds(VirtualLASVC):
    """With copies of the support vector or of its neighbour."""

    def _plan(self):
        return replace(super()._plan(), choice=_EndsSelection)


def twice(setting, X, y):
    """Active selection, with twice the C for the minority."""
    options = setting.active | ONE_PASS
    model = ActiveLASVC(pool_size=N_CANDIDATES, class_weight={1: 2}, **options).fit(X, y)
    return model, {"n_labels": int(model.n_labels_used_)}


RIVALS = {
    "batch": batch,
    "one_pass": one_pass,
    "under_sampling": under_sampling,
    "smote": smote,
    "costs": costs,
    "active": partial(active, stopping="n_support"),
    "virtual": partial(virtual, stopping="n_support"),
    "active_all": active,
    "active_full": partial(active, pool_size="all"),
    "virtual_all": virtual,
    "virtual_nearby": partial(virtual, make=VirtualNearby),
    "virtual_ends": partial(virtual, make=VirtualEnds),
    "twice": twice,
}
