"""The lint `near-name`: a resource type whose name in requests differs from its id by case or spaces alone (E7)."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ....bundles.wording import quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..prepared_policy import PreparedPolicy

_SPACES: Final = re.compile(r"[\s_-]+")
_HELP: Final = "leave the name out, unless the requests of your applications have it: it is no label for people"


def near_name(draft: Draft, _policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each type whose `name` was probably meant as a label: requests must name the type by it."""
    for index, declared in enumerate(draft.model.resource_types):
        name = declared.name
        if name is not None and _is_label(name) and name != declared.id and _bare(name) == _bare(declared.id):
            message = f"requests name this type {quoted(name)}; one for {quoted(declared.id)} finds no such type"
            yield Finding("near-name", message, ("resource_types", index, "name"), _HELP, severity="warning")


def _is_label(name: str) -> bool:
    """Returns whether a name has a capital or a space: `payroll_run` is an id that an application may send."""
    return name != name.lower() or any(map(str.isspace, name))


def _bare(text: str) -> str:
    return _SPACES.sub("", text.strip()).casefold()
