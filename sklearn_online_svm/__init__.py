"""Online, active and robust support vector machines with the scikit-learn interface."""

import lazy_loader

from ._version import __version__

# Names are imported when they are first used: a program needs few of them. ``__init__.pyi`` lists
# them, also for type checkers and editors.
__getattr__, _, _names = lazy_loader.attach_stub(__name__, __file__)
# Not in __all__: modules, and a class that needs an optional package, so that `import *` works
# without it. Modules that need an optional package must be imported by name.
_MODULES = ["active", "calibration", "cells", "datasets", "evaluation", "export", "kernel"]
_MODULES += ["linear", "model_selection", "pipeline", "readers"]
_OPTIONAL = ["VirtualSampler"]

__all__ = ["__version__", *(name for name in _names if name not in _MODULES + _OPTIONAL)]


def __dir__():
    return sorted({*globals(), *_names})
