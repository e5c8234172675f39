"""What the package offers its users, and which errors of its own that can raise."""

import ast
import importlib
import inspect
import pkgutil
import textwrap
from functools import cache, partial

import sklearn_online_svm

PACKAGE = sklearn_online_svm.__name__

RAISED_BY_SKLEARN = {
    "check_array": "ValueError",
    "check_is_fitted": "NotFittedError",
    "validate_data": "ValueError",
}
# Errors of this package that are not public, and the errors that they become.
PRIVATE_ERRORS = {"ContentError": "ValueError"}


def public_modules():
    """The package and the modules in it whose names have no underscore."""
    names = [m.name for m in pkgutil.iter_modules(sklearn_online_svm.__path__)]
    offered = [f"{PACKAGE}.{name}" for name in names if not name.startswith("_")]
    found = (if_installed(partial(importlib.import_module, name)) for name in offered)
    return [sklearn_online_svm, *filter(None, found)]


def if_installed(get):
    """Return what a function returns; None if that needs a package that is not installed."""
    try:
        return get()
    except ImportError as error:
        if PACKAGE in (error.name or ""):
            raise
        return None


def public_objects():
    """What the modules offer: dict from the first path to the object.

    That is what they name in ``__all__``, and what needs a package that is no requirement.
    """
    found = {}
    for module in public_modules():
        for name in (*module.__all__, *getattr(module, "_OPTIONAL", ())):
            path = f"{module.__name__}.{name}".removeprefix(f"{PACKAGE}.")
            thing = if_installed(partial(getattr, module, name))
            if thing is not None:
                found.setdefault(id(thing), (path, thing))
    return dict(found.values())


def documented():
    """Every class and function, and every method and property that the package gives a class.

    A dict from the path to (object, the class it was found in or None); what several classes
    inherit is there once.
    """
    found = {}
    seen = set()
    for path, thing in public_objects().items():
        if not inspect.isclass(thing):
            if inspect.isfunction(thing):
                found[path] = thing, None
            continue
        found[path] = thing, None
        for name in (n for n in dir(thing) if not n.startswith("_")):
            # SVC's methods that are missing here are named by no dir() of an instance.
            member = getattr(thing, name, None)
            if (function := function_of(member)) is not None and function not in seen:
                seen.add(function)
                found[f"{path}.{name}"] = member, thing
    return found


def function_of(member):
    """The function of this package behind a method or a property; None if there is none."""
    function = member.fget if isinstance(member, property) else member
    function = inspect.unwrap(getattr(function, "__func__", function))
    if inspect.isfunction(function) and function.__module__.startswith(PACKAGE):
        return function
    return None


@cache
def _nodes(function):
    return tuple(ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))))


def errors_of(function, owner, seen=None):
    """Names of the errors that a function, or what it calls of its module or class, raises.

    Calls are followed where the source names their target: ``function()``, ``self.method()``.
    """
    seen = set() if seen is None else seen
    if function in seen:
        return set()
    seen.add(function)
    errors = set()
    for node in _nodes(function):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            if isinstance(node.exc.func, ast.Name):
                errors.add(PRIVATE_ERRORS.get(node.exc.func.id, node.exc.func.id))
        elif isinstance(node, ast.Call):
            match node.func:
                case ast.Name(name) if name in RAISED_BY_SKLEARN:
                    errors.add(RAISED_BY_SKLEARN[name])
                    continue
                case ast.Name(name):
                    called = function.__globals__.get(name)
                case ast.Attribute(ast.Name("self"), name):
                    called = getattr(owner, name, None)
                case _:
                    continue
            if (called := function_of(called)) is not None:
                errors |= errors_of(called, owner, seen)
    return errors
