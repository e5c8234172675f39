"""Support vector machines and other online models with a kernel."""

from ._active_lasvc import ActiveLASVC
from ._analysis._compressed import CompressedClassifier
from ._analysis._path import SolutionPath
from ._column_kernel import ColumnKernel
from ._lasvc import LASVC
from ._lasvr import LASVR
from ._metric._kernel_metric import KernelMetric
from ._one_class_lasvm import OneClassLASVM
from ._ramp_svc import RampSVC
from ._updates._arow import KernelAROWClassifier
from ._updates._passive_aggressive import KernelPassiveAggressiveClassifier
from ._updates._perceptron import KernelPerceptronClassifier
from ._virtual_lasvc import VirtualLASVC

__all__ = [
    "LASVC",
    "LASVR",
    "ActiveLASVC",
    "ColumnKernel",
    "CompressedClassifier",
    "KernelMetric",
    "KernelPassiveAggressiveClassifier",
    "KernelAROWClassifier",
    "KernelPerceptronClassifier",
    "OneClassLASVM",
    "RampSVC",
    "SolutionPath",
    "VirtualLASVC",
]
