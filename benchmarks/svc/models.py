"""The models that are compared: a function of a setting in `_BUILDERS`, and a column each."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from . import text_models

# Options of LASVC for the papers' protocol: online passes, then `finish`, once.
ONE_PASS = {"max_iter": 1}
TWO_PASSES = {"max_iter": 2, "finishing": False}


@dataclass(frozen=True)
class Setting:
    """Parameters of all models; `options` are further ones of LASVC, RampSVC and boosting."""

    C: float
    gamma: float
    cache_size: float = 1000
    threads: int = 1
    seed: int = 0
    options: dict = field(default_factory=dict)
    kernel: str = "rbf"


@dataclass(frozen=True)
class Column:
    """A column of the comparison: a model with its number of threads."""

    key: str
    title: str
    model: str
    threads: int = 1
    # Once per work instead of once per seed: for what takes minutes.
    once: bool = False
    limited: bool = False
    dense_only: bool = False
    # Further parameters of LASVC or RampSVC.
    options: dict = field(default_factory=dict)


def _problem(setting):
    """The parameters that all kernel models have."""
    return dict(C=setting.C, gamma=setting.gamma, cache_size=setting.cache_size)


def _ours(setting):
    """The parameters of LASVC and RampSVC."""
    return _problem(setting) | dict(
        n_jobs=setting.threads, random_state=setting.seed, **setting.options
    )


def _lasvc(setting):
    from sklearn_online_svm import LASVC

    return LASVC(kernel=setting.kernel, **_ours(setting))


def _ramp_svc(setting):
    from sklearn_online_svm import RampSVC

    return RampSVC(**_ours(setting))


def _svc(setting):
    return SVC(kernel=setting.kernel, **_problem(setting))


class QuarterSVC(SVC):
    """SVC on a random quarter of the samples: cheap, and often accurate enough on large sets."""

    def fit(self, X, y):
        rows = np.random.default_rng(self.random_state).permutation(len(y))[: len(y) // 4]
        return super().fit(X[rows], y[rows])


def _quarter_svc(setting):
    return QuarterSVC(random_state=setting.seed, **_problem(setting))


def _sklearnex(setting):
    # Only here: it loads oneDAL, and there is not a wheel for each machine.
    from sklearnex.svm import SVC as IntelSVC

    return IntelSVC(kernel=setting.kernel, n_jobs=setting.threads, **_problem(setting))


def _thundersvm(setting):
    # Only here: it loads a shared library, and nothing else needs it.
    from thundersvm import SVC as ThunderSVC

    return ThunderSVC(kernel="rbf", n_jobs=setting.threads, **_problem(setting))


def _nystroem_sgd(setting):
    return make_pipeline(
        Nystroem(gamma=setting.gamma, n_components=500, random_state=setting.seed),
        SGDClassifier(random_state=setting.seed),
    )


def _hist_gradient_boosting(setting):
    return HistGradientBoostingClassifier(random_state=setting.seed, **setting.options)


_BUILDERS = {
    "lasvc": _lasvc,
    "ramp_svc": _ramp_svc,
    "svc": _svc,
    "quarter_svc": _quarter_svc,
    "sklearnex": _sklearnex,
    "thundersvm": _thundersvm,
    "nystroem_sgd": _nystroem_sgd,
    "hist_gradient_boosting": _hist_gradient_boosting,
    **{name: text_models.builder(name) for name in text_models.LINEAR},
}

COLUMNS = [
    Column("lasvc_1", "LASVC", "lasvc"),
    Column("svc", "SVC", "svc"),
    Column("sklearnex_1", "scikit-learn-intelex", "sklearnex"),
    Column("lasvc_2", "LASVC", "lasvc", threads=2),
    Column("sklearnex_2", "scikit-learn-intelex", "sklearnex", threads=2),
    # The sparse path of its 0.3.3 hands integer labels to code that reads floats; it then
    # trains another model, or ends in a segmentation fault. So it gets dense arrays.
    Column(
        "thundersvm", "Thunder\N{SOFT HYPHEN}SVM", "thundersvm", threads=2, once=True,
        limited=True, dense_only=True,
    ),
    Column("quarter_svc", "SVC, a quarter", "quarter_svc"),
    Column("nystroem_sgd", "Nystroem + SGD", "nystroem_sgd"),
    Column(
        "hgb", "boosting", "hist_gradient_boosting", threads=2, limited=True,
        dense_only=True,
    ),
]  # fmt: skip

# The models of the same problem.
NAMES = {"lasvc": "LASVC", "svc": "SVC", "sklearnex": "scikit-learn-intelex"}
# The tables of the comparison, and their columns.
PARTS = {
    "one thread": ["lasvc_1", "svc", "sklearnex_1"],
    "two threads": ["lasvc_2", "sklearnex_2", "thundersvm"],
    "other models": ["quarter_svc", "nystroem_sgd", "hgb"],
}

# The algorithms of chapter 6, by the name that LASVC has for them.
ALGORITHMS = {
    "lasvm-full": "FULL SVM",
    "lasvm-g": "LASVM-G",
    "lasvm-nc": "LASVM-NC",
    "lasvm-i": "LASVM-I",
    "lasvm": "LASVM",
}

# SVC compared with all of them, and the batch solver of the ramp loss.
ROBUST_COLUMNS = {
    "svc": Column("svc", "SVC", "svc"),
    **{
        name: Column(name, title, "lasvc", options={"algorithm": name} | ONE_PASS)
        for name, title in ALGORITHMS.items()
    },
    "ramp": Column("ramp", "RampSVC", "ramp_svc"),
    "ramp_0": Column("ramp_0", "RampSVC, s = 0", "ramp_svc", options={"ramp_s": 0.0}),
}


def build(model, setting):
    """An unfitted estimator."""
    return _BUILDERS[model](setting)


def learnt(model):
    """Fitted attributes of an estimator as JSON; None where it has none."""
    told = {"n_support": None, "n_kernel_evaluations": None, "n_iter": None}
    if hasattr(model, "support_"):
        told["n_support"] = len(model.support_)
    if hasattr(model, "n_kernel_evaluations_"):
        told["n_kernel_evaluations"] = int(model.n_kernel_evaluations_)
        # One number per class where there are several: the worst of them.
        told["n_iter"] = int(np.max(model.n_iter_))
        told["duality_gap"] = float(np.max(model.duality_gap_))
    return told
