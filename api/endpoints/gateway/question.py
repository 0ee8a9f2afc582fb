"""The question behind a gateway's request: an AuthZEN evaluation, by the environment's routes or without them."""

from typing import Any, Final

from msgspec import Struct

from ....bundles.routing.route import AttributeSource
from ....bundles.routing.settings import GatewaySettings
from ....bundles.routing.typed_values import typed_value
from ....runtime import Engine
from ....runtime.routing.route_table import Found, Matched
from ....runtime.routing.target import BadTarget, Target
from .gateway_subjects import Asking, NoSubject
from .headers import GatewayRefused, Headers, needed
from .original import Original

HTTP: Final = "http"
"""The type of the resource in an environment without routes."""


_NAMED: Final = ("action", "resource")
"""The members of the question that headers may name."""


class NoRoute(Exception):
    """No route matches the request: 403."""


def question_of(
    original: Original, asker: Asking, headers: Headers, settings: GatewaySettings, engine: Engine, trusted: bool
) -> dict[str, Any]:
    """Returns the evaluation request. Raises NoRoute, NoSubject, and Refused for what can be read in two ways."""
    try:
        found = engine.routes.find(original.host, original.method, original.target)
        if asker.missing and not (found.matched is not None and found.matched.route.anonymous):
            raise NoSubject(asker.missing)
        names = settings.action_header is not None or settings.resource_header is not None
        question = _named(headers, settings, trusted) if names else {}
        if len(question) < len(_NAMED):
            of_route = _of_route(original, found, _Sent(headers, settings, trusted), engine)
            question = of_route | question if question else of_route
        question["subject"] = asker.subject
        context = engine.declared_context(_context(original, found.path))
        question["context"] = {**asker.context, **context} if asker.context else context
        return question
    except BadTarget as ex:
        if asker.missing:  # a request without a credential learns only that it has none
            raise NoSubject(asker.missing) from None
        raise GatewayRefused(f"the original target has {ex}") from None


def _named(headers: Headers, settings: GatewaySettings, trusted: bool) -> dict[str, Any]:
    """Returns the action and the resource that a trusted gateway's headers name."""
    found: dict[str, Any] = {}
    for header, name in zip((settings.action_header, settings.resource_header), _NAMED, strict=True):
        value = None if header is None else headers.one(header)
        if value is None:
            continue
        if not trusted:
            raise GatewayRefused(f"`{header}` is believed from trusted proxies only; see `trusted_proxies`")
        found[name] = {"name": value} if name == "action" else _resource(str(header), value)
    return found


def _resource(header: str, text: str) -> dict[str, Any]:
    type, colon, id = text.partition(":")
    if not (type and colon and id):
        raise GatewayRefused(f"`{header}` is a type and an id, like `document:d1`")
    return {"type": type, "id": id}


class _Sent(Struct, frozen=True, gc=False):
    """The header fields of a request, the settings, and whether the peer is a trusted proxy."""

    fields: Headers
    settings: GatewaySettings
    trusted: bool

    def by_gateway(self, name: str) -> str:
        """Returns the value of a header that the gateway sets. Raises Refused if a client may have sent it."""
        if name.lower() not in {one.lower() for one in self.settings.gateway_headers}:
            raise GatewayRefused(f"the route takes `{name}`, which is not in the `gateway_headers` of the settings")
        if not self.trusted:
            raise GatewayRefused(f"`{name}` is believed from trusted proxies only; see `trusted_proxies`")
        return needed(name, self.fields.one(name))


def _of_route(original: Original, found: Found, sent: _Sent, engine: Engine) -> dict[str, Any]:
    matched = found.matched
    if matched is None:
        if len(engine.routes):
            raise NoRoute("no route matches the request")
        return _of_request(original, found)
    route = matched.route
    action = route.action if matched.action_header is None else sent.by_gateway(matched.action_header)
    id = matched.identifier if matched.id_header is None else sent.by_gateway(matched.id_header)
    resource: dict[str, Any] = {"type": engine.type_name(route.resource_type), route.identifier: id}
    if route.attributes:
        resource["properties"] = _attributes(matched, found.target, sent.fields)
    return {"action": {"name": action}, "resource": resource}


def _of_request(original: Original, found: Found) -> dict[str, Any]:
    properties = {
        "host": original.host,
        "path": found.path,
        "method": original.method,
        "scheme": original.scheme,
        "query": found.target.query,
    }
    resource = {"type": HTTP, "id": found.path, "properties": properties}
    return {"action": {"name": original.method.lower()}, "resource": resource}


def _attributes(found: Matched, target: Target, headers: Headers) -> dict[str, Any]:
    values = ((one.key, _value(one, found, target, headers)) for one in found.route.attributes)
    return {key: value for key, value in values if value is not None}


def _value(source: AttributeSource, found: Matched, target: Target, headers: Headers) -> Any:
    """Returns the value of an attribute as its type, or None if the request has none (C11)."""
    text = _text(source, found, target, headers)
    return text if text is None or source.kind == "string" else typed_value(source.kind, text)


def _text(source: AttributeSource, found: Matched, target: Target, headers: Headers) -> str | None:
    match source.source:
        case "capture":
            return found.captures[source.name]
        case "query":
            return target.parameter(source.name)
        case "header":
            text = headers.one(source.name)
            # An empty field is no text, but it is there, and no value of another type.
            return "" if text is None and source.kind != "string" and headers.has(source.name) else text


def _context(original: Original, path: str) -> dict[str, Any]:
    context: dict[str, Any] = {"method": original.method, "host": original.host, "path": path}
    if original.address is not None:
        context["ip"] = original.address
    if original.scheme is not None:
        context["scheme"] = original.scheme
    return context
