"""The shapes of an undo: the changes to undo, what that would do, and what it did."""

from typing import Annotated

from msgspec import Meta, Struct

from ....bundles.wording import quoted
from ....compiler.model.elements import ElementKind
from ...http.rejections import BodyRejected
from ...store.history.gateway_past import GatewayChange
from ...store.history.undoing import MOST_UNDONE
from ...store.history.undone_change import ChosenChange, UndoConflict
from ..management.management_shapes import Count
from .preview_shapes import ChangesPreview


class UndoneElement(Struct, frozen=True, forbid_unknown_fields=True):
    """An element whose change is to be undone. `kind` is a member of the model document.

    `id` is its id, and `type` that of a subject or a resource, as the revision has them. `seen` is the `version` in a
    conflict: with it, the undo goes over the changes that were made since.
    """

    kind: ElementKind
    id: str
    type: str | None = None
    seen: Count | None = None

    def chosen(self) -> ChosenChange:
        """Returns it as the store takes it."""
        key = (self.id,) if self.type is None else (self.type, self.id)
        return ChosenChange(self.kind, key, self.seen)


class WantedUndo(Struct, frozen=True, forbid_unknown_fields=True):
    """The changes of a revision to undo, all or none. Without `elements`, these are all of them.

    With `dry_run`, nothing is written.
    """

    elements: Annotated[tuple[UndoneElement, ...], Meta(min_length=1, max_length=MOST_UNDONE)] | None = None
    dry_run: bool = False

    def chosen(self) -> tuple[ChosenChange, ...] | None:
        """Returns the chosen changes, or None for all. Raises BodyRejected for a key that is none."""
        if self.elements is None:
            return None
        for number, one in enumerate(self.elements):
            if (one.type is not None) != (one.kind in (ElementKind.SUBJECTS, ElementKind.RESOURCES)):
                message = f"subjects and resources have a type, and no other element, such as {quoted(one.id)}, has one"
                raise BodyRejected("bad-undo", message, f"$.elements[{number}]")
        return tuple(one.chosen() for one in self.elements)


class UndoPreview(ChangesPreview, frozen=True):
    """The effects of an undo, as those of other changes.

    With `conflicts`, nothing else is known: these elements were changed again since. `gateway` has the gateway settings
    now, and those that the undo would bring back, if the revision changed them.
    """

    conflicts: tuple[UndoConflict, ...] = ()
    gateway: GatewayChange | None = None


class Undone(Struct, frozen=True):
    """The revision that an undo has made."""

    revision: Count
