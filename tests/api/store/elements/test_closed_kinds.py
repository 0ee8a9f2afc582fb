"""The store knows every kind of element in each of its tables, and refuses an invented one."""

from types import SimpleNamespace

import pytest
from writ.api.endpoints.management import element_paths as served
from writ.api.store.elements import applying, element_references
from writ.api.store.elements.element_bodies import element_of
from writ.api.store.elements.kinds import KINDS, kind_named
from writ.api.store.elements.tables import TABLES
from writ.api.store.errors import BadQuery
from writ.api.store.finding.listing import FILTERS
from writ.api.store.history.affected import affected_by
from writ.compiler.model.elements import SINGLE_MEMBERS, ElementKind

from tests.support.inventing import invented

PLANETS = invented(ElementKind, "planets")


@pytest.mark.parametrize("table", [KINDS, TABLES, FILTERS, element_references._USES, applying._NAMES])
def test_a_table_of_kinds_is_total_and_in_order(table):
    assert list(table) == list(ElementKind)


def test_every_kind_with_a_key_in_its_elements_is_served():
    without_key = SINGLE_MEMBERS | {ElementKind.LINTS}
    assert [kind.name for kind in served.SERVED_KINDS] == [kind for kind in ElementKind if kind not in without_key]
    assert [kind.name for kind in served.SERVED_MEMBERS] == [kind for kind in ElementKind if kind in SINGLE_MEMBERS]


def test_a_name_that_is_no_kind_is_a_bad_query():
    assert kind_named("roles") is KINDS[ElementKind.ROLES]
    with pytest.raises(BadQuery, match="there is no list `planets`, only extensions, requests, resource_types,"):
        kind_named("planets")


CONSUMERS = {
    "body": lambda: element_of(PLANETS, b"{}"),
    "release": lambda: element_references._without(ElementKind.ROLES, ("r",), PLANETS, {}),
    "release of a policy": lambda: element_references._without(PLANETS, ("r",), ElementKind.POLICIES, {}),
    "affected": lambda: affected_by(None, 1, [_change()]),
}


def _change():
    return SimpleNamespace(kind=PLANETS, key=("mars",), element_before=lambda: None, element_after=lambda: None)


@pytest.mark.parametrize("consumer", CONSUMERS.values(), ids=CONSUMERS.keys())
def test_the_store_refuses_an_invented_kind(consumer):
    with pytest.raises((AssertionError, KeyError)):
        consumer()
