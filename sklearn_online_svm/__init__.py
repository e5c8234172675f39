"""Online, active and robust support vector machines with the scikit-learn interface."""

from importlib import import_module

from ._persistent import InconsistentPackageWarning
from ._show_versions import show_versions
from ._version import __version__
from .active import LabelEfficientClassifier
from .kernel import (
    LASVC,
    LASVR,
    ActiveLASVC,
    ColumnKernel,
    CompressedClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPassiveAggressiveRegressor,
    KernelPerceptronClassifier,
    OneClassLASVM,
    RampSVC,
    VirtualLASVC,
)
from .linear import (
    Advice,
    AdvicePassiveAggressiveClassifier,
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    LocalOnlineClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    ScaledAdviceClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)

__all__ = [
    "LASVC",
    "LASVR",
    "AROWClassifier",
    "ActiveLASVC",
    "Advice",
    "AdvicePassiveAggressiveClassifier",
    "ColumnKernel",
    "CompressedClassifier",
    "ConfidenceWeightedClassifier",
    "CostSensitivePassiveAggressiveClassifier",
    "KernelPassiveAggressiveClassifier",
    "KernelPassiveAggressiveRegressor",
    "KernelAROWClassifier",
    "KernelPerceptronClassifier",
    "InconsistentPackageWarning",
    "LabelEfficientClassifier",
    "LocalOnlineClassifier",
    "OneClassLASVM",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "PerceptronClassifier",
    "RampSVC",
    "SCWClassifier",
    "ScaledAdviceClassifier",
    "SecondOrderPerceptronClassifier",
    "VirtualLASVC",
    "__version__",
    "show_versions",
]

# Module of each class that needs an optional package. They are not in __all__, so that `import *`
# works without these packages.
_OPTIONAL = {"VirtualSampler": ".kernel._virtual_sampler"}


def __getattr__(name):
    if name in _OPTIONAL:
        return getattr(import_module(_OPTIONAL[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_OPTIONAL})
