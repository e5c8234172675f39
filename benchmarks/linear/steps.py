"""Speed of the linear models: one pass, one sample, a hundred samples; how the cost grows.

``linear_fit``: one pass, compared with scikit-learn; ``linear_calls``: one sample and chunks,
compared with scikit-learn, river and Vowpal Wabbit; ``linear_second_order``: AROW, CW and SCW;
``linear_growth``: samples, features, nonzeros, classes and the full covariance.
"""

from ..bench.harness import grid

WORKS = ["dense_64", "dense_32", "text", "newsgroups"]
# In the order of the samples, then with the default shuffle=True.
FIT_MODELS = ["pa", "sgd", "pa_shuffled", "sgd_shuffled"]
CALLS_MODELS = ["pa", "sgd", "river", "vw_parsed", "vw_text"]
DIAGONAL = ["pa", "arow", "cw", "scw1", "scw2", "sgd"]
# Ours, and the peer that has the same algorithm.
OLPY = {"arow_full": "olpy_arow", "cw_full": "olpy_cw", "scw1_full": "olpy_scw"}


def _fits(works, models, repeats, settings):
    """Fits on several works, in processes that take turns."""
    cases = grid(seed=range(settings.seeds), work=works)
    repeats = 3 if settings.quick else repeats
    return settings.records("fit_in_turns", cases, models=models, repeats=repeats)


def measure_fit(settings):
    return _fits(WORKS, FIT_MODELS, 12, settings)


def measure_calls(settings):
    cases = grid(seed=range(settings.seeds))
    return settings.records("calls_in_turns", cases, models=CALLS_MODELS)


def measure_second_order(settings):
    diagonal = _fits(["text", "newsgroups"], DIAGONAL, 12, settings)["records"]
    # The peer takes half a second.
    full = _fits(["small_dense"], [*OLPY, *OLPY.values()], 6, settings)["records"]
    return {"records": diagonal + full}


CURVE_MODELS = ["pa", "arow", "sgd"]
N_CLASSES = [2, 5, 10, 20, 50, 100, 200]
# Title, values, models.
AXES = {
    "rows": (
        "samples (100 features)",
        [5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000],
        CURVE_MODELS,
    ),
    "features": (
        "features (8 million values in all)",
        [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048],
        CURVE_MODELS,
    ),
    "nonzeros": (
        "nonzeros per sample (20 000 samples, 47 000 features)",
        [10, 20, 40, 80, 160, 320, 640],
        CURVE_MODELS,
    ),
    "dense_classes": ("classes (20 000 samples, 100 features)", N_CLASSES, CURVE_MODELS),
    "sparse_classes": (
        "classes (5000 samples, 47 000 features, 75 nonzeros)",
        N_CLASSES,
        CURVE_MODELS,
    ),
    "covariance": (
        "features (4000 samples)",
        [8, 16, 32, 64, 128, 256, 512, 1024],
        ["arow_full", "arow", "olpy_arow"],
    ),
}
# olpy above this takes minutes.
OLPY_FEATURES = 256


def measure_growth(settings):
    """One process for each point."""
    cases = []
    for axis, (_, values, models) in AXES.items():
        for value in values[:3] if settings.quick else values:
            here = [m for m in models if not m.startswith("olpy") or value <= OLPY_FEATURES]
            labels = dict(axis=axis, value=value)
            cases.append((labels, labels | dict(models=here)))
    repeats = 1 if settings.quick else 5
    return settings.labelled("fit_in_turns", cases, repeats=repeats)


STEPS = {
    "linear_calls": measure_calls,
    "linear_fit": measure_fit,
    "linear_second_order": measure_second_order,
    "linear_growth": measure_growth,
}
