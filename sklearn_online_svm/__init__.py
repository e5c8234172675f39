"""Online, active and robust support vector machines with the scikit-learn interface."""

from importlib import import_module

from ._version import __version__

# Names are imported when they are first used: a program needs few of them. The stub file tells
# type checkers and editors about all of them.
_MODULES = {
    "._persistent": ["InconsistentPackageWarning"],
    "._show_versions": ["show_versions"],
    ".active": ["LabelEfficientClassifier"],
    ".kernel": [
        "LASVC",
        "LASVR",
        "ActiveLASVC",
        "ColumnKernel",
        "CompressedClassifier",
        "KernelAROWClassifier",
        "KernelPassiveAggressiveClassifier",
        "KernelPassiveAggressiveRegressor",
        "KernelPerceptronClassifier",
        "OneClassLASVM",
        "RampSVC",
        "VirtualLASVC",
    ],
    ".linear": [
        "AROWClassifier",
        "Advice",
        "AdvicePassiveAggressiveClassifier",
        "ConfidenceWeightedClassifier",
        "CostSensitivePassiveAggressiveClassifier",
        "LocalOnlineClassifier",
        "PassiveAggressiveClassifier",
        "PassiveAggressiveRegressor",
        "PerceptronClassifier",
        "SCWClassifier",
        "ScaledAdviceClassifier",
        "SecondOrderPerceptronClassifier",
    ],
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}
# Subpackages that are attributes of the package without being imported.
_SUBPACKAGES = ["active", "calibration", "kernel", "linear"]
# Module of each class that needs an optional package. They are not in __all__, so that `import *`
# works without these packages.
_OPTIONAL = {"VirtualSampler": ".kernel._virtual_sampler"}

__all__ = ["__version__", *_MODULE_OF]


def __getattr__(name):
    if name in _SUBPACKAGES:
        return import_module(f".{name}", __name__)
    module = _MODULE_OF.get(name) or _OPTIONAL.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module, __name__), name)


def __dir__():
    return sorted({*globals(), *_SUBPACKAGES, *_MODULE_OF, *_OPTIONAL})
