"""A small model document of some elements and what they refer to, so that one write costs no check of a whole model."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from ....bundles.zones import zone_names
from ....compiler.diagnostics.diagnostic import Diagnostic
from ....compiler.load import load
from ....compiler.model.elements import ElementKind
from ....compiler.soundness import are_sound
from ....compiler.source import Source
from ..errors import Fault, Key
from .kinds import KINDS

NAME = "model.json"
_PLACE = re.compile(r"\$\.(\w+)\[(\d+)\](.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Examined:
    """An element that faults are told of: its text and the edit that brought it here.

    `about` is said in front of the message where the element is not the one that was edited, but a user of it.
    """

    kind: ElementKind
    body: bytes
    edit: int | None
    about: str = ""


@dataclass(slots=True)
class SmallDocument:
    """The document: elements examined, and declarations that they refer to, about which nothing is told."""

    examined: dict[ElementKind, list[Examined]] = field(default_factory=lambda: defaultdict(list))
    declared: dict[ElementKind, dict[Key, bytes]] = field(default_factory=lambda: defaultdict(dict))

    def examine(self, element: Examined) -> None:
        """Add an element to be examined."""
        self.examined[element.kind].append(element)

    def declare(self, kind: ElementKind, key: Key, body: bytes | None = None) -> None:
        """Declare an element that is not examined; of a role or a group, its id is enough."""
        self.declared[kind][key] = body or msgspec.json.encode({"id": key[0]})

    def faults(self) -> tuple[Fault, ...]:
        """What is wrong with the examined elements."""
        present = [kind for kind in KINDS if kind in self.examined or kind in self.declared]
        texts = {str(kind): list(self._bodies(kind)) for kind in present}
        if are_sound(texts, zone_names()):
            return ()
        loaded = load([Source(NAME, _document(texts))], zone_names())
        if loaded.model is not None:
            return ()
        errors = (found for found in loaded.diagnostics if found.severity == "error")
        return tuple(fault for found in errors if (fault := self._fault(found)) is not None)

    def _bodies(self, kind: ElementKind) -> Iterator[bytes]:
        yield from (element.body for element in self.examined.get(kind, ()))
        yield from self.declared.get(kind, {}).values()

    def _fault(self, found: Diagnostic) -> Fault | None:
        place = _PLACE.fullmatch(found.path)
        if place is None:
            return Fault(found.code, "$", found.message, found.help)
        kind, number, inner = ElementKind(place[1]), int(place[2]), place[3]
        if number >= len(self.examined[kind]):
            return None
        element = self.examined[kind][number]
        # The first one of a pair stands in this document, which the caller never sees.
        help_text = "" if found.code.startswith("duplicate-") else found.help
        if element.about:
            return Fault(found.code, "$", f"{element.about}: {found.message}", help_text, element.edit)
        return Fault(found.code, f"${inner}", found.message, help_text, element.edit)


def _document(texts: Mapping[str, Iterable[bytes]]) -> bytes:
    lists = [b'"%s":[%s]' % (kind.encode(), b",".join(bodies)) for kind, bodies in texts.items()]
    return b"{%s}" % b",".join([b'"model":1', *lists])


def without_repeats(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Each fault once, in order."""
    return tuple(dict.fromkeys(faults))
