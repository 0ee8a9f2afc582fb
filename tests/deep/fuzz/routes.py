"""Routes: templates and targets are refused in words, and a table finds what a plain scan of the routes finds.

An input has lines: the template, the value, the target, the host and the method, and then more templates.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from writ.bundles.routing.route import Route
from writ.bundles.routing.templates import BadTemplate, Capture, Rest, Segment, path_template, value_template
from writ.runtime.routing.route_table import RouteTable
from writ.runtime.routing.target import MAX_TARGET, BadTarget, Target, parameters, read_carefully, read_target

from tests.deep.fuzz.targets import Law
from tests.runtime.routing.test_target import ATTACKS
from tests.support.strategies_pick import Pick

_PARTS: Final = (
    "",
    "a",
    "{id}",
    "{x}",
    "*",
    "{*}",
    "%2e",
    "..",
    ".",
    "%00",
    "%25",
    ";",
    "é",
    "//",
    "a b",
    "%c3%a9",
    "b",
)
_METHODS: Final = ("GET", "PUT", "*", "get")
_HOSTS: Final = ("", "a.example", "*.example", "x.a.example")


def starts() -> Iterator[bytes]:
    """A route and a path that fits, and each attack."""
    yield b"/documents/{id}/*\ndoc-{id}\n/documents/d1/pages/2?x=1\na.example\nGET\n/{x}\n/documents/new"
    yield from (f"/{{id}}/b\n{{id}}\n{one}\n\nGET".encode("utf-8", "replace") for one in ATTACKS if len(one) < 200)


def mutated(pick: Pick, data: bytes) -> bytes:
    """One of the lines made anew."""
    lines = data.decode("utf-8", "replace").split("\n")[:8]
    lines += [""] * (5 - len(lines))
    place = pick.number(0, len(lines))
    made = "/" + "/".join(pick.one(_PARTS) for _ in range(pick.number(0, 4))) + pick.one(("", "?a=b&A=c", "?%2"))
    made = {1: f"doc-{pick.one(_PARTS)}", 3: pick.one(_HOSTS), 4: pick.one(_METHODS)}.get(place, made)
    lines[place : place + 1] = [made]
    return "\n".join(lines).encode("utf-8", "replace")


def scanned(routes: Sequence[Route], host: str, method: str, target: Target) -> str | None:
    """The first route that a plain scan finds."""
    for route in routes:
        at_host = not route.hosts or any(
            host == one or (one.startswith("*.") and host.endswith(one[1:])) for one in route.hosts
        )
        if at_host and {method, "*"} & {*route.methods} and _fits(path_template(route.path), target.segments):
            return route.id
    return None


def _fits(template: Sequence[Segment], segments: Sequence[str]) -> bool:
    if not template or not segments:
        return not template and not segments
    first = template[0]
    if isinstance(first, Rest):
        return True
    return (bool(segments[0]) if isinstance(first, Capture) else first == segments[0]) and _fits(
        template[1:], segments[1:]
    )


def law(_folder: Path) -> Law:
    """See the module."""

    def holds(data: bytes) -> None:
        path, value, target, host, method, *others = (*data.decode("utf-8", "replace").split("\n"), *[""] * 5)
        read = _target(target)
        with suppress(BadTarget):
            if read is not None:
                parameters(read.query)
                read.parameter("a")
        routes = [one for at, text in enumerate((path, *others[:6])) if (one := _route(at, text, value, host))]
        if read is not None:
            found = RouteTable(routes).find(host, method, target).matched
            assert (None if found is None else found.route.id) == scanned(routes, host, method, read)

    return holds


def _target(text: str) -> Target | None:
    try:
        read = read_target(text)
    except BadTarget:
        read = None
    if len(text) <= MAX_TARGET:
        try:
            carefully = read_carefully(text)
        except BadTarget:
            carefully = None
        assert read == carefully
    assert read is None or not {".", "..", "\x00"} & {*read.segments}
    return read


def _route(at: int, path: str, value: str, host: str) -> Route | None:
    """A route, if its templates can be read; of every second one, the host is any below the last name."""
    try:
        named = {one.name for one in path_template(path) if isinstance(one, Capture)}
        capture = value_template(value).capture
    except BadTemplate:
        return None
    hosts = () if at % 2 == 0 or "." not in host else (f"*.{host.rpartition('.')[2]}",)
    usable = value if capture is None or capture in named else "main"
    return Route(f"r{at}", hosts, ("GET",) if at % 3 else ("*",), path, "t", "id", usable, "read")
