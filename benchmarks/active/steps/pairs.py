"""Pairs of author records (section 3.4 of the thesis).

``pairs_models``: classifiers of pairs trained on all labels and on few; ``pairs_clusters``:
clusters of records by the distance that a classifier defines; ``pairs_curves``: error against
labels (Figures 3.14 and 3.15).
"""

from ...bench import harness


def _measure(settings, step, task, field):
    """A record for each model, of each generated set of records."""
    records = []
    for seed in range(settings.seeds):
        record = settings.call(task, seed=seed)
        harness.say(step, record, seed=seed)
        records += [{"seed": seed, **record, **part} for part in record.pop(field, [{}])]
    return {"records": records}


def measure_models(settings):
    """All labels, chosen labels, random labels."""
    return _measure(settings, "pairs_models", "compare_pairs", "models")


def measure_clusters(settings):
    """Clustering algorithms, with thresholds chosen on the training names."""
    return _measure(settings, "pairs_clusters", "compare_clusterers", "clusterers")


# Generated sets of records.
N_CURVES = 5


def measure_curves(settings):
    """Error on each name against the number of labels."""
    records = []
    for seed in range(1 if settings.quick else N_CURVES):
        record = settings.call("curves_of_pairs", seed=seed)
        harness.say("pairs_curves", record, seed=seed)
        records += [{"seed": seed, **record, **part} for part in record.pop("curves", [{}])]
    return {"records": records}


STEPS = {
    "pairs_models": measure_models,
    "pairs_clusters": measure_clusters,
    "pairs_curves": measure_curves,
}
