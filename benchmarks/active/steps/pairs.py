"""Pairs of author records (section 3.4 of the thesis).

``pairs_models``: classifiers of pairs trained on all labels and on few; ``pairs_clusters``:
clusters of records by the distance that a classifier defines.
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


STEPS = {"pairs_models": measure_models, "pairs_clusters": measure_clusters}
