"""A route: which resource and action the requests to a path are about."""

from typing import Final, Literal, NamedTuple

ANY: Final = "*"
"""Any method."""

Source = Literal["capture", "query", "header"]


class AttributeSource(NamedTuple):
    """The source of a resource's attribute: a capture, a parameter of the query, or a header, by its name."""

    key: str
    source: Source
    name: str


class Route(NamedTuple):
    """A route as the model has it. Of those that match, the first in the model's order counts.

    `hosts` are names in lower case, or `*.` and a name for those below it. Empty means any. `methods` are names, or
    `ANY` alone. `path` is a path template. `resource_type` is the id of a type. `value` is the template of the
    resource's `identifier`. `attributes` are those of the resource.
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


class BadSource(ValueError):
    """The text does not say where an attribute comes from. The message is one sentence."""


def attribute_source(key: str, text: str) -> AttributeSource:
    """Returns the source that a route's `attributes` name for a key. Raises BadSource.

    >>> attribute_source("page", "query:p")
    AttributeSource(key='page', source='query', name='p')
    """
    if text.startswith("query:") and text != "query:":
        return AttributeSource(key, "query", text.removeprefix("query:"))
    if text.startswith("header:") and text != "header:":
        return AttributeSource(key, "header", text.removeprefix("header:").lower())
    if text.startswith("{") and text.endswith("}") and len(text) > 2:
        return AttributeSource(key, "capture", text[1:-1])
    raise BadSource("an attribute comes from `{capture}`, `query:NAME` or `header:NAME`")
