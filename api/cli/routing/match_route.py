"""`writ routes test`: shows which route matches a request, and what the request is about."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from ....bundles.conditions.values import Unreadable
from ....bundles.file.reader import open_bundle
from ....bundles.routing.route import Route
from ....bundles.routing.settings import GatewaySettings
from ....bundles.routing.templates import HEADER
from ....bundles.routing.typed_values import typed_value
from ....bundles.system_errors import os_sentence
from ....bundles.wording import joined, quoted
from ....compiler.lowering.lower_routes import lower_routes
from ....runtime.routing.route_table import Matched, RouteTable
from ....runtime.routing.target import BadTarget, Target, read_target
from ..named_model import reading_bundle, stored_gateway, stored_model
from ..output import CommandFailed, escaped
from ..source_paths import FilePath
from ..stores.store_opening import data_option, env_option


class RoutedRequest(NamedTuple):
    """A URL as a gateway hands it on: the host in lower case without its port, or "", and the request target."""

    host: str
    target: str


@click.command("test")
@click.argument("method")
@click.argument("url")
@click.argument("bundle", required=False, type=FilePath())
@data_option
@env_option
@click.option("--header", "headers", multiple=True, metavar="NAME:VALUE", help="A header of the request.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def test_command(
    method: str, url: str, bundle: Path | None, directory: Path, environment: str, headers: tuple[str, ...], form: str
) -> None:
    """Show which route matches a request to URL, and the resource, the action and the attributes that follow.

    URL is an absolute URL, or a path for any host. The routes are those of BUNDLE, or without it, of an environment in
    the store. Exit code 0 if a route matches, 1 if none does or the URL is refused, 2 if a file can't be read.

    \b
    Examples:
      writ routes test GET https://api.example/documents/d1?page=2 model.bundle
      writ routes test PUT /documents/d1 --data /var/lib/writ --env staging
    """
    table, gateway = _of_store(directory, environment) if bundle is None else _of_bundle(bundle)
    asked, given = split_url(url), _headers(headers)
    try:
        target = read_target(asked.target)
        found = table.match(asked.host, method, target)
        answer = _nothing(table, asked, method, target) if found is None else _shown(found, target, given)
        if found is not None:
            answer |= _warning(found, gateway)
    except BadTarget as ex:
        answer = {"matches": False, "reason": f"no gateway passes this URL: it has {ex}"}
    if form == "json":
        click.echo(escaped(msgspec.json.encode(answer).decode()))
    else:
        for name, value in answer.items():
            if name != "matches":
                click.echo(escaped(f"{name:<14} {value if isinstance(value, str) else _json(value)}"))
    sys.exit(0 if answer["matches"] else 1)


def split_url(url: str) -> RoutedRequest:
    """Returns the host and the target of a URL, without reading more into it than a gateway does.

    >>> split_url("HTTPS://API.example:8443/a/%2e?x"), split_url("/a")
    (RoutedRequest(host='api.example', target='/a/%2e?x'), RoutedRequest(host='', target='/a'))
    """
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.lower() not in ("http", "https"):
        return RoutedRequest("", url)
    authority = rest.partition("/")[0].partition("?")[0]
    target = rest[len(authority) :]
    name, _, port = authority.lower().rpartition(":")
    host = name if name and port.isdigit() else authority.lower()
    return RoutedRequest(host, target if target.startswith("/") else f"/{target}")


def _of_bundle(path: Path) -> tuple[RouteTable, GatewaySettings | None]:
    """Returns the routes of a bundle, and its gateway settings."""
    try:
        with reading_bundle(path):
            found = open_bundle(path).routing()
            return RouteTable(found.routes), found.gateway
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None


def _of_store(directory: Path, environment: str) -> tuple[RouteTable, GatewaySettings | None]:
    return RouteTable(lower_routes(stored_model(directory, environment))), stored_gateway(directory, environment)


def _headers(given: tuple[str, ...]) -> Mapping[str, str]:
    """Returns the headers by name in lower case. Raises UsageError."""
    found = {}
    for one in given:
        name, separator, value = one.partition(":")
        if not separator or not name.strip():
            raise click.UsageError("--header takes NAME:VALUE")
        found[name.strip().lower()] = value.strip()
    return found


def _shown(found: Matched, target: Target, headers: Mapping[str, str]) -> dict[str, Any]:
    """Returns what a request is about. Raises BadTarget for a parameter that is there twice."""
    route = found.route
    attributes: dict[str, Any] = {}
    for key, source, name, kind in found.sources():
        values = {"capture": found.captures.get(name), "header": headers.get(name)}
        value = target.parameter(name) if source == "query" else values[source]
        if value is not None:
            typed = typed_value(kind, value)
            attributes[key] = {"unreadable": typed.text} if isinstance(typed, Unreadable) else typed
    action = route.action if found.action_header is None else _sent(found.action_header, headers)
    id = found.identifier if found.id_header is None else _sent(found.id_header, headers)
    shown: dict[str, Any] = {"matches": True, "route": route.id, "path": route.path, "action": action}
    if route.anonymous:
        shown["anonymous"] = True
    return shown | {"resource": {"type": route.resource_type, route.identifier: id}, "attributes": attributes}


def _sent(name: str, headers: Mapping[str, str]) -> str:
    """Returns the value of a header that the gateway sets, or how a route names it if the command got none."""
    return headers.get(name.lower()) or f"{HEADER}{name}"


def _warning(found: Matched, gateway: GatewaySettings | None) -> dict[str, str]:
    """Returns a warning if the settings lack what the route relies on: a header that it takes, or a subject (E11)."""
    if gateway is None:
        return {}
    listed = {name.lower() for name in gateway.gateway_headers}
    lacking = [name for name in (found.action_header, found.id_header) if name and name.lower() not in listed]
    if not lacking:
        idle = found.route.anonymous and gateway.anonymous is None
        return {"warning": "gateways get 401, since the settings name no `anonymous` subject"} if idle else {}
    shown = joined([*map(quoted, lacking)], "and")
    return {"warning": f"gateways get 403, since `gateway_headers` of the settings lacks {shown}"}


def _nothing(table: RouteTable, asked: RoutedRequest, method: str, target: Target) -> dict[str, Any]:
    """Returns why nothing matches: the path may be known with another method, or on another host."""
    with_path = table.of_path(asked.host, target)
    if with_path:
        reason = f"no route matches {method} there, but routes match the path with other methods: {_named(with_path)}"
    elif not len(table):
        reason = "there are no routes"
    else:
        reason = "no route matches the host and the path"
    return {"matches": False, "reason": reason}


def _named(routes: list[Route]) -> str:
    return ", ".join(f"`{route.id}` ({', '.join(route.methods)})" for route in routes)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
