"""Requests are read the same way fast and carefully, and refused with the place (E2, E4; authzen.md 72, 73)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.runtime.requests.evaluation_request import read_carefully, read_evaluation
from writ.runtime.requests.members import MAX_ID_CHARACTERS, BadRequest
from writ.runtime.requests.searches import read_action_search, read_resource_search, read_subject_search

SUBJECT = {"type": "user", "id": "alice"}
ACTION = {"name": "read"}
RESOURCE = {"type": "document", "id": "d1"}

NAMES = st.sampled_from(["a", "", None, 1, True, "x" * 512, "x" * 513, [], {}])
OBJECTS = st.sampled_from([{}, {"k": 1}, {"k": None}, None, [], "a", 1])


def entities(*members: str) -> st.SearchStrategy:
    optional = {member: NAMES if member not in ("properties", "attributes") else OBJECTS for member in members}
    good = st.sampled_from([SUBJECT, RESOURCE, ACTION, {**SUBJECT, "properties": {"k": 1}}])
    return st.one_of(good, st.fixed_dictionaries({}, optional=optional), st.sampled_from([None, "alice", []]))


REQUESTS = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "subject": entities("type", "id", "external_id", "properties", "attributes", "name"),
            "action": entities("name", "properties"),
            "resource": entities("type", "id", "external_id", "name", "properties", "attributes", "unknown"),
            "context": OBJECTS,
            "options": st.sampled_from([None, {}, {"explain": True}, {"explain": 1}, [], {"other": 1}]),
            "unknown": st.just(1),
        },
    ),
    st.sampled_from([None, [], "x", 1, b"", object()]),
)


def outcome(read, request):
    try:
        return read(request)
    except BadRequest as ex:
        return ex.message, ex.path


@given(request=REQUESTS)
def test_fast_and_careful_reading_agree(request):
    assert outcome(read_evaluation, request) == outcome(read_carefully, request)


@given(request=REQUESTS)
def test_searches_read_members_as_evaluations_do(request):
    try:
        *parts, context, _ = read_evaluation(request)
    except BadRequest:
        return
    subject, action, resource = tuple(parts[:4]), tuple(parts[4:6]), tuple(parts[6:])
    search = read_resource_search(request)
    assert (search.subject, search.action, search.resource_type) == (subject, action, resource[0])
    search = read_subject_search(request)
    assert (search.subject_type, search.action, search.resource) == (subject[0], action, resource)
    search = read_action_search(request)
    assert (search.subject, search.resource, search.context or {}) == (subject, resource, context)


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        ({"subject": None}, "$.subject", "missing"),
        ({"subject": "alice"}, "$.subject", "not an object"),
        ({"action": "read"}, "$.action", "not an object"),
        ({"action": {}}, "$.action.name", "missing"),
        ({"action": {"name": ""}}, "$.action.name", "missing"),
        ({"action": {"name": 1}}, "$.action.name", "not a string"),
        ({"subject": {"id": "a"}}, "$.subject.type", "missing"),
        ({"subject": {"type": "user"}}, "$.subject", "exactly one of `id` or `external_id`, not by none"),
        ({"subject": {"type": "user", "id": ""}}, "$.subject", "none"),
        ({"subject": {"type": "user", "id": 7}}, "$.subject.id", "not a string"),
        ({"subject": {"type": "user", "id": "a", "external_id": "b"}}, "$.subject", "`id` and `external_id`"),
        ({"resource": {"type": "d", "id": "a", "name": "b"}}, "$.resource", "`id` and `name`"),
        ({"resource": {"type": "d", "id": "a" * 513}}, "$.resource.id", "513 characters, the limit is 512"),
        ({"subject": {**SUBJECT, "properties": []}}, "$.subject.properties", "not an object"),
        ({"subject": {**SUBJECT, "attributes": 1}}, "$.subject.attributes", "not an object"),
        ({"context": "x"}, "$.context", "not an object"),
        ({"options": []}, "$.options", "not an object"),
        ({"options": {"explain": "yes"}}, "$.options.explain", "neither true nor false"),
    ],
)
def test_a_refusal_names_place_and_fault(change, path, words):
    request = {"subject": SUBJECT, "action": ACTION, "resource": RESOURCE} | change
    with pytest.raises(BadRequest) as refused:
        read_evaluation(request)
    assert refused.value.path == path
    assert words in refused.value.message


def test_properties_win_over_attributes_a_null_too():
    """E4."""
    subject = {**SUBJECT, "attributes": {"a": 1, "b": 2}, "properties": {"b": None, "c": 3}}
    read = read_evaluation({"subject": subject, "action": ACTION, "resource": RESOURCE})
    assert read[3] == {"a": 1, "b": None, "c": 3}


def test_null_is_the_same_as_leaving_out():
    """E4, E2."""
    full = {
        "subject": {**SUBJECT, "external_id": None, "properties": None, "attributes": None},
        "action": {**ACTION, "properties": None},
        "resource": {**RESOURCE, "name": None, "external_id": ""},
        "context": None,
        "options": None,
    }
    assert read_evaluation(full) == read_evaluation({"subject": SUBJECT, "action": ACTION, "resource": RESOURCE})


def test_an_id_of_the_greatest_length_is_read():
    """E1."""
    long = "x" * MAX_ID_CHARACTERS
    request = {"subject": {"type": "user", "id": long}, "action": ACTION, "resource": RESOURCE}
    assert read_evaluation(request)[2] == long
