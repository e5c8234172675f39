"""Train, tune, apply and inspect models from the command line.

``python -m sklearn_online_svm --help`` lists the commands.
"""

from ._main import main

__all__ = ["main"]
