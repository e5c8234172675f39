"""The order of the gallery: sections are folders of ``examples``, each with its pages."""

SECTIONS = {
    "start": ["first_model", "csv_to_served_model", "stream", "tuning"],
    "migration": [
        "from_svc", "svc_against_lasvc", "from_passive_aggressive", "from_modal", "from_river",
    ],
    "streams": [
        "progressive_validation", "month_of_stream", "sorted_stream", "drift", "new_classes",
        "local", "novelty",
    ],
    "few_labels": [
        "label_texts", "pool", "label_efficient", "selection", "name_disambiguation",
    ],
    "noise_and_imbalance": ["clean_labels", "label_noise", "rare_classes", "advice"],
    "probabilities_and_regression": [
        "reliability", "prediction_sets", "thresholds", "regression_stream",
        "prediction_intervals",
    ],
    "kernels_and_cost": ["kernels", "tables", "compression", "path", "cells", "callbacks"],
}  # fmt: skip

PAGES = [f"plot_{page}.py" for pages in SECTIONS.values() for page in pages]
