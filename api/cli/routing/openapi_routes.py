"""Proposes routes, resource types and actions from an OpenAPI 3 document."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from ....bundles.routing.hosts import is_host_pattern
from ....bundles.routing.templates import BadTemplate, path_template

ACTIONS: Final = {
    "get": "read",
    "head": "read",
    "post": "create",
    "put": "update",
    "patch": "update",
    "delete": "delete",
    "options": "options",
    "trace": "trace",
}
"""The action of each method on a path with a parameter. See `_action`."""

LIST: Final = "list"
"""The action of a GET or HEAD on a path without a parameter."""

EVERYTHING: Final = "all"
"""The id of the resource that a path without a parameter is about."""

UNNAMED: Final = "resource"
"""The type of a path without a text before its last parameter."""

_PARAMETER: Final = re.compile(r"\{([^{}]+)\}")
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_]")
_VARIABLE: Final = re.compile(r"\{([^{}]*)\}")


class BadOpenApi(Exception):
    """The document is not an OpenAPI 3 document. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A model document with routes and resource types, and a sentence for each path that no route can match."""

    document: dict[str, Any]
    skipped: tuple[str, ...]


class _Place(NamedTuple):
    """The server of operations: its hosts (none means any), and the path before those of the document."""

    hosts: tuple[str, ...]
    base: str


class _Key(NamedTuple):
    """The parts that the operations of one route share."""

    path: str
    hosts: tuple[str, ...]
    type: str
    value: str
    action: str


@dataclass(slots=True)
class _Found:
    methods: dict[_Key, set[str]] = field(default_factory=lambda: defaultdict(set))
    skipped: dict[str, None] = field(default_factory=dict)


def proposed(document: Any) -> Proposal:
    """Returns the routes of a document, special paths before general ones.

    The last parameter of a path is the id, and the type is the last text before it. `api/REFERENCE.md` has all rules.
    Raises BadOpenApi.
    """
    if not isinstance(document, dict) or not str(document.get("openapi", "")).startswith("3."):
        raise BadOpenApi("this is not an OpenAPI 3 document: it does not say `openapi: 3.…`")
    found = _Found()
    for path, item in _object(document.get("paths")).items():
        for method in ACTIONS:
            operation = _object(item).get(method)
            if isinstance(operation, dict):
                _add(found, path, method, _servers(document, item, operation))
    if not found.methods:
        raise BadOpenApi("the document has no operation that a route could match")
    return Proposal(_model(found.methods), tuple(found.skipped))


def _servers(document: Mapping[str, Any], item: Any, operation: Mapping[str, Any]) -> list[Any]:
    """Returns the servers of an operation: its own, or those of its path, or those of the document."""
    for owner in (operation, _object(item), document):
        servers = owner.get("servers")
        if isinstance(servers, list) and servers:
            return servers
    return [{"url": "/"}]


def _add(found: _Found, path: str, method: str, servers: list[Any]) -> None:
    for place in _places(servers):
        template = place.base + _template(path)
        try:
            path_template(template)
        except BadTemplate as ex:
            found.skipped[f"{path}: {ex}"] = None
            continue
        texts = [segment for segment in _template(path).split("/") if segment]
        captures = [segment for segment in texts if _PARAMETER.fullmatch(segment)]
        value = captures[-1] if captures else EVERYTHING
        key = _Key(template, place.hosts, _type(texts), value, _action(method, texts))
        found.methods[key].add(method.upper())


def _places(servers: list[Any]) -> Iterator[_Place]:
    """Yields the places that servers name: one for each base path, with all its hosts."""
    hosts: dict[str, set[str]] = defaultdict(set)
    anywhere: set[str] = set()
    for server in servers:
        url = str(_object(server).get("url", "/"))
        filled = _filled(url, _object(_object(server).get("variables")))
        try:
            split = urlsplit(filled)
            host = (split.hostname or "") if split.netloc else ""
        except ValueError:
            host, split = "", urlsplit("/")
        base = "/" + split.path.strip("/") if split.path.strip("/") else ""
        hosts[base]
        if is_host_pattern(host):
            hosts[base].add(host)
        else:
            anywhere.add(base)
    for base, names in hosts.items():
        yield _Place(() if base in anywhere else tuple(sorted(names)), base)


def _filled(url: str, variables: Mapping[str, Any]) -> str:
    """Returns the URL of a server with the defaults of its variables."""
    return _VARIABLE.sub(lambda found: str(_object(variables.get(found[1])).get("default", "")), url)


def _template(path: str) -> str:
    """Returns a path with the names of its parameters as captures have them. Equal names get a number."""
    seen: dict[str, int] = {}

    def name(found: re.Match[str]) -> str:
        plain = _NOT_IN_NAMES.sub("_", found[1])
        plain = f"_{plain}" if plain[0].isdigit() else plain
        seen[plain] = seen.get(plain, 0) + 1
        return f"{{{plain}}}" if seen[plain] == 1 else f"{{{plain}_{seen[plain]}}}"

    return _PARAMETER.sub(name, path)


def _type(segments: list[str]) -> str:
    """Returns the last text before the last parameter, or the last text of a path without a parameter.

    >>> _type(["users", "{user}", "keys", "{key}", "uses"]), _type(["pets"]), _type(["{id}"])
    ('keys', 'pets', 'resource')
    """
    captures = [at for at, segment in enumerate(segments) if _PARAMETER.fullmatch(segment)]
    before = segments[: captures[-1]] if captures else segments
    return next((segment for segment in reversed(before) if not _PARAMETER.fullmatch(segment)), UNNAMED)


def _action(method: str, segments: list[str]) -> str:
    """Returns the action: that of the method, with the texts behind the last parameter.

    >>> _action("get", ["pets"]), _action("get", ["pets", "{id}"]), _action("post", ["pets", "{id}", "photos"])
    ('list', 'read', 'create-photos')
    """
    captures = [at for at, segment in enumerate(segments) if _PARAMETER.fullmatch(segment)]
    if not captures:
        return LIST if ACTIONS[method] == "read" else ACTIONS[method]
    return "-".join([ACTIONS[method], *segments[captures[-1] + 1 :]])


def _model(methods: Mapping[_Key, set[str]]) -> dict[str, Any]:
    actions: dict[str, set[str]] = defaultdict(set)
    routes: list[dict[str, Any]] = []
    ids: dict[str, int] = {}
    for key in sorted(methods, key=_rank):
        actions[key.type].add(key.action)
        id = "-".join([key.action, *(re.sub(r"[{}]", "", one) for one in key.path.split("/") if one)])[:500]
        ids[id] = ids.get(id, 0) + 1
        route: dict[str, Any] = {"id": id if ids[id] == 1 else f"{id}-{ids[id]}"}
        if key.hosts:
            route["hosts"] = [*key.hosts]
        route |= {"methods": sorted(methods[key]), "path": key.path, "resource_type": key.type, "action": key.action}
        routes.append(route if key.value == "{id}" else route | {"resource_id": key.value})
    types = [{"id": type, "actions": sorted(found)} for type, found in sorted(actions.items())]
    return {"model": 1, "resource_types": types, "routes": routes}


def _rank(key: _Key) -> tuple[object, ...]:
    """Returns a sort key that puts a text before a parameter, so that special routes come first (OpenAPI, "Paths")."""
    segments = tuple((bool(_PARAMETER.fullmatch(one)), one) for one in key.path.split("/"))
    return segments, key


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
