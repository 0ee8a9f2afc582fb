"""The words of the language: which ones start a statement, and how names and texts are written."""

import json
import re

from .grammar import KEYWORDS

STATEMENTS = (
    "extensions",
    "requests",
    "type",
    "role",
    "group",
    "subject",
    "resource",
    "assign",
    "grant",
    "policy",
    "route",
    "declare",
    "silence",
)
"""The words that start a statement, in the order in which a model is written."""

LISTS = {
    "extensions": "extensions",
    "requests": "requests",
    "type": "resource_types",
    "role": "roles",
    "group": "groups",
    "subject": "subjects",
    "resource": "resources",
    "assign": "assignments",
    "grant": "grants",
    "policy": "policies",
    "route": "routes",
    "declare": "attributes",
    "silence": "lints",
}
"""The list of the model document to which a statement adds an element, by the word that starts the statement."""

STATEMENT_OF = {name: word for word, name in LISTS.items()}
"""The word that starts the statement of an element, by its list."""

WORD = r"[^\W\d][\w]*(?:[-.@/+][\w]+)*"
"""A name that needs no quotes, if it is no keyword."""

SECTIONS = ("resource.", "subject.", "action.", "context.")
"""The beginnings of attributes."""

HIDDEN_CHARACTERS = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029"  # control characters, and line ends that Writ does not read so
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that change the order in which an editor shows text
    r"\u00ad\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # no width
)
"""The characters that an editor may show otherwise than Writ reads them, as the inside of a class of a pattern."""

HIDDEN = rf"(?:[{HIDDEN_CHARACTERS}]|\r(?!\n))"
"""The pattern of a character that may only stand in a text in quotes, as an escape. A CR before an LF is none."""

_PLAIN = re.compile(WORD)
_IN_QUOTES = KEYWORDS - {"extensions", "requests", "strict", "now", "has", "passed", "still", "come", "anonymous"}
"""The names that are written in quotes. The words that came later need none, so that older texts stay as they are."""

_TEMPLATE = re.compile(
    r"/[!$-~]*"  # a path
    r"|\{(?:[A-Za-z0-9_]+|\*)\}"  # a part of a path
    r"|(?:\*\.)?[A-Za-z0-9_]+(?:[-.]+[A-Za-z0-9_]+)*(?:/[0-9]+)?"  # a host, or an IPv4 address or block
    r"|[0-9a-fA-F]*:[0-9a-fA-F]*:[0-9a-fA-F:.]*(?:/[0-9]+)?"  # an IPv6 address or block
)
_LITERAL = re.compile(rf"[^'\t\r\n{HIDDEN_CHARACTERS}\ud800-\udfff]*")


def written_name(name: str) -> str:
    """Returns a name as text: bare if it is one word and no early keyword, else in quotes.

    >>> written_name("editor"), written_name("on"), written_name("idp|1")
    ('editor', '"on"', '"idp|1"')
    """
    return name if name not in _IN_QUOTES and _PLAIN.fullmatch(name) and name.isascii() else written_text(name)


def written_text(text: str) -> str:
    r"""Returns a text in quotes. One with backslashes, such as a pattern, is in single quotes, where they are literal.

    >>> print(written_text("draft"), written_text(r"^\d+$"), written_text("a\n'"))
    "draft" '^\d+$' "a\n'"
    """
    if "\\" in text and _LITERAL.fullmatch(text):
        return f"'{text}'"
    shown = json.dumps(text, ensure_ascii=False)
    return shown if shown.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in shown)


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1]


def written_template(text: str) -> str:
    """Returns a template, a host or an address as text: bare if the language has a form for it, else in quotes.

    >>> print(*map(written_template, ("/documents/{id}", "{id}", "10.0.0.0/8", "a b")))
    /documents/{id} {id} 10.0.0.0/8 "a b"
    """
    return text if text not in _IN_QUOTES and _TEMPLATE.fullmatch(text) else written_text(text)


def written_key(key: str) -> str:
    """Returns the key of a condition as it follows the section and a dot.

    >>> written_key("status"), written_key("address.city"), written_key("e-mail"), written_key("a b")
    ('status', 'address.city', 'e-mail', '"a b"')
    """
    return key if _PLAIN.fullmatch(key) and key.isascii() else written_text(key)
