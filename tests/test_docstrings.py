"""Test that docstrings are complete, in numpydoc's format, and agree with the signatures."""

import ast
import dataclasses
import inspect
import math
import re
from functools import cache

import pytest
from numpydoc.docscrape import get_doc_object
from numpydoc.docscrape_sphinx import SphinxClassDoc
from numpydoc.validate import validate

pytest.importorskip("imblearn", reason="VirtualSampler needs imbalanced-learn")
pytest.importorskip("skl2onnx", reason="sklearn_online_svm.onnx needs skl2onnx")

from doc.parameter_groups import (
    GROUP_OF,
    GROUPS,
    MOST_WITHOUT_GROUPS,
    group_parameters,
    parameter_list,
)
from tests.support import ROOT
from tests.support.docstrings import (
    PACKAGE,
    documented,
    errors_of,
    function_of,
    public_objects,
)

DOCUMENTED = documented()

# Not required in every docstring.
OPEN = {
    "ES01",  # an extended summary
    "EX01",  # examples: the guide has them
    "SA01",  # a section See Also
    "RT02",  # returned values have names, one as several
}


with_documented = pytest.mark.parametrize("path", DOCUMENTED)


@cache
def sections_of(path):
    return get_doc_object(DOCUMENTED[path][0])


def is_record(path):
    """Return whether an object is a dataclass, whose fields are documented as attributes."""
    return dataclasses.is_dataclass(DOCUMENTED[path][0])


@pytest.mark.sampled
@with_documented
def test_numpydoc_finds_no_errors(path):
    left_open = OPEN | {"PR01"} if is_record(path) else OPEN
    errors = validate(f"{PACKAGE}.{path}")["errors"]
    assert not [error for error in errors if error[0] not in left_open]


@pytest.mark.parametrize("path", filter(is_record, DOCUMENTED))
def test_fields_of_records_are_documented(path):
    record = DOCUMENTED[path][0]
    described = {attribute.name for attribute in sections_of(path)["Attributes"]}
    fields = {field.name for field in dataclasses.fields(record)}
    assert fields <= described
    assert described <= {name for name in fields | set(dir(record)) if not name.startswith("_")}


@with_documented
def test_defaults_are_those_of_the_signature(path):
    thing, _ = DOCUMENTED[path]
    if isinstance(thing, property) or is_record(path):
        return
    parameters = inspect.signature(thing).parameters
    for described in sections_of(path)["Parameters"]:
        stated = re.search(r"default=(.*)$", described.type)
        parameter = parameters[described.name.lstrip("*").split(",")[0]]
        if parameter.default is parameter.empty:
            assert stated is None, described
        else:
            default = math.nan if stated[1] == "nan" else ast.literal_eval(stated[1])
            assert repr(default) == repr(parameter.default)


@with_documented
def test_types_of_parameters_are_on_one_line(path):
    """In a raw docstring a backslash does not join lines."""
    parameters = sections_of(path)["Parameters"]
    assert not [described.name for described in parameters if described.type.endswith("\\")]


@with_documented
def test_errors_are_described(path):
    thing, owner = DOCUMENTED[path]
    if isinstance(thing, property) or inspect.isclass(thing):
        # What is not there yet is no attribute; bad parameters are refused by `fit`.
        return
    described = {raised.type for raised in sections_of(path)["Raises"]}
    assert described or "X" not in inspect.signature(thing).parameters
    assert errors_of(function_of(thing), owner) <= described


def test_api_page_names_all_public_objects():
    page = (ROOT / "doc" / "api.rst").read_text()
    named = set(re.findall(r"^   (\w+)$|^\.\. data:: (\w+)$|``(\w+_scorer)``", page, re.MULTILINE))
    public = {path.rpartition(".")[2] for path in public_objects()} - {"__version__"}
    assert {name for names in named for name in names if name} == public


def names_of_parameters(path):
    return list(inspect.signature(DOCUMENTED[path][0]).parameters)


def has_groups(path):
    """Return whether the page of a class lists its parameters in groups."""
    return inspect.isclass(DOCUMENTED[path][0]) and (
        len(sections_of(path)["Parameters"]) > MOST_WITHOUT_GROUPS
    )


GROUPED = list(filter(has_groups, DOCUMENTED))


def test_groups_have_the_parameters_of_the_classes_with_many():
    in_groups = [name for names in GROUPS.values() for name in names]
    assert len(in_groups) == len(set(in_groups))
    assert set(in_groups) == {name for path in GROUPED for name in names_of_parameters(path)}


@pytest.mark.parametrize("path", GROUPED)
def test_page_lists_each_parameter_once_below_its_group(path):
    doc = SphinxClassDoc(DOCUMENTED[path][0])
    given = doc["Parameters"]
    lines = parameter_list(doc, SphinxClassDoc._str_param_list)
    group, found = None, {}
    for line in lines:
        if heading := re.fullmatch(r"    \.\. rubric:: (.*)", line):
            group = heading[1]
        elif described := re.match(r"    \*\*(.*?)\*\* : ", line):
            for name in described[1].split(", "):
                assert name not in found
                found[name] = group
    assert found == {name: GROUP_OF[name] for name in names_of_parameters(path)}
    assert [group for group, _ in group_parameters(given)] == list(dict.fromkeys(found.values()))
    assert doc["Parameters"] == given


def test_page_of_a_class_with_few_parameters_has_no_groups():
    doc = SphinxClassDoc(DOCUMENTED["CompressedClassifier"][0])
    plain = SphinxClassDoc._str_param_list(doc, "Parameters")
    assert parameter_list(doc, SphinxClassDoc._str_param_list) == plain
