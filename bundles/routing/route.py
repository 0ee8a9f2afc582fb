"""A route: which resource and action the requests to a path are about."""

from typing import Final, Literal, NamedTuple, get_args

ANY: Final = "*"
"""Any method."""

Source = Literal["capture", "query", "header"]
Kind = Literal["string", "number", "boolean", "instant", "array", "object"]

STATED_KINDS: Final = ("number", "boolean", "instant")
"""The types that a source may state after `as`. Without one, and without a declared type, the value is a text."""

_AS: Final = " as "


class AttributeSource(NamedTuple):
    """The source of a resource's attribute: a capture, a parameter of the query, or a header, by its name.

    The value is read as its `kind` (C11).
    """

    key: str
    source: Source
    name: str
    kind: Kind = "string"


class Route(NamedTuple):
    """A route as the model has it. Of those that match, the first in the model's order counts.

    `hosts` are names in lower case, or `*.` and a name for those below it. Empty means any. `methods` are names, or
    `ANY` alone. `path` is a path template. `resource_type` is the id of a type. `value` is the template of the
    resource's `identifier`. `attributes` are those of the resource. `action` and `value` may be `header:NAME`. With
    `anonymous`, a request without a credential is asked for the anonymous subject of the gateway settings (E11).
    """

    id: str
    hosts: tuple[str, ...]
    methods: tuple[str, ...]
    path: str
    resource_type: str
    identifier: Literal["id", "external_id"]
    value: str
    action: str
    attributes: tuple[AttributeSource, ...] = ()
    anonymous: bool = False


class BadSource(ValueError):
    """The text does not say where an attribute comes from. The message is one sentence."""


def attribute_source(key: str, text: str) -> AttributeSource:
    """Returns the source that a route's `attributes` name for a key. Raises BadSource.

    >>> attribute_source("page", "query:p"), attribute_source("amount", "header:X-Amount as number").kind
    (AttributeSource(key='page', source='query', name='p', kind='string'), 'number')
    """
    place, _, stated = text.rpartition(_AS)
    if not place:
        return _place(key, text, "string")
    for kind in get_args(Kind):
        if kind == stated and kind in STATED_KINDS:
            return _place(key, place, kind)
    raise BadSource("the type after `as` is `number`, `boolean` or `instant`")


def stated_kind(text: str) -> str | None:
    """Returns the type that the text of a source states after `as`, or None."""
    place, _, stated = text.rpartition(_AS)
    return stated if place else None


def _place(key: str, text: str, kind: Kind) -> AttributeSource:
    if text.startswith("query:") and text != "query:":
        return AttributeSource(key, "query", text.removeprefix("query:"), kind)
    if text.startswith("header:") and text != "header:":
        return AttributeSource(key, "header", text.removeprefix("header:").lower(), kind)
    if text.startswith("{") and text.endswith("}") and len(text) > 2:
        return AttributeSource(key, "capture", text[1:-1], kind)
    raise BadSource("an attribute comes from `{capture}`, `query:NAME` or `header:NAME`")
