"""Tasks about pairs of records (section 3.4 of the thesis): what runs inside a fresh process.

They take a `PoolJob`. The records are those of ``examples/few_labels/_author_records.py``.
"""

from operator import attrgetter

import numpy as np
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score, f1_score
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, ActiveLASVC
from sklearn_online_svm.active import EntityResolver

from ..bench.measure import timed

# As in Tables 3.4 and 3.5: three names for training, the others for testing.
TRAINING = ("D. Johnson", "J. Anderson", "M. Jones")
SCALE, QUICK_SCALE = 0.4, 0.1
PARAMETERS = dict(C=10, gamma=0.1)
# Labels of LASVC, and seeds of the selection.
N_LABELS, QUICK_N_LABELS = 2000, 200
N_SELECTIONS = 3


def dbscan(eps):
    return DBSCAN(eps=eps, min_samples=2, metric="precomputed")


def hdbscan(_):
    """It has no threshold: cluster_selection_epsilon fails with NumPy 2.4."""
    return HDBSCAN(min_cluster_size=2, metric="precomputed", copy=True)


def average_linkage(threshold):
    options = dict(distance_threshold=threshold, linkage="average", metric="precomputed")
    return AgglomerativeClustering(n_clusters=None, **options)


THRESHOLDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
CLUSTERERS = {dbscan: THRESHOLDS, average_linkage: THRESHOLDS, hdbscan: [None]}


class Records:
    """The records of one name, their authors, and their pairs."""

    def __init__(self, block, functions, records, truth):
        self.block, self.records, self.truth = block, records, truth
        self.resolver = EntityResolver(functions, blocking=attrgetter("listed_under"))
        self.pairs = self.resolver.candidate_pairs(records)
        self.X = self.resolver.pair_similarities(records, self.pairs)
        self.y = self.same(truth)

    def same(self, labels):
        return (labels[self.pairs[:, 0]] == labels[self.pairs[:, 1]]).astype(int)

    def error(self, model):
        predicted, seconds = timed(lambda: model.predict(self.X), max_repeats=1)
        return float(np.mean(predicted != self.y)), seconds[0]

    def clusters(self, classifier, clusterer):
        """Scores of the clusters by the distance that a fitted classifier defines."""
        self.resolver.set_params(clusterer=clusterer).estimator_ = classifier
        found = self.resolver.predict(self.records)
        return {
            "f1": f1_score(self.y, self.same(found)),
            "rand": adjusted_rand_score(self.truth, found),
            "n_found": int(found.max()) + 1,
        }


def made(job):
    """The records of all names, for training and for testing."""
    from examples.few_labels import _author_records as generator

    scale = QUICK_SCALE if job.quick else SCALE
    blocks = {name: generator.make_block(name, scale, job.seed) for name in generator.BLOCKS}
    functions = generator.similarities([r for records, _ in blocks.values() for r in records])
    every = [Records(name, functions, *block) for name, block in blocks.items()]
    train = [records for records in every if records.block in TRAINING]
    return train, [records for records in every if records.block not in TRAINING]


def together(parts):
    return np.vstack([part.X for part in parts]), np.concatenate([part.y for part in parts])


def compare_pairs(job):
    """SVC on all labels of the training pairs, LASVC on some of them, chosen or at random."""
    train, test = made(job)
    X, y = together(train)
    n_labels = QUICK_N_LABELS if job.quick else N_LABELS
    models = [("svc", 0, len(y), SVC(**PARAMETERS).fit(X, y))]
    for seed in range(N_SELECTIONS):
        model = ActiveLASVC(**PARAMETERS, max_labels=n_labels, random_state=seed).fit(X, y)
        models.append(("active", seed, int(model.n_labels_used_), model))
        some = np.random.default_rng(seed).choice(len(y), n_labels, replace=False)
        model = LASVC(**PARAMETERS, random_state=seed).fit(X[some], y[some])
        models.append(("random", seed, n_labels, model))
    found = []
    for name, seed, n, model in models:
        errors, seconds = zip(*(part.error(model) for part in test))
        found.append({
            "model": name,
            "selection": seed,
            "n_labels": n,
            "error": float(np.mean(errors)),
            "n_vectors": len(model.support_),
            "predict_seconds": sum(seconds),
        })  # fmt: skip
    return {"n_train": len(y), "n_test": sum(len(part.y) for part in test), "models": found}


def compare_clusterers(job):
    """Clusters by the distance of one classifier; thresholds are chosen on the training names."""
    train, test = made(job)
    n_labels = QUICK_N_LABELS if job.quick else N_LABELS

    def fitted(parts):
        model = ActiveLASVC(**PARAMETERS, max_labels=n_labels, random_state=job.seed)
        return model.fit(*together(parts))

    folds = [(fitted([p for p in train if p is not part]), part) for part in train]
    model = fitted(train)
    predicted = [f1_score(part.y, model.predict(part.X)) for part in test]
    found = [{"clusterer": "pairs", "f1": float(np.mean(predicted))}]
    for clusterer, thresholds in CLUSTERERS.items():
        by_threshold = {
            threshold: np.mean([part.clusters(m, clusterer(threshold))["f1"] for m, part in folds])
            for threshold in thresholds
        }
        best = max(by_threshold, key=by_threshold.get)
        scores = [part.clusters(model, clusterer(best)) for part in test]
        means = {key: float(np.mean([s[key] for s in scores])) for key in ("f1", "rand")}
        n_found = sum(s["n_found"] for s in scores)
        found.append(
            {"clusterer": clusterer.__name__, "threshold": best, "n_found": n_found, **means}
        )
    return {"n_authors": sum(len(set(part.truth)) for part in test), "clusterers": found}


# Labels after which a curve has a point.
CURVE, QUICK_CURVE = [100, 200, 500, 1000, 2000, 4000, 8000], [100, 200]


def curves_of_pairs(job):
    """Error against labels, chosen or at random, and the error of SVC on all labels: of each
    training name after the two others (Figure 3.14), of each test name after all three (3.15).
    """
    train, test = made(job)
    rounds = [([p for p in train if p is not part], [part]) for part in train]
    curves = []
    for known, tested in [*rounds, (train, test)]:
        X, y = together(known)
        order = np.random.default_rng(job.seed).permutation(len(y))
        models = {("svc", len(y)): SVC(**PARAMETERS).fit(X, y)}
        for n in QUICK_CURVE if job.quick else CURVE:
            some = order[:n]
            active = ActiveLASVC(**PARAMETERS, max_labels=n, random_state=job.seed)
            models["active", n] = active.fit(X, y)
            models["random", n] = LASVC(**PARAMETERS).fit(X[some], y[some])
        for part in tested:
            points = [
                {
                    "model": m,
                    "n_labels": n,
                    "n_vectors": len(f.support_),
                    "error": part.error(f)[0],
                }
                for (m, n), f in models.items()
            ]
            curves.append({"name": part.block, "points": points})
    return {"curves": curves}


TASKS = {task.__name__: task for task in (compare_pairs, compare_clusterers, curves_of_pairs)}
