"""The token of a name in a document, in each form: where it ends, and how another name is written in its place."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Final

from ..forms.yaml_form import in_quotes
from ..language.tokens import TOKEN
from ..language.words import written_name

_PROPERTIES: Final = re.compile(r"(?:[&!]\S*\s+)*")
"""The anchor and the tag before a YAML scalar, which stay."""

_PLAIN: Final = re.compile(r"[A-Za-z_][\w./@-]*", re.ASCII)
_WORDS: Final = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])
"""The plain YAML scalars that some readers take for another kind of value."""


class NotRenamable(Exception):
    """A name in a document can't be changed in its place. The message is one sentence."""


def rewritten(file: str, text: str, start: int, length: int, new: str) -> tuple[int, int, str]:
    """Returns the start and the end of the token at `start`, and the text for a new name in its place.

    `length` is the one that the document's reader knows. Raises NotRenamable if there is no name.
    """
    return _FORMS[file.lower().rpartition(".")[2]](text, start, length, new)


def _in_language(text: str, start: int, _length: int, new: str) -> tuple[int, int, str]:
    found = TOKEN.match(text, start)
    if found is None:
        raise NotRenamable("there is no name here")
    return start, found.end(), written_name(new)


def _in_json(text: str, start: int, _length: int, new: str) -> tuple[int, int, str]:
    if text[start : start + 1] != '"':
        raise NotRenamable("there is no name here")
    _, end = json.JSONDecoder().raw_decode(text, start)
    return start, end, json.dumps(new, ensure_ascii=False)


def _in_yaml(text: str, start: int, length: int, new: str) -> tuple[int, int, str]:
    r"""Returns the edit in the style of quotes that the document has. The line after a block stays.

    >>> _in_yaml("role: 'a'", 6, 3, "it's"), _in_yaml("role: a", 6, 1, "on")
    ((6, 9, "'it''s'"), (6, 7, '"on"'))
    >>> _in_yaml("- id: |-\n    a\n    b\n  name: c", 6, 17, "d")
    (6, 20, 'd')
    """
    end = start + length
    found = _PROPERTIES.match(text, start, end)
    start = start if found is None else found.end()
    if text[start] in "|>":  # the reader counts the end of the line and the next indentation to the block
        line = text.rfind("\n", start, end)
        end = line if line >= 0 and not text[line:end].strip() else end
    if text[start] == "'" and new.isprintable():
        quoted = new.replace("'", "''")
        return start, end, f"'{quoted}'"
    is_plain = text[start] != '"' and _PLAIN.fullmatch(new) and new.lower() not in _WORDS
    return start, end, new if is_plain else in_quotes(new)


_FORMS: Final[Mapping[str, Callable[[str, int, int, str], tuple[int, int, str]]]] = {
    "writ": _in_language,
    "json": _in_json,
    "yaml": _in_yaml,
    "yml": _in_yaml,
}
