"""Made ids: the same for the same content, whatever the order, and never one that is taken."""

import json
import uuid

from hypothesis import given
from hypothesis import strategies as st
from writ.compiler.model.generated_ids import NAMESPACE, _uuid5

from tests.support.diagnosing import load_text, model_text

ROW = {"subject": {"type": "user", "id": "u"}, "resource": {"type": "document", "id": "d"}, "actions": ["read"]}
HELD = {"role": "editor", "group": "eng"}


def grants(*rows: dict):
    return load_text(model_text(grants=json.dumps(rows))).model.grants


def assignments(*rows: dict):
    return load_text(model_text(assignments=json.dumps(rows))).model.assignments


def made(**members) -> str:
    (grant,) = grants(ROW | members)
    return grant.id


def test_they_are_uuids_of_version_5():
    assert uuid.UUID(made()).version == 5
    assert made() == made() == "18a0fd93-e2be-5e6a-837f-7f9b01c7b87f"


@given(st.binary(max_size=40).map(lambda data: data.hex()))
def test_they_are_those_of_the_standard_library(content):
    assert _uuid5(content.encode()) == str(uuid.uuid5(NAMESPACE, content))


def test_they_depend_on_what_is_said_and_not_on_how():
    assert made(actions=["read", "update"]) == made(actions=["update", "read", "read"]) != made()
    assert made(expires_at="2027-01-01T00:00Z") == made(expires_at="2027-01-01T01:00:00.0+01:00") != made()
    assert made(starts_at="2027-01-01T00:00Z") == made(starts_at="2027-01-01T01:00:00.0+01:00") != made()
    assert made(starts_at="2027-01-01T00:00Z") != made(expires_at="2027-01-01T00:00Z")
    assert made(resource={"type": "folder", "id": "d"}) != made()
    assert made(subject={"type": "user", "id": "d"}, resource={"type": "document", "id": "u"}) != made()


def test_given_ids_are_kept():
    assert made(id="mine") == "mine"


def test_an_id_that_is_taken_is_not_made_again():
    first, other = made(), ROW | {"actions": ["update"]}
    for rows in ((ROW, other | {"id": first}), (other | {"id": first}, ROW)):
        assert len({grant.id for grant in grants(*rows)}) == 2


def test_assignments_have_them_too():
    rows = [
        {"role": "editor", "subject": {"type": "user", "id": "u"}},
        {"role": "editor", "group": "eng"},
        {"role": "viewer", "group": "eng"},
        {"role": "viewer", "group": "eng", "expires_at": "2027-01-01T00:00Z"},
    ]
    assert len({one.id for one in assignments(*rows)} - {None}) == 4
