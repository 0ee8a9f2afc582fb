"""Checks routes: their templates, hosts, methods and sources, and the types and actions that they name."""

import re
from collections.abc import Collection, Iterator

from ...bundles.routing.hosts import is_host_pattern, is_method
from ...bundles.routing.route import ANY, BadSource, attribute_source, stated_kind
from ...bundles.routing.templates import BadTemplate, captures_in, header_in, path_template, value_template
from ...bundles.wording import Path, quoted
from ..diagnostics.diagnostic import Finding
from ..limits import Limits
from ..lowering.lower_routes import DEFAULT_CAPTURE
from ..model.declared import types_of
from ..model.elements import Route
from .draft import Draft
from .references import actions_on, unknown_action, unknown_type

_OTHER_CAPTURE = re.compile(r":[A-Za-z_]\w*|<[A-Za-z_]\w*>")
"""The notation of other programs for a part of a path that varies."""

_TWO_NAMES = "a route names its resource by either `resource_id` or `external_id`"
_NO_NAME = "the route does not say which resource it is about"
_NAME_IT = (
    "add `resource_id` or `external_id`, such as `resource_id: main` or one with a part of the path; without both, the"
    " path needs `{id}`"
)


def check_routes(draft: Draft) -> Iterator[Finding]:
    """Finds faults of routes: what can't be read, what the path does not capture, and what the model lacks."""
    found = too_many_routes(len(draft.model.routes), draft.limits)
    if found is not None:
        yield found
    for index, route in enumerate(draft.model.routes):
        path = ("routes", index)
        yield from _matching(route, path)
        yield from _sizes(route, path, draft.limits.route_entries)
        yield from _meaning(draft, route, path)
        yield from _templates(route, path)
        yield from _kinds(draft, route, path)


def _kinds(draft: Draft, route: Route, path: Path) -> Iterator[Finding]:
    """Yields each attribute that is read as another type than its resource type declares (C11)."""
    type = draft.types.get(route.resource_type)
    declared = types_of((type and type.attributes) or {})
    for key, text in (route.attributes or {}).items():
        stated = stated_kind(text)
        if stated is not None and key in declared and stated != declared[key]:
            message = f"{quoted(key)} is declared as {declared[key]}, so it is not read as {stated}"
            help_text = "leave `as` out: the value is read as its declared type"
            yield Finding("bad-source", message, (*path, "attributes", key), help_text)


def too_many_routes(count: int, limits: Limits) -> Finding | None:
    """Returns a finding if there are more routes than `limits.routes`, or None."""
    if count <= limits.routes:
        return None
    return Finding("too-many-routes", f"there are {count} routes, the limit is {limits.routes}", ("routes",))


def _matching(route: Route, path: Path) -> Iterator[Finding]:
    """Yields the faults of hosts and methods."""
    if route.hosts == ():
        yield Finding("empty", "a route without a host matches nothing", (*path, "hosts"), "leave it out to mean any")
    for index, host in enumerate(route.hosts or ()):
        if not is_host_pattern(host):
            message = f"{quoted(host)} is neither a host's name in lower case nor `*.` and a name"
            help_text = "leave the port out" if ":" in host else ""
            yield Finding("bad-host", message, (*path, "hosts", index), help_text)
    if not route.methods:
        yield Finding("empty", "a route without a method matches nothing", (*path, "methods"), 'write `["*"]` for any')
    for index, method in enumerate(route.methods):
        if method == ANY and len(route.methods) > 1:
            message = f"{quoted(ANY)} means any method, so it stands alone"
            yield Finding("bad-method", message, (*path, "methods", index))
        elif method != ANY and not is_method(method):
            help_text = f"write {quoted(method.upper())}" if is_method(method.upper()) else ""
            message = f"{quoted(method)} is not a method in upper case, such as `GET`"
            yield Finding("bad-method", message, (*path, "methods", index), help_text)


def _sizes(route: Route, path: Path, limit: int) -> Iterator[Finding]:
    for name in ("hosts", "methods", "attributes"):
        count = len(getattr(route, name) or ())
        if count > limit:
            yield Finding("too-long", f"the route has {count} {name}, the limit is {limit}", (*path, name))


def _meaning(draft: Draft, route: Route, path: Path) -> Iterator[Finding]:
    """Yields the faults of the type and the action. `*` is neither."""
    if draft.type_ids.lacks(route.resource_type):
        yield unknown_type(draft, route.resource_type, (*path, "resource_type"))
        return
    try:
        if header_in(route.action) is not None:  # the gateway says it, and an undeclared one is denied
            return
    except BadTemplate as ex:
        yield Finding("bad-template", str(ex), (*path, "action"))
        return
    known = actions_on(draft, route.resource_type)
    if known is not None and route.action not in known:
        yield unknown_action(draft, route.resource_type, route.action, (*path, "action"), known)


def _templates(route: Route, path: Path) -> Iterator[Finding]:
    """Yields the faults of the path, and then those of what uses its captures."""
    try:
        captured = captures_in(path_template(route.path))
    except BadTemplate as ex:
        yield Finding("bad-template", str(ex), (*path, "path"))
        return
    for segment in route.path.split("/"):
        if _OTHER_CAPTURE.fullmatch(segment):
            name = segment.strip(":<>")
            message = f"{quoted(segment)} matches only itself: it is no part of the path that varies"
            yield Finding("bad-template", message, (*path, "path"), f"write {quoted('{' + name + '}')}")
    named = [name for name in ("resource_id", "external_id") if getattr(route, name) is not None]
    if len(named) > 1:
        yield Finding("either-or", f"{_TWO_NAMES}, not by both", path)
    if not named and DEFAULT_CAPTURE not in captured:
        yield Finding("either-or", _NO_NAME, path, _NAME_IT)
    for name in named:
        yield from _value(getattr(route, name), captured, (*path, name))
    for key, text in (route.attributes or {}).items():
        yield from _source(key, text, captured, (*path, "attributes", key))


def _value(text: str, captured: Collection[str], path: Path) -> Iterator[Finding]:
    try:
        value = value_template(text)
    except BadTemplate as ex:
        yield Finding("bad-template", str(ex), path)
        return
    if value.capture is not None and value.capture not in captured:
        yield _unknown_capture(value.capture, captured, path)


def _source(key: str, text: str, captured: Collection[str], path: Path) -> Iterator[Finding]:
    try:
        source = attribute_source(key, text)
    except BadSource as ex:
        yield Finding("bad-source", str(ex), path)
        return
    if source.source == "capture" and source.name not in captured:
        yield _unknown_capture(source.name, captured, path)


def _unknown_capture(name: str, captured: Collection[str], path: Path) -> Finding:
    shown = ", ".join(quoted(f"{{{one}}}") for one in sorted(captured))
    help_text = f"it captures {shown}" if captured else "it captures nothing"
    return Finding("unknown-capture", f"the path does not capture {quoted(f'{{{name}}}')}", path, help_text)
