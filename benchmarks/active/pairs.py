"""Pairs of author records (section 3.4 of the thesis): what runs inside a fresh process.

The records are those of ``examples/few_labels/_author_records.py``.
"""

from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, ActiveLASVC
from sklearn_online_svm.active import EntityResolver

# As in Tables 3.4 and 3.5: three names for training, the others for testing.
TRAINING = ("D. Johnson", "J. Anderson", "M. Jones")
SCALE, QUICK_SCALE = 0.4, 0.1
PARAMETERS = dict(C=10, gamma=0.1)
ONE_PASS = dict(max_iter=1)
# Labels after which a curve has a point.
CURVE, QUICK_CURVE = [100, 200, 500, 1000, 2000, 4000, 8000], [100, 200]


@dataclass
class Pairs:
    """The pairs of the records of one name."""

    name: str
    X: np.ndarray
    y: np.ndarray


def made(job):
    """The pairs of all names, for training and for testing."""
    from examples.few_labels import _author_records as generator

    scale = QUICK_SCALE if job.quick else SCALE
    blocks = {name: generator.make_block(name, scale, job.seed) for name in generator.BLOCKS}
    functions = generator.similarities([r for records, _ in blocks.values() for r in records])
    every = []
    for name, (records, truth) in blocks.items():
        resolver = EntityResolver(functions, blocking=attrgetter("listed_under"))
        pairs = resolver.candidate_pairs(records)
        y = generator.same_author(truth, pairs)
        every.append(Pairs(name, resolver.pair_similarities(records, pairs), y))
    train = [part for part in every if part.name in TRAINING]
    return train, [part for part in every if part.name not in TRAINING]


def curves_of_pairs(job):
    """Error against labels, chosen or at random, and the error of SVC on all labels: of each
    training name after the two others (Figure 3.14), of each test name after all three (3.15).
    """
    train, test = made(job)
    rounds = [([p for p in train if p is not part], [part]) for part in train]
    curves = []
    for known, tested in [*rounds, (train, test)]:
        X = np.vstack([part.X for part in known])
        y = np.concatenate([part.y for part in known])
        order = np.random.default_rng(job.seed).permutation(len(y))
        models = {("svc", len(y)): SVC(**PARAMETERS).fit(X, y)}
        for n in QUICK_CURVE if job.quick else CURVE:
            some = order[:n]
            active = ActiveLASVC(**PARAMETERS, **ONE_PASS, max_labels=n, random_state=job.seed)
            models["active", n] = active.fit(X, y)
            model = LASVC(**PARAMETERS, **ONE_PASS, random_state=job.seed)
            models["random", n] = model.fit(X[some], y[some])
        for part in tested:
            points = []
            for (name, n), model in models.items():
                error = float(np.mean(model.predict(part.X) != part.y))
                found = dict(n_labels=n, n_vectors=len(model.support_), error=error)
                points.append({"model": name, **found})
            curves.append({"name": part.name, "points": points})
    return {"curves": curves}
