"""Pairs of author records (section 3.4 of the thesis).

``pairs_models``: classifiers of pairs trained on all labels and on few; ``pairs_clusters``:
clusters of records by the distance that a classifier defines; ``pairs_curves``: error against
labels (Figures 3.14 and 3.15).
"""


def _measure(settings, task, field, n_seeds=None):
    """A record for each model or name, of each generated set of records."""
    records = []
    for seed in range(n_seeds or settings.seeds):
        record = settings.record(task, dict(seed=seed))
        records += [record | part for part in record.pop(field, [{}])]
    return {"records": records}


def measure_models(settings):
    """All labels, chosen labels, random labels."""
    return _measure(settings, "compare_pairs", "models")


def measure_clusters(settings):
    """Clustering algorithms, with thresholds chosen on the training names."""
    return _measure(settings, "compare_clusterers", "clusterers")


def measure_curves(settings):
    """Error on each name against the number of labels."""
    n_seeds = 1 if settings.quick else 5
    return _measure(settings, "curves_of_pairs", "curves", n_seeds)


STEPS = {
    "pairs_models": measure_models,
    "pairs_clusters": measure_clusters,
    "pairs_curves": measure_curves,
}
