"""Checks that documents which are joined declare no attribute with two types."""

from collections.abc import Iterator

from ...bundles.wording import Path, quoted
from ..diagnostics.diagnostic import Finding
from ..model.elements import ONE_OBJECT, AttributeType
from ..model.joined_attributes import declarations
from .draft import Draft


def check_declared_attributes(draft: Draft) -> Iterator[Finding]:
    """Finds attributes of subjects, of the context and of actions that an earlier document declares differently."""
    if draft.attributes is None:
        return
    first: dict[Path, tuple[Path, AttributeType]] = {}
    for index, declared in enumerate(draft.model.attributes):
        for path, kind in declarations(declared):
            at: Path = (ONE_OBJECT, index, *path)
            earlier, other = first.setdefault(path, (at, kind))
            if other != kind:
                message = f"{quoted(path[-1])} is declared as {kind} here, and as {other} in another document"
                yield Finding("attribute-conflict", message, at, see=earlier)
