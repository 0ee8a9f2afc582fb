"""The question behind a gateway's request: an AuthZEN evaluation, by the environment's routes or without them."""

from typing import Any, Final

from ...bundles.routing.route import AttributeSource
from ...bundles.routing.settings import GatewaySettings
from ...runtime import Engine
from ...runtime.routing.route_table import Matched
from ...runtime.routing.target import BadTarget, Target, read_target
from .headers import Headers, Refused
from .original import Original
from .subjects import Subject

HTTP: Final = "http"
"""The type of the resource in an environment without routes."""


class NoRoute(Exception):
    """No route matches the request: 403."""


def question_of(
    original: Original, subject: Subject, headers: Headers, settings: GatewaySettings, engine: Engine, trusted: bool
) -> dict[str, Any]:
    """Returns the evaluation request. Raises NoRoute, and Refused for what can be read in two ways."""
    try:
        target = read_target(original.target)
        named = _named(headers, settings, trusted)
        if not ("action" in named and "resource" in named):
            named = _of_route(original, target, headers, engine) | named
        return {"subject": subject, **named, "context": _context(original, target)}
    except BadTarget as ex:
        raise Refused(f"the original target has {ex}") from None


def _named(headers: Headers, settings: GatewaySettings, trusted: bool) -> dict[str, Any]:
    """Returns the action and the resource that a trusted gateway's headers name."""
    found: dict[str, Any] = {}
    for header, name in ((settings.action_header, "action"), (settings.resource_header, "resource")):
        value = None if header is None else headers.one(header)
        if value is None:
            continue
        if not trusted:
            raise Refused(f"`{header}` is believed from trusted proxies only; see `trusted_proxies`")
        found[name] = {"name": value} if name == "action" else _resource(str(header), value)
    return found


def _resource(header: str, text: str) -> dict[str, Any]:
    type, colon, id = text.partition(":")
    if not (type and colon and id):
        raise Refused(f"`{header}` is a type and an id, like `document:d1`")
    return {"type": type, "id": id}


def _of_route(original: Original, target: Target, headers: Headers, engine: Engine) -> dict[str, Any]:
    if not len(engine.routes):
        properties = {
            "host": original.host,
            "path": _path(target),
            "method": original.method,
            "scheme": original.scheme,
            "query": target.query,
        }
        resource = {"type": HTTP, "id": _path(target), "properties": properties}
        return {"action": {"name": original.method.lower()}, "resource": resource}
    found = engine.routes.match(original.host, original.method, target)
    if found is None:
        raise NoRoute("no route matches the request")
    resource = {"type": engine.type_name(found.route.resource_type), found.route.identifier: found.identifier}
    attributes = _attributes(found, target, headers)
    return {
        "action": {"name": found.route.action},
        "resource": resource | {"properties": attributes} if attributes else resource,
    }


def _attributes(found: Matched, target: Target, headers: Headers) -> dict[str, Any]:
    values = ((one.key, _value(one, found, target, headers)) for one in found.route.attributes)
    return {key: value for key, value in values if value is not None}


def _value(source: AttributeSource, found: Matched, target: Target, headers: Headers) -> str | None:
    match source.source:
        case "capture":
            return found.captures[source.name]
        case "query":
            return target.parameter(source.name)
        case "header":
            return headers.one(source.name)


def _context(original: Original, target: Target) -> dict[str, Any]:
    context: dict[str, Any] = {"method": original.method, "host": original.host, "path": _path(target)}
    if original.address is not None:
        context["ip"] = original.address
    if original.scheme is not None:
        context["scheme"] = original.scheme
    return context


def _path(target: Target) -> str:
    return "/" + "/".join(target.segments)
