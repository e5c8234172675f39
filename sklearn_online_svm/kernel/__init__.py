"""Support vector machines and other online models with a kernel."""

from ._active_lasvc import ActiveLASVC
from ._column_kernel import ColumnKernel
from ._compressed import CompressedClassifier
from ._kernel_arow import KernelAROWClassifier
from ._kernel_passive_aggressive import KernelPassiveAggressiveClassifier
from ._kernel_perceptron import KernelPerceptronClassifier
from ._lasvc import LASVC
from ._lasvr import LASVR
from ._one_class import OneClassLASVM
from ._path import SolutionPath
from ._ramp import RampSVC
from ._virtual import VirtualLASVC

__all__ = [
    "LASVC",
    "LASVR",
    "ActiveLASVC",
    "ColumnKernel",
    "CompressedClassifier",
    "KernelPassiveAggressiveClassifier",
    "KernelAROWClassifier",
    "KernelPerceptronClassifier",
    "OneClassLASVM",
    "RampSVC",
    "SolutionPath",
    "VirtualLASVC",
]
