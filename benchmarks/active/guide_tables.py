"""Tables about pairs of author records, and about methods for imbalanced classes."""

import statistics

from ..bench.rst import count, list_table, percent, seconds
from ..bench.summary import stored_records
from .pairs_tasks import TRAINING

MODELS = {
    "svc": "``SVC``",
    "active": "``ActiveLASVC``",
    "random": "``LASVC``, random pairs",
}
CLUSTERERS = {
    "pairs": "none: predictions for pairs",
    "dbscan": "``DBSCAN(min_samples=2)``",
    "average_linkage": '``AgglomerativeClustering(linkage="average")``',
    "hdbscan": "``HDBSCAN(min_cluster_size=2)``",
}
METHODS = {
    "none": "none",
    "class_weight": '``class_weight="balanced"``',
    "threshold": "``TunedThresholdClassifierCV``",
    "stream": "stream, no weights",
    "stream_weight": 'stream, ``class_weight="online_balanced"``',
    "stream_threshold": "stream, threshold from the latest 2000 samples",
    "virtual_lasvc": "``VirtualLASVC``",
    "virtual": "``VirtualSampler``, classes of equal size",
    "virtual_one": "``VirtualSampler(n_virtual=1)``",
    "smote": "``SMOTE``",
    "svm_smote": "``SVMSMOTE``",
}


def mean(records, field):
    """The mean over all generated sets and selections."""
    values = records.values(field)
    return statistics.fmean(values) if values else None


def pairs_models(results):
    """Classifiers of pairs: labels, errors, sizes and times of prediction."""
    found = stored_records("pairs_models", results).ok()
    if not found:
        return None
    here = {title: found.where(model=name) for name, title in MODELS.items()}
    rows = [
        ["labels", *(count(mean(r, "n_labels")) for r in here.values())],
        ["test error, mean of the names", *(percent(mean(r, "error")) for r in here.values())],
        *(
            [
                f"data set {seed + 1}",
                *(percent(mean(r.where(seed=seed), "error")) for r in here.values()),
            ]
            for seed in sorted(found.distinct("seed"))
        ),
        ["support vectors", *(count(mean(r, "n_vectors")) for r in here.values())],
        [
            "prediction, all test pairs",
            *(seconds(r.median("predict_seconds")) for r in here.values()),
        ],
    ]
    title = (
        f"{count(mean(found, 'n_train'))} pairs of {len(TRAINING)} names for training, "
        f"{count(mean(found, 'n_test'))} of seven names for testing"
    )
    return list_table(["", *here], rows, title)


def pairs_clusters(results):
    """Clustering algorithms: thresholds, scores and numbers of clusters."""
    found = stored_records("pairs_clusters", results).ok()
    if not found:
        return None
    rows = []
    for name, title in CLUSTERERS.items():
        here = found.where(clusterer=name)
        thresholds = sorted(set(here.values("threshold")))
        scores = [mean(here, field) for field in ("f1", "rand")]
        rows.append([
            title,
            ", ".join(f"{value:g}" for value in thresholds) or "–",
            *("–" if score is None else f"{score:.2f}" for score in scores),
            count(mean(here, "n_found")),
        ])  # fmt: skip
    header = ["clustering", "threshold", "pairwise F1", "adjusted Rand index", "clusters"]
    return list_table(header, rows, f"{count(mean(found, 'n_authors'))} authors of seven names")


# The test names of Figure 3.15.
SHOWN = ("C. Chen", "J. Robinson", "M. Miller")


def pair_points(records, model, names):
    """Mean points of a model of `pairs_curves` over these names and all sets of records."""
    points = [
        point
        for record in records.records
        if record["name"] in names
        for point in record["points"]
        if point["model"] == model
    ]
    sizes = sorted({p["n_labels"] for p in points}) if model != "svc" else [None]
    return [
        {
            "n_labels": size,
            **{
                field: statistics.fmean(p[field] for p in points if size in (None, p["n_labels"]))
                for field in ("error", "n_vectors")
            },
        }
        for size in sizes
    ]


def pairs_curves(results):
    """Error on three test names and on all of them, after more and more labels."""
    found = stored_records("pairs_curves", results).ok()
    if not found:
        return None
    tested = {record["name"] for record in found.records} - set(TRAINING)
    rows = []
    for model, title in MODELS.items():
        curves = [pair_points(found, model, names) for names in (*([n] for n in SHOWN), tested)]
        for points in zip(*curves):
            labels = "all" if model == "svc" else count(points[0]["n_labels"])
            errors = [percent(p["error"]) for p in points]
            rows.append([title, labels, *errors, count(points[-1]["n_vectors"])])
            title = ""
    header = ["", "labels", *SHOWN, "all seven names", "support vectors"]
    n = len(found.distinct("seed"))
    return list_table(header, rows, f"Test error; means over {n} generated sets of records")


def imbalance_methods(results):
    """G-means of all methods, with their standard deviations."""
    found = stored_records("imbalance_methods", results).ok()
    if not found:
        return None
    rows = []
    for method, title in METHODS.items():
        cells = [title]
        for kind in ("lasvc", "neighbors"):
            values = [
                r["gmeans"][method][kind] for r in found.records if kind in r["gmeans"][method]
            ]
            spread = statistics.stdev(values) if len(values) > 1 else 0.0
            cells.append(f"{statistics.fmean(values):.2f} ± {spread:.2f}" if values else "")
        rows.append(cells)
    n_test, n_train, n_positive = (mean(found, f) for f in ("n_test", "n_train", "n_positive"))
    title = (
        f"G-mean on {count(n_test)} test samples after training on {count(n_train)}, of which "
        f"{count(n_positive)} are positive: mean and standard deviation over "
        f"{len(found.records)} draws of the data"
    )
    return list_table(["method", "``LASVC(gamma=0.01)``", "15 nearest neighbors"], rows, title)


TABLES = {
    table.__name__: table
    for table in (pairs_models, pairs_clusters, pairs_curves, imbalance_methods)
}
