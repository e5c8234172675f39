"""Entry point of ``python -m sklearn_online_svm``."""

import sys

from .command_line import main

if __name__ == "__main__":
    sys.exit(main())
