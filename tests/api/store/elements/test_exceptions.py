"""Policies with exceptions in the store: whom a patch or a deleted role lets in (P6; design, "Shapes")."""

from typing import Any

import pytest
from writ.api.store.elements.edits import Create, Delete, Patch
from writ.api.store.errors import Conflict, Rejected

from tests.support.stored import ENV, put, stored, write

SCOPE = {"resource_types": [{"resource_type_id": "record", "actions": ["read"]}]}
MODEL: dict[str, Any] = {
    "resource_types": [{"id": "record", "actions": ["read"]}],
    "roles": [{"id": "vip"}, {"id": "guest"}, {"id": "editor"}],
    "policies": [
        {"id": "allow", "effect": "ALLOW", "except_roles": ["guest", "vip"], **SCOPE},
        {"id": "deny", "effect": "DENY", "except_roles": ["vip", "guest"], **SCOPE},
        {"id": "some", "effect": "DENY", "roles": ["editor"], "except_roles": ["vip"], **SCOPE},
    ],
}


@pytest.fixture(autouse=True)
def model(store):
    put(store, MODEL)


def policies(store):
    return {one["id"]: one for one in stored(store)["policies"]}


def test_an_exception_is_a_use_of_the_role(store):
    with pytest.raises(Conflict) as raised:
        write(store, Delete("roles", ("guest",)))
    assert raised.value.users == (("policies", ("allow",), ""), ("policies", ("deny",), ""))
    found = store.list(ENV, "policies", {"role": "vip"}, 10, None)
    assert [one.body["id"] for one in found.items] == ["allow", "deny", "some"]


def test_a_cascade_deletes_an_allow_that_loses_an_exception(store):
    """It would let the holders of other roles in. A DENY keeps the others, and without any applies to all."""
    write(store, Delete("roles", ("vip",), cascade=True))
    left = policies(store)
    assert left.keys() == {"deny", "some"}
    assert left["deny"]["except_roles"] == ["guest"]
    assert left["some"] == {"id": "some", "effect": "DENY", "roles": ["editor"], **SCOPE}
    write(store, Delete("roles", ("guest",), cascade=True))
    assert policies(store)["deny"] == {"id": "deny", "effect": "DENY", **SCOPE}
    write(store, Delete("roles", ("editor",), cascade=True))
    assert policies(store).keys() == {"deny"}


@pytest.mark.parametrize("more", [{}, {"conditions": {"context_attrs": [{"key": "mfa", "op": "eq", "value": True}]}}])
@pytest.mark.parametrize("lost", [None, []])
def test_no_patch_takes_the_last_exception_from_an_allow(store, more, lost):
    write(store, Create("policies", {"id": "c", "effect": "ALLOW", "except_roles": ["vip"], **SCOPE, **more}))
    with pytest.raises(Rejected) as raised:
        write(store, Patch("policies", ("c",), {"except_roles": lost}))
    expected = ("exceptions-lost" if lost is None else "empty", "$.except_roles")
    assert [(fault.code, fault.path) for fault in raised.value.faults] == [expected]
    write(store, Patch("policies", ("c",), {"except_roles": ["guest"]}))
    write(store, Patch("policies", ("c",), {"except_roles": None, "roles": ["editor"]}))


def test_a_deny_may_lose_its_exceptions_by_a_patch(store):
    write(store, Patch("policies", ("deny",), {"except_roles": None}))
    assert "except_roles" not in policies(store)["deny"]
