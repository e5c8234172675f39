"""Speed of the linear models: one pass, one sample, a hundred samples; how the cost grows.

``linear_fit``: one pass, compared with scikit-learn; ``linear_calls``: one sample and chunks,
compared with scikit-learn, river and Vowpal Wabbit; ``linear_second_order``: AROW, CW and SCW;
``linear_growth``: samples, features, nonzeros, classes and the full covariance.
"""

from ..bench.harness import grid

# (work, ours, peer)
FIT_PAIRS = [(work, "pa", "sgd") for work in ("dense_64", "dense_32", "text", "newsgroups")]
# (task, peer)
CALLS_PAIRS = [
    ("learn", "sgd"),
    ("predict", "sgd"),
    ("chunk", "river"),
    ("chunk", "vw_parsed"),
    ("chunk", "vw_text"),
    ("learn", "river"),
]
# (work, ours, peer): the peers that have these algorithms.
SECOND_ORDER_PAIRS = [
    ("small_dense", "arow_full", "olpy_arow"),
    ("small_dense", "cw_full", "olpy_cw"),
    ("small_dense", "scw1_full", "olpy_scw"),
]

# In their order, with an intercept, then with the default shuffle=True, then without an intercept.
VARIANTS = ["", "_shuffled", "_plain"]
FIT_MODELS = [model + variant for variant in VARIANTS for model in ("pa", "sgd")]
CALLS_MODELS = ["pa", "arow", "sgd", "river", "vw_parsed", "vw_text"]
DIAGONAL = ["pa", "arow", "cw", "scw1", "scw2", "sgd"]
FULL = ["arow_full", "cw_full", "scw1_full", "olpy_arow", "olpy_cw", "olpy_scw"]


def _fits(works, models, repeats, settings):
    """Fits on several works, in processes that take turns."""
    cases = grid(seed=range(settings.seeds), work=works)
    repeats = 3 if settings.quick else repeats
    return settings.records("fit_in_turns", cases, models=models, repeats=repeats)


def measure_fit(settings):
    works = list(dict.fromkeys(work for work, _, _ in FIT_PAIRS))
    return _fits(works, FIT_MODELS, 12, settings)


def measure_calls(settings):
    cases = grid(seed=range(settings.seeds))
    return settings.records("calls_in_turns", cases, models=CALLS_MODELS)


def measure_second_order(settings):
    diagonal = _fits(["text", "newsgroups"], DIAGONAL, 12, settings)["records"]
    # The peer takes half a second.
    full = _fits(["small_dense"], FULL, 6, settings)["records"]
    return {"records": diagonal + full}


# ---------------------------------------------------------------------------
# Growth
# ---------------------------------------------------------------------------

CURVE_MODELS = ["pa", "arow", "sgd"]
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
    "dense_classes": (
        "classes (20 000 samples, 100 features)",
        [2, 5, 10, 20, 50, 100, 200],
        CURVE_MODELS,
    ),
    "sparse_classes": (
        "classes (5000 samples, 47 000 features, 75 nonzeros)",
        [2, 5, 10, 20, 50, 100, 200],
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
    records = []
    for axis, (_, values, models) in AXES.items():
        for value in values[:3] if settings.quick else values:
            here = [m for m in models if not m.startswith("olpy") or value <= OLPY_FEATURES]
            asked = dict(axis=axis, value=value)
            repeats = 1 if settings.quick else 5
            record = settings.record("fit_in_turns", asked, models=here, repeats=repeats)
            records.append(record)
    return {"records": records}


STEPS = {
    "linear_calls": measure_calls,
    "linear_fit": measure_fit,
    "linear_second_order": measure_second_order,
    "linear_growth": measure_growth,
}
