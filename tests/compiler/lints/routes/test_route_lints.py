"""The lints of routes. `unreachable-route` and `ambiguous-routes` stand beside a naive comparison of all pairs."""

import json
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.bundles.routing.route import Route
from writ.compiler.limits import Limits
from writ.runtime.routing.route_table import RouteTable
from writ.runtime.routing.target import Target

from tests.support.diagnosing import load_text, model_text, seen

Row = dict[str, Any]


def route(path: str, value: str = "main", methods: Sequence[str] = ("GET",), hosts: Sequence[str] = ()) -> Row:
    shape: Row = {"path": path, "resource_id": value, "methods": [*methods], "resource_type": "document"}
    return shape | {"action": "read"} | ({"hosts": [*hosts]} if hosts else {})


def model(*routes: Row) -> str:
    return model_text(routes=json.dumps([{"id": f"r{number}"} | one for number, one in enumerate(routes)]))


def found(*routes: Row) -> list[tuple[str, str]]:
    """The code and the route of each warning."""
    loaded = load_text(model(*routes))
    assert loaded.model is not None
    return [(one.code, one.path) for one in loaded.diagnostics]


UNREACHABLE = {
    "the same": ([route("/a"), route("/a")], [1]),
    "another path": ([route("/a"), route("/b")], []),
    "a capture first": ([route("/{x}"), route("/a")], [1]),
    "a capture last": ([route("/a"), route("/{x}")], []),
    "other names": ([route("/{x}"), route("/{y}")], [1]),
    "a rest first": ([route("/a/*"), route("/a/b/{x}"), route("/a/"), route("/a")], [1, 2]),
    "an empty segment is no capture": ([route("/a/{x}"), route("/a/")], []),
    "any method first": ([route("/a", methods="*"), route("/a")], [1]),
    "one method of two": ([route("/a"), route("/a", methods=("GET", "PUT"))], []),
    "two methods, one after the other": (
        [route("/a"), route("/a", methods=("PUT",)), route("/a", methods=("GET", "PUT"))],
        [2],
    ),
    "any method last": ([route("/a"), route("/a", methods="*")], []),
    "any host first": ([route("/a"), route("/a", hosts=("x.example",))], [1]),
    "any host last": ([route("/a", hosts=("x.example",)), route("/a")], []),
    "below a host": (
        [route("/a", hosts=("*.example",)), route("/a", hosts=("x.y.example",)), route("/a", hosts=("example",))],
        [1],
    ),
    "below below": ([route("/a", hosts=("*.example",)), route("/a", hosts=("*.y.example",))], [1]),
    "one host of two": ([route("/a", hosts=("x",)), route("/a", hosts=("x", "y"))], []),
}


@pytest.mark.parametrize("case", UNREACHABLE)
def test_unreachable_routes(case: str) -> None:
    routes, expected = UNREACHABLE[case]
    assert found(*routes) == [("unreachable-route", f"$.routes[{place}]") for place in expected]


AMBIGUOUS = {
    "crossing": ([route("/a/{x}"), route("/{x}/b", "other")], True),
    "the same result": ([route("/a/{x}"), route("/{x}/b")], False),
    "no common path": ([route("/a/{x}/c"), route("/{x}/b/d", "other")], False),
    "one covers the other": ([route("/a/b"), route("/{x}/b", "other")], False),
    "no common method": ([route("/a/{x}"), route("/{x}/b", "other", methods=("PUT",))], False),
    "no common host": ([route("/a/{x}", hosts=("x",)), route("/{x}/b", "other", hosts=("y",))], False),
    "a host below": ([route("/a/{x}", hosts=("*.y",)), route("/{x}/b", "other", hosts=("x.y",))], True),
    "a rest": ([route("/a/*"), route("/{x}/b/c", "other")], True),
    "two rests": ([route("/a/{x}/*"), route("/{x}/b/*", "other")], True),
    "captures of different places": ([route("/a/{x}", "{x}"), route("/{x}/b", "{x}")], True),
    "the same text by different ways": ([route("/a/{x}", "doc-{x}"), route("/{y}/b", "doc-b")], False),
    "the same place by different names": ([route("/a/{x}/{z}", "{z}"), route("/{y}/b/{id}", "{id}")], False),
    "a rest that is one place": ([route("/a/{x}/*", "{*}"), route("/{y}/b/{id}", "{id}")], False),
}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("case", AMBIGUOUS)
def test_ambiguous_routes(case: str, turned: bool) -> None:
    routes, expected = AMBIGUOUS[case]
    told = found(*(reversed(routes) if turned else routes))
    covered = [("unreachable-route", "$.routes[1]")] if case == "one covers the other" and turned else []
    assert told == ([("ambiguous-routes", "$.routes[1]")] if expected else covered)


def test_what_is_said() -> None:
    (one,) = load_text(model(route("/a/{x}"), route("/{x}/b", "other"))).diagnostics
    assert one.message == "the routes `r0` and `r1` both match `/a/b`, and only their order says which one counts"
    assert one.help == "to show which one is meant, add a route for `/a/b` before both"
    (one,) = load_text(model(route("/{x}"), route("/a"))).diagnostics
    assert one.message == "the route `r1` never counts: `r0`, which comes first, matches all of it"


def test_routes_with_errors_are_not_compared() -> None:
    assert seen(model(route("/a"), route("/a") | {"methods": ["get"]})) == [("bad-method", '"get"')]


def test_a_lint_that_runs_out_of_steps_says_so() -> None:
    text = model(*(route(f"/{number}/{{x}}") for number in range(9)), *(route(f"/{{x}}/{n}", "o") for n in range(9)))
    told = load_text(text, limits=Limits(lint_steps=60)).diagnostics
    assert "lint-unfinished" in {one.code for one in told}


PARTS = st.sampled_from(["a", "b", "{x}", "{y}"])


@st.composite
def some_routes(draw: st.DrawFn) -> list[Row]:
    rows = []
    for _ in range(draw(st.integers(2, 5))):
        parts = draw(st.lists(PARTS, max_size=3, unique=True))
        end = draw(st.sampled_from(["", "", "/", "/*"]))
        methods = draw(st.sampled_from([("GET",), ("PUT",), ("*",), ("GET", "PUT")]))
        hosts = draw(st.sampled_from([(), (), ("h.example",), ("*.example",)]))
        path = "/" + "/".join(parts) + (end if parts else end.removeprefix("/"))
        rows.append(route(path, draw(st.sampled_from(["main", "other"])), methods, hosts))
    return rows


PATHS = [
    (*parts, *end)
    for count in range(5)
    for parts in product(("a", "b", "c"), repeat=count)
    for end in ((), ("",))
    if parts or end
]
"""Enough paths to tell any two of these templates apart: `c` is a text that none of them names."""

SAMPLES = [
    (host, method, Target(path, "", ""))
    for host in ("", "h.example", "o.example", "else")
    for method in ("GET", "PUT", "PATCH")
    for path in PATHS
]


def taken(row: Row) -> frozenset[int]:
    """The samples that a route alone matches."""
    one = Route("r", tuple(row.get("hosts", ())), tuple(row["methods"]), row["path"], "t", "id", "main", "read")
    table = RouteTable([one])
    return frozenset(number for number, sample in enumerate(SAMPLES) if table.match(*sample) is not None)


def path_of(row: Row) -> frozenset[int]:
    """The samples of a route's path, for any host and method."""
    return taken(row | {"hosts": [], "methods": ["*"]})


@given(some_routes())
def test_the_lints_find_what_a_comparison_of_all_pairs_finds(rows: list[Row]) -> None:
    told = found(*rows)
    samples, paths = [taken(row) for row in rows], [path_of(row) for row in rows]
    for place, row in enumerate(rows):
        # Several earlier routes together may cover a path too. The lint tells only of hosts and methods together.
        alone = any(samples[place] <= samples[other] for other in range(place))
        unreachable = ("unreachable-route", f"$.routes[{place}]") in told
        assert alone <= unreachable
        assert not unreachable or samples[place] <= frozenset().union(*samples[:place])
        crossing = any(
            samples[place] & samples[other]
            and not paths[place] <= paths[other]
            and not paths[other] <= paths[place]
            and row["resource_id"] != rows[other]["resource_id"]
            for other in range(place)
        )
        ambiguous = ("ambiguous-routes", f"$.routes[{place}]") in told
        assert ambiguous <= crossing
        hidden = any(
            paths[one] == paths[other] and samples[one] & samples[other]
            for one in range(len(rows))
            for other in range(one)
        )
        assert ambiguous == crossing or hidden  # of routes with one path, the tree keeps the first


TAKEN = {
    "a text beside a number": ("query:a", None, True),
    "a stated number": ("query:a as number", None, False),
    "a declared number": ("query:a", "number", False),
    "an array": ("query:a", "array", True),
    "a text that nobody compares": ("query:b", None, False),
}


@pytest.mark.parametrize("case", TAKEN)
def test_texts_that_a_route_takes_for_numbers(case: str) -> None:
    source, declared, warned = TAKEN[case]
    key = source.split()[0].removeprefix("query:")
    kinds = {} if declared is None else {"attributes": {key: declared}}
    comparison = {"key": "a", "op": "in" if declared == "array" else "gt", "value": [[1]] if declared == "array" else 5}
    conditions = {"resource_attrs": [comparison]}
    scope = [{"resource_type_id": "doc", "actions": ["read"]}]
    document = {
        "model": 1,
        "resource_types": [{"id": "doc", "actions": ["read"], **kinds}],
        "policies": [{"id": "p", "effect": "ALLOW", "resource_types": scope, "conditions": conditions}],
        "routes": [{"id": "r", **route("/a"), "resource_type": "doc", "attributes": {key: source}}],
    }
    loaded = load_text(json.dumps(document))
    assert loaded.model is not None, loaded.diagnostics
    paths = [one.path for one in loaded.diagnostics if one.code == "route-text"]
    assert paths == ([f"$.routes[0].attributes.{key}"] if warned else [])
