"""Import of optional packages, with an error that names what needs them."""

from importlib import import_module


def import_optional(module, caller):
    """Import a package that only ``caller`` needs."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"{caller} needs {package}: `pip install {package}`.") from error
