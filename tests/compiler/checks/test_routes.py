"""What is wrong with a route, where it stands, and what helps."""

import json
import time
from typing import Any

import pytest
from writ.compiler.limits import DEFAULTS, Limits

from tests.support.diagnosing import FORMATS, load_text, model_text, seen


def routes(*given: dict[str, Any]) -> str:
    """A model with these routes: a `GET` of a document by its id, unless they say otherwise."""
    shape = {"methods": ["GET"], "path": "/documents/{id}", "resource_type": "document", "action": "read"}
    stated = [{"id": f"r{number}"} | shape | one for number, one in enumerate(given)]
    return model_text(routes=json.dumps(stated))


CASES = {
    "sound": ({}, []),
    "no braces, no value": ({"path": "/main"}, [("either-or", "{")]),
    "another capture, no value": ({"path": "/documents/{document}"}, [("either-or", "{")]),
    "a constant": ({"path": "/main", "resource_id": "main"}, []),
    "two names": ({"resource_id": "{id}", "external_id": "{id}"}, [("either-or", "{")]),
    "the rest": ({"path": "/files/*", "resource_id": "{*}"}, []),
    "bad path": ({"path": "documents"}, [("bad-template", '"documents"')]),
    "star inside": ({"path": "/a/*/{id}"}, [("bad-template", '"/a/*/{id}"')]),
    "dots": ({"path": "/a/../{id}"}, [("bad-template", '"/a/../{id}"')]),
    "bad value": ({"resource_id": "{id}-{x}"}, [("bad-template", '"{id}-{x}"')]),
    "unknown capture": ({"resource_id": "{document}"}, [("unknown-capture", '"{document}"')]),
    "no rest": ({"resource_id": "{*}"}, [("unknown-capture", '"{*}"')]),
    "source": ({"attributes": {"a": "{id}", "b": "query:page", "c": "header:X-Tenant"}}, []),
    "a type that no text says": ({"attributes": {"a": "query:a as array"}}, [("bad-source", '"query:a as array"')]),
    "bad source": ({"attributes": {"a": "cookie:x"}}, [("bad-source", '"cookie:x"')]),
    "no name of a source": ({"attributes": {"a": "query:"}}, [("bad-source", '"query:"')]),
    "unknown capture of a source": ({"attributes": {"a": "{page}"}}, [("unknown-capture", '"{page}"')]),
    "type": ({"resource_type": "docs"}, [("unknown-type", '"docs"')]),
    "every type": ({"resource_type": "*"}, [("unknown-type", '"*"')]),
    "action": ({"action": "raed"}, [("unknown-action", '"raed"')]),
    "every action": ({"action": "*"}, [("unknown-action", '"*"')]),
    "hosts": ({"hosts": ["api.example", "*.b.example", "localhost"]}, []),
    "no host": ({"hosts": []}, [("empty", "[")]),
    "upper case": ({"hosts": ["API.example"]}, [("bad-host", '"API.example"')]),
    "port": ({"hosts": ["a.example:80"]}, [("bad-host", '"a.example:80"')]),
    "star inside a host": ({"hosts": ["a.*.example"]}, [("bad-host", '"a.*.example"')]),
    "methods": ({"methods": ["GET", "M-SEARCH"]}, []),
    "any method": ({"methods": ["*"]}, []),
    "no method": ({"methods": []}, [("empty", "[")]),
    "lower case": ({"methods": ["get"]}, [("bad-method", '"get"')]),
    "star among others": ({"methods": ["GET", "*"]}, [("bad-method", '"*"')]),
    "unknown member": ({"resourceid": "x"}, [("unknown-member", '"resourceid"')]),
    "too many hosts": ({"hosts": [f"h{n}.example" for n in range(101)]}, [("too-long", "[")]),
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("case", CASES)
def test_routes(case: str, name: str) -> None:
    given, expected = CASES[case]
    assert seen(routes(given), name) == expected


def test_two_routes_with_one_id() -> None:
    assert seen(routes({"id": "r"}, {"id": "r", "path": "/x/{id}"})) == [("duplicate-id", '"r"')]


@pytest.mark.parametrize(
    ("given", "help_text"),
    [
        ({"path": "/main"}, "add `resource_id` or `external_id`, such as"),
        ({"methods": ["get"]}, "write `GET`"),
        ({"hosts": ["a.example:80"]}, "leave the port out"),
        ({"resource_id": "{x}"}, "it captures `{id}`"),
        ({"resource_type": "documnt"}, "did you mean `document`?"),
    ],
)
def test_help(given: dict[str, Any], help_text: str) -> None:
    (found,) = load_text(routes(given)).diagnostics
    assert found.help.startswith(help_text)


def test_the_limit() -> None:
    text = routes(*({"path": f"/{number}/{{id}}"} for number in range(4)))
    (found,) = load_text(text, limits=Limits(routes=3)).diagnostics
    assert (found.code, found.message) == ("too-many-routes", "there are 4 routes, the limit is 3")


def test_ten_thousand_routes_are_checked_soon() -> None:
    """A second is the aim. The bound leaves room for a slow machine, and is far below a comparison of all pairs."""
    text = routes(*({"path": f"/s{number % 100}/v1/t{number}/{{id}}"} for number in range(DEFAULTS.routes)))
    started = time.process_time()
    assert load_text(text).diagnostics == ()
    assert time.process_time() - started < 5


def test_a_route_reads_no_other_type_than_the_declared_one() -> None:
    """C11: two types for one value would be two meanings."""
    types = [{"id": "document", "actions": ["read"], "attributes": {"size": "number"}}]
    shape = {"methods": ["GET"], "path": "/{id}", "resource_type": "document", "action": "read"}
    for stated, codes in ((" as boolean", ["bad-source"]), (" as number", []), ("", [])):
        taken = [{"id": "r", **shape, "attributes": {"size": f"query:size{stated}"}}]
        found = load_text(json.dumps({"model": 1, "resource_types": types, "routes": taken}))
        assert [one.code for one in found.diagnostics if one.severity == "error"] == codes
