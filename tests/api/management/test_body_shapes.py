"""What does not fit a shape is said in words of JSON, with the member's name and its place."""

import pytest
from writ.api.credentials.credential_shapes import NewClient
from writ.api.http.rejections import BodyRejected
from writ.api.management.body_shapes import shaped

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
        (FULL | {"scopes": ["root"]}, "$.scopes[0]", "`scopes[0]` must be `read`, `write` or `admin`, not `root`"),
        (FULL | {"token_lifetime": 0}, "$.token_lifetime", "`token_lifetime` must be at least 1"),
        (FULL | {"description": 1.5}, "$.description", "`description` must be a string or null, not a number"),
        (
            FULL | {"environments": True},
            "$.environments",
            "`environments` must be an array or null, not `true` or `false`",
        ),
        (FULL | {"scope": 1}, "$", "there is no member `scope` here; did you mean `scopes`?"),
    ],
)
def test_it_says_what_is_wrong_and_where(body: object, path: str, sentence: str) -> None:
    with pytest.raises(BodyRejected) as refused:
        shaped(body, NewClient, "bad-client")
    assert (refused.value.detail.code, refused.value.detail.path, str(refused.value)) == ("bad-client", path, sentence)


def test_what_fits_is_taken() -> None:
    assert shaped(FULL, NewClient, "bad-client") == NewClient("web", ("read",))
