"""The table of routes finds the first route that matches: beside a naive scan, on random routes and paths."""

import re
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.bundles.routing.route import Route
from writ.bundles.routing.templates import BadTemplate, path_template, value_template
from writ.runtime.routing.route_table import LONGEST_FOUND, MOST_FOUND, MOST_HOSTS, RouteTable
from writ.runtime.routing.target import BadTarget, Target, read_target

TEXTS = st.sampled_from(["a", "b", "new", ""])
PARTS = st.sampled_from(["a", "b", "new", "{x}", "{y}"])
METHODS = st.sampled_from([("GET",), ("POST",), ("*",), ("GET", "POST")])
HOSTS = st.sampled_from([(), ("a.example",), ("*.example",), ("*.a.example", "b.example"), ("example",)])


@st.composite
def routes(draw: st.DrawFn) -> list[Route]:
    found = []
    for number in range(draw(st.integers(0, 8))):
        parts = draw(st.lists(PARTS, max_size=3))
        parts = [part if part not in parts[:at] or "{" not in part else "a" for at, part in enumerate(parts)]
        end = draw(st.sampled_from(["", "/", "/*"]))
        path = "/" + "/".join(parts) + (end if parts else end.removeprefix("/"))
        found.append(Route(f"r{number}", draw(HOSTS), draw(METHODS), path, "t", "id", "main", "read"))
    return found


def naive(routes: Sequence[Route], host: str, method: str, target: Target) -> str | None:
    """The first route of a plain scan."""
    for route in routes:
        on_host = not route.hosts or any(
            host == one or (one.startswith("*.") and host.endswith(one[1:])) for one in route.hosts
        )
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(route.path)).replace(r"\*", ".*")
        if on_host and (method in route.methods or "*" in route.methods) and re.fullmatch(pattern, target.path):
            return route.id
    return None


@given(
    routes(),
    st.lists(TEXTS, min_size=1, max_size=4),
    st.sampled_from(["GET", "PUT"]),
    st.sampled_from(["", "a.example", "x.a.example", "b.example", "example", "other"]),
)
def test_the_table_finds_what_a_scan_finds(routes: list[Route], parts: list[str], method: str, host: str) -> None:
    parts = [part for part in parts[:-1] if part] + parts[-1:]
    target = read_target("/" + "/".join(parts))
    found = RouteTable(routes).match(host, method, target)
    assert (None if found is None else found.route.id) == naive(routes, host, method, target)


@given(routes(), st.lists(st.tuples(TEXTS, st.sampled_from(["GET", "PUT"]), st.sampled_from(["", "b.example"]))))
def test_what_was_found_before_is_what_is_found(routes: list[Route], asked: list[tuple[str, str, str]]) -> None:
    table = RouteTable(routes)
    for text, method, host in asked * 3:
        target = f"/{text}?x={method}"
        found = table.find(host, method, target)
        assert found.target == read_target(target)
        assert found.matched == table.match(host, method, read_target(target))
        assert found.path == f"/{text}"


def test_a_table_remembers_within_bounds_and_no_refusal() -> None:
    table = RouteTable([route("/documents/{id}")])
    for number in range(2 * max(MOST_FOUND, MOST_HOSTS)):
        for _ in range(2):
            table.find(f"h{number}.example", "GET", f"/documents/{number}")
        assert 0 < len(table._found) <= MOST_FOUND
        assert len(table._of_host) <= MOST_HOSTS
    before = len(table._found)
    long = f"/documents/{'a' * LONGEST_FOUND}"
    for _ in range(3):
        assert table.find("", "GET", long).matched == table.match("", "GET", read_target(long))
    for _ in range(2):
        with pytest.raises(BadTarget):
            table.find("", "GET", "/documents/..")
    assert len(table._found) == before


def test_a_table_does_not_remember_what_comes_once() -> None:
    table = RouteTable([route("/documents/{id}")])
    for number in range(9):
        table.find("", "GET", f"/documents/{number}")
    assert not table._found


def route(path: str, value: str = "{id}", **members: object) -> Route:
    return Route("r", (), ("GET",), path, "document", "id", value, "read")._replace(**members)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "value", "target", "identifier"),
    [
        ("/documents/{id}", "{id}", "/documents/d%201", "d 1"),
        ("/documents/{id}/pages/*", "{id}", "/documents/d1/pages/3/4", "d1"),
        ("/files/*", "{*}", "/files/a/b%20c/", "a/b c/"),
        ("/files/*", "f:{*}", "/files/", "f:"),
        ("/about", "main", "/about", "main"),
        ("/{tenant}/x", "t-{tenant}.1", "/acme/x", "t-acme.1"),
    ],
)
def test_captures_make_the_identifier(path: str, value: str, target: str, identifier: str) -> None:
    found = RouteTable([route(path, value)]).match("", "GET", read_target(target))
    assert found is not None
    assert found.identifier == identifier


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/documents/{id}", "/documents/"),
        ("/documents/{id}", "/documents"),
        ("/documents/{id}", "/documents/d1/"),
        ("/documents", "/documents/"),
        ("/documents/", "/documents"),
        ("/files/*", "/files"),
        ("/Documents", "/documents"),
    ],
)
def test_what_is_not_the_template_does_not_match(path: str, target: str) -> None:
    assert RouteTable([route(path, "main")]).match("", "GET", read_target(target)) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "/a//b",
        "/*/a",
        "/a*",
        "/{a}/{a}",
        "/{1}",
        "/{a}b",
        "/{",
        "/a b",
        "/..",
        "/a/./b",
        "/%41",
        "/a?b",
        "/" + "a/" * 64,
    ],
)
def test_a_bad_path_template_is_refused(text: str) -> None:
    with pytest.raises(BadTemplate):
        path_template(text)


@pytest.mark.parametrize("text", ["{a}{b}", "{", "a}", "{a}-{b}", "{a b}"])
def test_a_bad_value_template_is_refused(text: str) -> None:
    with pytest.raises(BadTemplate):
        value_template(text)


def test_a_match_does_the_same_steps_among_ten_thousand_routes_as_among_ten() -> None:
    steps = []
    for count in (10, 10_000):
        table = RouteTable([route(f"/service{number}/items/{{id}}", id=f"r{number}") for number in range(count)])
        target, calls = read_target("/service9/items/i"), list[str]()
        sys.setprofile(lambda frame, event, _, calls=calls: calls.append(event) if event == "call" else None)
        found = table.match("shop.example", "GET", target)
        sys.setprofile(None)
        assert found is not None
        assert found.route.id == "r9"
        steps.append(len(calls))
    assert steps[0] == steps[1]
