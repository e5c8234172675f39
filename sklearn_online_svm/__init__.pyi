# What the package offers: imported when it is first used.

from . import active as active
from . import calibration as calibration
from . import cells as cells
from . import datasets as datasets
from . import evaluation as evaluation
from . import export as export
from . import kernel as kernel
from . import linear as linear
from . import model_selection as model_selection
from . import pipeline as pipeline
from . import readers as readers
from ._estimator import InconsistentPackageWarning as InconsistentPackageWarning
from ._show_versions import show_versions as show_versions
from .active import LabelEfficientClassifier as LabelEfficientClassifier
from .kernel import LASVC as LASVC
from .kernel import LASVR as LASVR
from .kernel import ActiveLASVC as ActiveLASVC
from .kernel import ColumnKernel as ColumnKernel
from .kernel import CompressedClassifier as CompressedClassifier
from .kernel import KernelAROWClassifier as KernelAROWClassifier
from .kernel import KernelMetric as KernelMetric
from .kernel import KernelPassiveAggressiveClassifier as KernelPassiveAggressiveClassifier
from .kernel import KernelPerceptronClassifier as KernelPerceptronClassifier
from .kernel import OneClassLASVM as OneClassLASVM
from .kernel import RampSVC as RampSVC
from .kernel import VirtualLASVC as VirtualLASVC
from .kernel._virtual_sampler import VirtualSampler as VirtualSampler
from .linear import Advice as Advice
from .linear import AdvicePassiveAggressiveClassifier as AdvicePassiveAggressiveClassifier
from .linear import AROWClassifier as AROWClassifier
from .linear import ConfidenceWeightedClassifier as ConfidenceWeightedClassifier
from .linear import (
    CostSensitivePassiveAggressiveClassifier as CostSensitivePassiveAggressiveClassifier,
)
from .linear import LocalOnlineClassifier as LocalOnlineClassifier
from .linear import PassiveAggressiveClassifier as PassiveAggressiveClassifier
from .linear import PassiveAggressiveRegressor as PassiveAggressiveRegressor
from .linear import PerceptronClassifier as PerceptronClassifier
from .linear import SCWClassifier as SCWClassifier
from .linear import SecondOrderPerceptronClassifier as SecondOrderPerceptronClassifier

__version__: str
