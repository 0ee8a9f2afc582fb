"""Checks that documents which are joined declare no attribute with two types."""

from collections.abc import Iterator

from ...bundles.wording import Path, quoted
from ..diagnostics.diagnostic import Finding
from ..model.elements import ONE_OBJECT
from ..model.joined_attributes import declarations
from .draft import Draft


def check_declared_attributes(draft: Draft) -> Iterator[Finding]:
    """Finds attributes of subjects, of the context and of actions that an earlier document declares differently."""
    if draft.attributes is None:
        return
    first: dict[Path, tuple[Path, str]] = {}
    for index, declared in enumerate(draft.model.attributes):
        for one in declarations(declared):
            at: Path = (ONE_OBJECT, index, *one.path)
            earlier, other = first.setdefault(one.path, (at, one.shown))
            if other != one.shown:
                message = f"{quoted(one.path[-1])} is declared as {one.shown} here, and as {other} in another document"
                yield Finding("attribute-conflict", message, at, see=earlier)
