"""Makes the parts of a JSON value, and notes whether one of them is faulty."""

from collections import Counter
from collections.abc import Sequence
from json import JSONDecoder
from math import isinf

from ....bundles.conditions.values import Json
from ...limits import Limits
from ..raw_values import FaultyObject, Unreadable, not_finite, repeated_member, too_many_digits


class JsonParts:
    """The functions that a JSON decoder calls. It knows no cursor: a circle would keep the text in memory."""

    def __init__(self, limits: Limits):
        self._limits = limits
        self.faulty = False
        """True if a part was faulty. The cursor sets it to False before each element."""

    def decoder(self) -> JSONDecoder:
        """Returns a decoder that calls them."""
        return JSONDecoder(
            object_pairs_hook=self._object,
            parse_int=self._integer,
            parse_float=self._real,
            parse_constant=self._constant,
        )

    def _object(self, pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
        members = dict(pairs)
        if len(members) == len(pairs):
            return members
        self.faulty = True
        counts = Counter(name for name, _ in pairs)
        return FaultyObject(members, [(name, repeated_member(name)) for name, count in counts.items() if count > 1])

    def _integer(self, text: str) -> int | Unreadable:
        if len(text) <= self._limits.number_digits:
            try:
                return int(text)
            except ValueError:  # the interpreter may have a lower limit than ours
                pass
        self.faulty = True
        return too_many_digits(len(text.lstrip("-")), self._limits)

    def _real(self, text: str) -> float | Unreadable:
        value = float(text)
        return self._constant(text) if isinf(value) else value

    def _constant(self, text: str) -> Unreadable:
        self.faulty = True
        return not_finite(text)
