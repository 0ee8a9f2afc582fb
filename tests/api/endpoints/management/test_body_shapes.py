"""A body that does not fit is refused in words of JSON, with the member's name and its place."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from writ.api.endpoints.management.body_shapes import shaped
from writ.api.endpoints.management.management_shapes import EnvironmentPatch, NewEnvironment
from writ.api.http.rejections import BodyRejected
from writ.api.identity.credential_shapes import ClientPatch, NewApiKey, NewClient
from writ.compiler.documents.schema_check import schema_faults

FULL = {"name": "web", "scopes": ["read"]}


@pytest.mark.parametrize(
    ("body", "path", "sentence"),
    [
        ({}, "$", "`name` is missing"),
        ([], "$", "the body must be an object, not an array"),
        (FULL | {"name": 3}, "$.name", "`name` must be a string, not a whole number"),
        (FULL | {"name": ""}, "$.name", "`name` must not be empty"),
        (FULL | {"name": "a" * 257}, "$.name", "`name` must have at most 256 characters"),
        (FULL | {"scopes": "read"}, "$.scopes", "`scopes` must be an array, not a string"),
        (
            FULL | {"scopes": ["root"]},
            "$.scopes[0]",
            "`scopes[0]` must be `decide`, `read`, `write` or `admin`, not `root`",
        ),
        (FULL | {"token_lifetime": 0}, "$.token_lifetime", "`token_lifetime` must be at least 1"),
        (FULL | {"description": 1.5}, "$.description", "`description` must be a string or null, not a number"),
        (
            FULL | {"environments": True},
            "$.environments",
            "`environments` must be an array or null, not `true` or `false`",
        ),
        (FULL | {"scopes": [None]}, "$.scopes[0]", "`scopes[0]` must be a string, not null"),
        (FULL | {"scopes": []}, "$.scopes", "`scopes` must not be empty"),
        (FULL | {"scopes": ["read"] * 17}, "$.scopes", "`scopes` must have at most 16 items"),
        (FULL | {"": 1}, "$", "there is no member `` here"),
        ({"scope": 1, "name": 2}, "$", "there is no member `scope` here; did you mean `scopes`?"),
        ({"name": 2, "scope": 1}, "$.name", "`name` must be a string, not a whole number"),
        (FULL | {"scope": 1}, "$", "there is no member `scope` here; did you mean `scopes`?"),
    ],
)
def test_it_says_what_is_wrong_and_where(body: object, path: str, sentence: str) -> None:
    with pytest.raises(BodyRejected) as refused:
        shaped(body, NewClient, "bad-client")
    assert (refused.value.detail.code, refused.value.detail.path, str(refused.value)) == ("bad-client", path, sentence)


@pytest.mark.parametrize("more", [{}, {"description": None}, {"environments": None}])
def test_what_fits_is_taken(more: dict[str, None]) -> None:
    assert shaped(FULL | more, NewClient, "bad-client") == NewClient("web", ("read",))


SHAPES = [NewClient, ClientPatch, NewApiKey, NewEnvironment, EnvironmentPatch]
VALUES = st.sampled_from(
    [None, True, 0, 1, -3, 2**70, 1.0, 1.5, "", "a" * 257, "a" * 5_000, "read", [], ["read"], ["read"] * 17, [1], {}]
)


@given(st.sampled_from(SHAPES), st.data())
def test_the_check_finds_a_fault_exactly_where_the_conversion_does(shape: type[Struct], data: st.DataObject) -> None:
    names = st.sampled_from([*shape.__struct_fields__, "other"])
    body = data.draw(st.dictionaries(names, VALUES))
    faults = [*schema_faults(body, shape, nullable=True)]
    try:
        msgspec.convert(body, shape)
    except msgspec.ValidationError:
        assert faults
    else:
        assert not faults
