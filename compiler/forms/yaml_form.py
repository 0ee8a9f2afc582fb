"""A model document as YAML, which every reader of YAML 1.1 or 1.2 understands alike."""

import json
import math
import re
from collections.abc import Sequence
from typing import Any

import yaml

from ..documents.yaml.scalars import STRING, plain_tag
from ..model.elements import SINGLE_MEMBERS, ElementKind
from .form import Form, value_text

_WIDTH = 120


_LINES = re.compile(r"(?!\s)[\w\x20-\x7e\n]+(?<!\n\n)")
"""A text that may be written in lines. One with other breaks, or with several at its end, would not be read back."""


def _text(dumper: Any, text: str) -> Any:
    """Represents a text.

    PyYAML knows only YAML 1.1, so a text that YAML 1.2 reads as something else gets quotes here. So does one with a
    character that some readers take for a break, such as U+2028: the quotes keep it as an escape.
    """
    is_plain = text.isprintable() and plain_tag(text) == STRING
    style = "|" if "\n" in text and _LINES.fullmatch(text) else None if is_plain else '"'
    return dumper.represent_scalar(STRING, text, style=style)


def _dumper() -> Any:
    """Returns the class that writes YAML, that of libyaml if there is one. It writes no aliases."""
    fastest = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    made: Any = type("Dumper", (fastest,), {"ignore_aliases": lambda _dumper, _data: True})
    made.add_representer(str, _text)
    return made


_DUMPER = _dumper()


class YamlForm(Form):
    """Writes YAML: what has no inner objects is on one line."""

    def begin(self) -> bytes:
        """Returns the version."""
        return b"model: 1\n"

    def elements(self, kind: ElementKind, bodies: Sequence[bytes], first: bool) -> bytes:
        """Returns the elements as items of the list."""
        if kind in SINGLE_MEMBERS:
            return _single_member(kind, value_text(kind, bodies[0])).encode()
        opening = f"\n{kind.value}:\n" if first else ""
        return (opening + "".join(_indented(body, "  - ", "    ") for body in bodies)).encode()

    def end_list(self, kind: ElementKind, empty: bool) -> bytes:
        """Returns nothing, or an empty list."""
        return f"\n{kind.value}: []\n".encode() if empty and kind not in SINGLE_MEMBERS else b""

    def end(self) -> bytes:
        """Returns nothing."""
        return b""


def in_quotes(text: str) -> str:
    """Returns a text as a scalar in double quotes, on one line.

    >>> print(in_quotes('a "b"'))
    "a \\"b\\""
    """
    written: str = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=math.inf)
    return written.rstrip("\n")


def _single_member(kind: ElementKind, text: bytes) -> str:
    """Returns a member: an object on the lines below its name, and a word or an array of words beside it."""
    value = json.loads(text)
    if isinstance(value, dict):
        return f"\n{kind.value}:\n{_indented(text, '  ', '  ')}"
    words = value if isinstance(value, str) else "[" + ", ".join(value) + "]"
    return f"\n{kind.value}: {words}\n"


def _indented(body: bytes, first: str, rest: str) -> str:
    """Returns an object with `first` before its first line and `rest` before the others."""
    text: str = yaml.dump(
        json.loads(body), Dumper=_DUMPER, sort_keys=False, allow_unicode=True, default_flow_style=None, width=_WIDTH
    )
    lines = text.removesuffix("\n").split("\n")  # a text may have other breaks, which are not to be indented
    return f"{first}{lines[0]}\n" + "".join(f"{rest}{line}\n" if line else "\n" for line in lines[1:])
