"""Element kinds are a closed set: the lists of a model, and every table and branch over them."""

import json

import msgspec
import pytest
from writ.bundles.zones import zone_names
from writ.compiler.checks import duplicates
from writ.compiler.documents.interning import Interner
from writ.compiler.load import load
from writ.compiler.model.elements import LISTS, SINGLE_MEMBERS, ElementKind, Model
from writ.compiler.source import Source

from tests.support.inventing import invented


def test_the_kinds_are_the_lists_of_a_model_in_order():
    assert list(ElementKind) == list(LISTS) == [field.name for field in msgspec.structs.fields(Model)]


def test_a_table_of_kinds_is_total():
    without_ids = SINGLE_MEMBERS | {ElementKind.LINTS}
    assert {*duplicates._WITH_IDS, *duplicates._ENTITIES} == set(ElementKind) - without_ids


def test_an_invented_kind_is_refused():
    with pytest.raises(ValueError, match="'planets' is not a valid ElementKind"):
        Interner().for_list("planets")
    with pytest.raises(AssertionError):
        Interner().for_list(invented(ElementKind, "planets"))


def test_a_document_with_an_invented_list_is_refused():
    loaded = load([Source("model.json", json.dumps({"model": 1, "planets": []}).encode())], zone_names())
    assert [(one.code, one.path) for one in loaded.diagnostics] == [("unknown-member", "$.planets")]
