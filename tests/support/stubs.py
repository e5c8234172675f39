"""Type stubs of the public modules: ``make stubs`` writes them.

Types of constructor parameters come from ``_parameter_constraints``, all others from docstrings.
"""

import importlib
import inspect
import pkgutil
import re
from abc import ABCMeta
from functools import cache
from numbers import Integral, Real
from pathlib import Path

from numpydoc.docscrape import NumpyDocString
from sklearn.utils._param_validation import Hidden, Options, StrOptions

import sklearn_online_svm as package
from tests.support.docstrings import function_of

HEADER = "# Written by `make stubs`.\n"
MATRIX = "ArrayLike | spmatrix | sparray"
# Methods of scikit-learn, with the same signature in all its versions.
OF_SKLEARN = {
    "get_params": "(self, deep: bool = ...) -> dict[str, Any]",
    "score": f"(self, X: {MATRIX}, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> float",
}
SPECIAL = {"__len__": "int", "__getitem__": "Any", "__call__": "Any"}
# Bases that a type checker should know, by the module of their stubs or sources.
BASES = {
    "sklearn.base": (
        "MetaEstimatorMixin",
        "ClassifierMixin",
        "RegressorMixin",
        "ClusterMixin",
        "BaseEstimator",
    ),
    "sklearn.exceptions": ("InconsistentVersionWarning",),
    "sklearn.model_selection._search": ("BaseSearchCV",),
    "sklearn.pipeline": ("Pipeline",),
    "imblearn.over_sampling.base": ("BaseOverSampler",),
}
IMPORTS = {
    "abc": ("ABCMeta",),
    "collections.abc": ("Callable", "Iterator"),
    "os": ("PathLike",),
    "typing": ("Any", "Literal", "Self"),
    "numpy.random": ("RandomState",),
    "numpy.typing": ("ArrayLike", "NDArray"),
    "scipy.sparse": ("csr_matrix", "sparray", "spmatrix"),
    **BASES,
}
PLAIN = {
    **dict.fromkeys(("int", "float", "bool", "str"), None),
    **{"None": None, "array-like": "ArrayLike", "ndarray": "NDArray[Any]"},
    **{"sparse matrix": "spmatrix | sparray", "csr_matrix": "csr_matrix"},
    **{"path-like": "PathLike[str]", "RandomState instance": "RandomState"},
    **{"callable": "Callable[..., Any]", "dict": "dict[Any, Any]", "Self": None},
    **{"iterator": "Iterator[Any]"},
}
KEYWORDS = {
    None: "None",
    "boolean": "bool",
    "array-like": "ArrayLike",
    "random_state": "int | RandomState | None",
    "verbose": "int | bool",
    callable: "Callable[..., Any]",
    dict: "dict[Any, Any]",
    list: "list[Any]",
    tuple: "tuple[Any, ...]",
    str: "str",
}


def union(types):
    """Join types; of int and float only float, and of all only Any if it is one of them."""
    parts = list(dict.fromkeys(part for kind in types for part in _split(kind, " | ")))
    if "Any" in parts or not parts:
        return "Any"
    parts = [part for part in parts if not (part == "int" and "float" in parts)]
    return " | ".join(sorted(parts, key=lambda part: part == "None"))


def _split(text, mark):
    """Split outside of brackets."""
    return re.split(re.escape(mark) + r"(?![^\[{(]*[\]})])", text)


def of_constraint(constraint):
    """Return the type of a value that satisfies a constraint of a parameter."""
    # Long lists, such as those of scorers, depend on the version of scikit-learn.
    if isinstance(constraint, StrOptions) and len(constraint.options) > 12:
        return "str"
    if isinstance(constraint, Options) and constraint.type not in (Integral, Real):
        return f"Literal[{', '.join(sorted(map(repr, constraint.options)))}]"
    kind = getattr(constraint, "type", constraint)
    if isinstance(kind, type) and issubclass(kind, Real):
        return "int" if issubclass(kind, Integral) else "float"
    return KEYWORDS.get(constraint, "Any")


def of_text(text, public):
    """Return the type that numpydoc text describes; Any if it is not known."""
    text = re.sub(r", default=.*$|\.$", "", text)
    text = re.sub(r" of shape \([^)]*\)(,? or \([^)]*\))*", "", text)
    text = re.sub(r"\{(array-like|ndarray), ([\w ]+)(, dataframe)?\}", r"\1 or \2", text)
    text = re.sub(r"^((?:array-like|ndarray)\b[^,]*), (bool|dtype=\w+)$", r"\1", text)
    return union(_of_part(part.strip(), public) for part in _split(text, ", ") if part.strip())


def _of_part(part, public):
    part = part.removeprefix("or ")
    if " or " in part and not part.startswith(("array-like of", "list of")):
        return union(_of_part(each, public) for each in part.split(" or "))
    if re.fullmatch(r"\{(\"\w[\w-]*\"(, )?)+\}", part):
        return f"Literal[{part[1:-1]}]"
    if re.fullmatch(r'"[\w-]+"', part):
        return f"Literal[{part}]"
    head, _, rest = part.partition(" of ")
    if head == "list" and rest:
        return f"list[{_of_part(rest, public)}]"
    if head == "tuple" and rest:
        return f"tuple[{_of_part(rest, public)}, ...]"
    if head == "dict" and re.fullmatch(r"\w+ to \w+", rest):
        return f"dict[{', '.join(_of_part(each, public) for each in rest.split(' to '))}]"
    known = head if head in ("array-like", "ndarray", "dict") else part
    if known in PLAIN:
        return PLAIN[known] or known
    return known if known in public else "Any"


def documented(thing, section):
    """Return the types in a section of a docstring: dict from name to text."""
    return {entry.name: entry for entry in NumpyDocString(inspect.getdoc(thing) or "")[section]}


class Writer:
    """The stub of one module."""

    def __init__(self, module, homes):
        self.module, self.homes, self.lines = module, homes, []
        self.public = {name for _, name in homes.values()}

    def signature(self, function, types, returns, skip_self=False):
        """Return parameters and result as text."""
        parts, kind = [], None
        for k, p in enumerate(inspect.signature(function).parameters.values()):
            if p.kind is p.KEYWORD_ONLY and kind not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL):
                parts.append("*")
            kind = p.kind
            stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(kind, "")
            if k == 0 and skip_self:
                parts.append(p.name)
                continue
            if stars:
                parts.append(f"{stars}{p.name}: Any")
                continue
            default = " = ..." if p.default is not p.empty else ""
            parts.append(f"{p.name}: {types.get(p.name, 'Any')}{default}")
        return f"({', '.join(parts)}) -> {returns}"

    def of_docstring(self, function, method):
        """Return the signature of a function or method with the types of its docstring."""
        parameters = documented(function, "Parameters")
        types = {
            name.strip(" *"): of_text(entry.type, self.public)
            for names, entry in parameters.items()
            for name in names.split(",")
        }
        for name, p in inspect.signature(function).parameters.items():
            if p.default is None:
                types[name] = union([types.get(name, "Any"), "None"])
        found = list(documented(function, "Returns").values())
        returns = [
            "Self" if entry.name == "self" else of_text(entry.type or entry.name, self.public)
            for entry in found
        ]
        optional = any("nly returned if" in " ".join(entry.desc) for entry in found)
        returns = "Any" if optional else f"tuple[{', '.join(returns)}]" if returns[1:] else returns
        returns = returns if isinstance(returns, str) else (returns or ["None"])[0]
        return self.signature(function, types, returns, skip_self=method)

    def function(self, name, thing):
        self.lines.append(f"def {name}{self.of_docstring(thing, False)}: ...")

    def bases(self, kind):
        for parent in kind.__mro__[1:]:
            if parent in self.homes:
                return [parent.__name__]
        names = [name for of_module in BASES.values() for name in of_module]
        return [c.__name__ for c in kind.__mro__[1:] if c.__name__ in names]

    def parameters(self, kind):
        """Return the types of the constructor's parameters."""
        names = list(inspect.signature(kind).parameters)
        constraints = getattr(kind, "_parameter_constraints", {})
        texts = documented(kind, "Parameters")
        types = {}
        for name in names:
            if isinstance(constraints.get(name), list):
                given = [c for c in constraints[name] if not isinstance(c, Hidden)]
                types[name] = union(map(of_constraint, given))
            elif name in texts:
                types[name] = of_text(texts[name].type, self.public)
            if inspect.signature(kind).parameters[name].default is None:
                types[name] = union([types.get(name, "Any"), "None"])
        return types

    def class_(self, name, kind):
        parent = next((p for p in kind.__mro__[1:] if p in self.homes), object)
        bases = self.bases(kind)
        if type(kind) is ABCMeta:
            bases.append("metaclass=ABCMeta")
        self.lines.append(f"class {name}{'(' + ', '.join(bases) + ')' if bases else ''}:")
        body, types = [], self.parameters(kind)
        attributes = documented(kind, "Attributes")
        # Some end with a reference to another class.
        attributes = {name: entry for name, entry in attributes.items() if name.isidentifier()}
        for attribute, entry in attributes.items():
            annotation = of_text(entry.type, self.public)
            found = inspect.getattr_static(kind, attribute, None)
            if isinstance(found, property):
                body += ["@property", f"def {attribute}(self) -> {annotation}: ..."]
            elif found is None:
                body.append(f"{attribute}: {annotation}")
        if hasattr(kind, "set_params"):
            body += [
                f"{p}: {annotation}" for p, annotation in types.items() if p not in attributes
            ]
        if types:
            init = self.signature(kind.__init__, types, "None", skip_self=True)
            body.append(f"def __init__{init}: ...")
        for special, result in SPECIAL.items():
            if special in vars(kind):
                text = self.signature(getattr(kind, special), {}, result, skip_self=True)
                body.append(f"def {special}{text}: ...")
        for method in sorted(dir(kind)):
            thing = getattr(kind, method, None)
            inherited = getattr(parent, method, None)
            if method.startswith("_") or not callable(thing) or method in attributes:
                continue
            static = inspect.getattr_static(kind, method)
            if re.fullmatch(r"set_\w+_request", method):
                names = [p for p in inspect.signature(thing).parameters if p != "self"]
                asked = dict.fromkeys(names, "bool | str | None")
                body.append(f"def {method}{self.signature(thing, asked, 'Self', True)}: ...")
            elif method == "set_params":
                nested = "Any" in types.values()
                given = "".join(f", {p}: {annotation} = ..." for p, annotation in types.items())
                given = ", *" + given if given else ""
                rest = ", **params: Any" if nested else ""
                body.append(f"def set_params(self{given}{rest}) -> Self: ...")
            elif function_of(thing) is not None:
                if function_of(thing) is function_of(inherited):
                    continue
                if isinstance(static, classmethod):
                    text = self.of_docstring(static.__func__, True)
                    body += ["@classmethod", f"def {method}{text}: ..."]
                elif isinstance(static, staticmethod):
                    body += [
                        "@staticmethod",
                        f"def {method}{self.of_docstring(thing, False)}: ...",
                    ]
                else:
                    body.append(f"def {method}{self.of_docstring(thing, True)}: ...")
            elif method in OF_SKLEARN and not {"BaseSearchCV", "Pipeline"} & set(bases):
                body.append(f"def {method}{OF_SKLEARN[method]}: ...")
        for member in sorted(set(dir(kind)) - set(attributes)):
            found = inspect.getattr_static(kind, member)
            if isinstance(found, property) and not member.startswith("_") and function_of(found):
                if found is inspect.getattr_static(parent, member, None):
                    continue
                results = [*documented(found, "Returns").values()]
                text = results[0].type or results[0].name if results else ""
                annotation = of_text(text, self.public)
                body += ["@property", f"def {member}(self) -> {annotation}: ..."]
        self.lines += [f"    {line}" for line in body]

    def text(self):
        """Return the stub."""
        offered = names_of(self.module)
        for name in offered:
            thing = getattr(self.module, name)
            if isinstance(thing, type) or inspect.isfunction(thing):
                if self.homes[thing][0] != self.module.__name__:
                    continue
                (self.class_ if isinstance(thing, type) else self.function)(name, thing)
            else:
                self.lines.append(f"{name}: {'str' if isinstance(thing, str) else 'Any'}")
        body = "\n".join(self.lines)
        lines = [HEADER]
        for module, names in IMPORTS.items():
            used = [name for name in sorted(names) if re.search(rf"\b{name}\b", body)]
            lines += [f"from {module} import {', '.join(used)}"] if used else []
        own = self.module.__name__
        for thing, (home, name) in self.homes.items():
            # Functions are no types: in the text their names are those of methods.
            used = isinstance(thing, type) and re.search(rf"\b{name}\b", body)
            if home != own and (name in offered or used):
                lines.append(f"from {home} import {name} as {name}")
        lines.append(f"\n__all__ = {list(self.module.__all__)!r}\n")
        return "\n".join([*lines, body]) + "\n"


def names_of(module):
    """Return what a module offers, also what requires optional packages."""
    return [*module.__all__, *getattr(module, "_OPTIONAL", ())]


def public_modules():
    """Return the package and its modules without an underscore, the innermost first."""
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    names = [package.__name__, *(m.name for m in found if "._" not in m.name)]
    return [importlib.import_module(name) for name in sorted(names, key=_depth)]


def _depth(name):
    return -name.count("."), name


@cache
def stubs():
    """Return the stubs: dict from path to text."""
    modules, homes = public_modules(), {}
    for module in modules:
        for name in names_of(module):
            thing = getattr(module, name)
            if isinstance(thing, type) or inspect.isfunction(thing):
                homes.setdefault(thing, (module.__name__, name))
    return {
        Path(module.__file__).with_suffix(".pyi"): Writer(module, homes).text()
        for module in modules
    }


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text)
