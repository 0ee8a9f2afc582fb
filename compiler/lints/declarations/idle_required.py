"""The lint `idle-required`: an attribute is `required` where nothing refuses a request without it (C12, E8)."""

from collections.abc import Iterator, Sequence
from typing import Final

from ....bundles.wording import Path, quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...model.always_sent import is_strict
from ...model.declared import is_required
from ...model.elements import ElementKind
from ...model.joined_attributes import declarations
from ..prepared_policy import PreparedPolicy

_HELP: Final = "add `requests: strict` (in text `requests strict`), or leave `required` out"


def idle_required(draft: Draft, _policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each required attribute of a resource, a subject or an action in a model without strict requests.

    One of the context has an effect without them.
    """
    if is_strict(draft.model.requests):
        return
    for path in _required(draft):
        message = f"`required` has no effect on {quoted(path[-1])}: only strict requests must send it"
        yield Finding("idle-required", message, path, _HELP, severity="warning")


def _required(draft: Draft) -> Iterator[Path]:
    for index, type in enumerate(draft.model.resource_types):
        for key, declared in (type.attributes or {}).items():
            if is_required(declared):
                yield ("resource_types", index, "attributes", key)
    for index, attributes in enumerate(draft.model.attributes):
        for one in declarations(attributes):
            if is_required(one.declared) and one.path[0] != "context":
                yield (ElementKind.ATTRIBUTES, index, *one.path)
