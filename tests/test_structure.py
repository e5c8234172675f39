"""How the code hangs together: imports, names in hierarchies, what functions read."""

import ast
import inspect
from collections import defaultdict
from importlib import import_module

import pytest

import sklearn_online_svm as package
from tests.support import ROOT

SOURCE = ROOT / "sklearn_online_svm"
# Names that classes of a hierarchy may define again.
HOOKS = {"_plan", "_fixed_params", "_adjustable_params", "_parameter_constraints"}
# Linear models whose state is not that of the others.
OTHER_STATES = {"AdvicePassiveAggressiveClassifier", "LocalOnlineClassifier"}


def imports():
    """Return the modules of the package that each one imports, anywhere in its code."""
    modules = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        modules[".".join(parts).removesuffix(".__init__")] = path
    found = defaultdict(set)
    for name, path in modules.items():
        folder = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = folder.split(".")
                base = ".".join(base[: len(base) + 1 - node.level] + [node.module or ""])
                for alias in node.names:
                    target = f"{base.rstrip('.')}.{alias.name}"
                    target = target if target in modules else base.rstrip(".")
                    if target in modules and target != name:
                        found[name].add(target)
    return found


def test_no_modules_import_each_other():
    remaining = imports()
    while True:
        used = set().union(*remaining.values())
        # Modules that import nothing, or that nothing imports, are in no circle.
        kept = {
            name: {other for other in others if other in remaining}
            for name, others in remaining.items()
            if others & remaining.keys() and name in used
        }
        if kept == remaining:
            break
        remaining = kept
    assert not remaining


def public_classes():
    found = {}
    for name in ("", "active", "calibration", "evaluation", "cells", "pipeline"):
        module = import_module(f"{package.__name__}.{name}".rstrip("."))
        for each in module.__all__:
            kind = getattr(module, each)
            if inspect.isclass(kind) and hasattr(kind, "get_params"):
                found[each] = kind
    return found


@pytest.mark.parametrize("name", public_classes())
def test_no_private_name_is_defined_twice(name):
    """Else a reader of a call has to know the order of the classes."""
    places = defaultdict(list)
    repeated = {*HOOKS, "_stored_as"} if name in OTHER_STATES else HOOKS
    for kind in public_classes()[name].__mro__:
        if kind.__module__.startswith(package.__name__):
            for each in vars(kind):
                if each.startswith("_") and not each.startswith("__") and each not in repeated:
                    places[each].append(kind.__name__)
    assert not {each: kinds for each, kinds in places.items() if len(kinds) > 1}


# Conditions of ``available_if``, which scikit-learn calls with the estimator.
CONDITIONS = {
    "_has_probabilities",
    "_keeps_support_vectors",
    "_offers_intervals",
    "_offers_leave_one_out",
    "_offers_probabilities",
    "can_take_new_samples",
}


def functions_that_read_parameters():
    """Yield the functions of kernel/, apart from methods, that read parameters of an estimator."""
    parameters = set()
    for kind in public_classes().values():
        parameters |= set(kind._get_param_names())
    for path in (SOURCE / "kernel").rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if not isinstance(node, ast.FunctionDef) or node.name in CONDITIONS:
                continue
            given = {arg.arg for arg in node.args.args} & {"estimator", "draft", "model"}
            read = [part for part in ast.walk(node) if isinstance(part, ast.Attribute)]
            for part in read:
                if getattr(part.value, "id", None) in given and part.attr in parameters:
                    yield f"{path.name}: {node.name} reads {part.value.id}.{part.attr}"


def test_training_reads_the_parameters_of_a_plan():
    assert sorted(set(functions_that_read_parameters())) == []
