"""The fault of a statement that can't be read, and the faults of single characters."""

import re
from collections.abc import Sequence

from ...bundles.wording import quoted
from .advising.comparing import ARITHMETIC
from .advising.meant_attributes import meant_method
from .advising.people import ANY_OF_THEM
from .placed import Placed
from .statements import BLANKS
from .words import SECTIONS


class SyntaxFault(Exception):
    """A fault of a statement, in one sentence, and the remedy. It underlines `start` to `end`."""

    def __init__(self, message: str, start: int, end: int, help_text: str = ""):
        super().__init__(message)
        self.message, self.start, self.end, self.help = message, start, end, help_text
        self.list_name: str | None = None
        """The list of the element that the statement describes, or None if its first word says nothing about that."""

        self.id: str | None = None
        """The id of that element, if it was read."""


_LEAVE_OUT = "leave it out: a statement ends where the next line starts without indentation"
_OPERATORS = {
    **dict.fromkeys(("=", "==", "==="), "write `is`"),
    "!": "write `is not`, `not in` or `is false` after the attribute",
    **dict.fromkeys(("!=", "!==", "<>"), "write `is not`"),
    **dict.fromkeys(
        ("!~", "!=~"), "no comparison is the opposite of `matches`: write a policy with `deny` for what matches"
    ),
    "^": "put the whole pattern in single quotes, such as `'^draft'`",
    "=>": "write `>=`",
    "=<": "write `<=`",
    "=~": "write `matches`",
    "~": "write `matches`",
    "~=": "write `matches`",
    ":=": "leave it out",
    "&": "write `and`",
    "&&": "write `and`",
    **dict.fromkeys(("|", "||"), "write a policy for each case, or `in` for several values of one attribute"),
    **dict.fromkeys((";", ";;"), _LEAVE_OUT),
    **dict.fromkeys(("(", ")"), "leave the parentheses out: all conditions of a policy must hold"),
    "*": "write `do anything to` for any action, and `everything` for any type",
    "$": "write an attribute such as `subject.id` in the place of a variable; put a text that contains `$` in quotes",
    "%": "put a text that contains `%` in quotes",
    "?": "put a text that contains `?` in quotes",
    "@": "put a text that starts with `@` in quotes",
    "->": "leave it out",
    "--": "a comment starts with `#`",
    "-": "leave it out, or put a text that starts with `-` in quotes",
    "/*": "a comment starts with `#`",
    **dict.fromkeys("“”„«»`", 'write straight quotes, `"`'),
    **dict.fromkeys("‘’", "write straight quotes, `'`"),
}
"""The help, by the characters that mean nothing."""

_HEAD = {
    **dict.fromkeys(("=", "==", "===", "=>"), "leave it out: the value follows the name"),
    **dict.fromkeys(("|", "||", "$", "&", "!"), "put a name that contains it in quotes"),
    "+": "write the name of the time zone, such as `in Europe/Oslo`",
}
"""The help outside of conditions."""

_OWN = re.compile(r"(subject|resource|action|context)'s (\w+)$")
_NEGATED = {"isn": "is not", "doesn": "is not", "hasn": "has none of", "aren": "is not"}
"""The meaning of a word with `n't` after it, by what is before the apostrophe."""

_LOOKED_AT = 80
"""The characters after a fault that advice looks at."""

_SIGNS = frozenset(("+", "-", "*", "%", "**", "^"))
_CURRENCIES = frozenset("$€£¥")
_COMPARES = frozenset(("is", "not", "<", "<=", ">", ">=", "in", ","))
"""The words before a number."""

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_CLOCK = re.compile(r"\d{1,2}:\d\d")
_RUN = re.compile(r"[=!<>&|~:;-]+|/\*|.", re.DOTALL)


def bad_character(text: str, start: int, words: Sequence[str]) -> SyntaxFault:
    """Returns the fault of the character at `start`, with which no token starts. `words` are those before it."""
    found = _RUN.match(text, start)
    shown = found[0] if found else text[start]
    if shown[0] in "\"'":
        end = start + len(text[start:].split("\n", 1)[0].rstrip(BLANKS))
        help_text = f"write the closing {quoted(shown)} on the same line"
        if own := _OWN.search(text[max(0, end - _LOOKED_AT) : end]):
            help_text = f"write {quoted(f'{own[1]}.{own[2]}')}"
        elif start and words and words[-1] in _NEGATED:
            help_text = f"write {quoted(_NEGATED[words[-1]])}"
        elif start and text[start - 1].isalnum():
            help_text = f"put a name that contains {quoted(shown)} in quotes"
        return SyntaxFault("the quotes that open here are never closed", start, end, help_text)
    if shown not in _OPERATORS and shown not in _HEAD:
        shown = shown[0]
    end = start + len(shown)
    rest = text[end : end + _LOOKED_AT]
    return SyntaxFault(f"{quoted(shown)} has no meaning here", start, end, _help(shown, words, rest))


def _help(shown: str, words: Sequence[str], rest: str) -> str:
    """Returns the help for a character, with the words before it and the text after it."""
    if shown.isspace():
        return "write an ordinary space in its place"
    if not shown.isprintable():
        return "remove this invisible character"
    if shown == "-" and words and _CLOCK.fullmatch(words[-1]):
        return "write `until` in its place, such as `from 08:00 until 17:00`"
    if "when" not in words:
        return _outside_conditions(shown, words, rest)
    return _in_conditions(shown, words, rest) or _OPERATORS.get(shown, "")


def _outside_conditions(shown: str, words: Sequence[str], rest: str) -> str:
    if shown == "*" and words[-1:] in (["allow"], ["deny"]):
        return "write `everyone`"
    if shown == "*" and words[:1] == ["grant"]:
        return "write `anything` for any action"
    if shown == "*" and words[:1] == ["route"]:
        return "write `any method` for any method"
    if words[-1:] in (["allow"], ["deny"]) and (role := re.match(r"!\s*(\w+)", shown + rest)):
        return f"write {quoted(f'everyone except {role[1]}')}"
    if shown in ("&", "&&") and words[:1] == ["policy"]:
        return f"write a comma: {ANY_OF_THEM}"
    return _HEAD.get(shown) or _OPERATORS.get(shown, "")


def _in_conditions(shown: str, words: Sequence[str], rest: str) -> str:
    """Returns the help for arithmetic, for numbers with signs, and for other marks of conditions."""
    number = re.match(r"\d[\d_.,]*", rest)
    if shown in _CURRENCIES and number:
        return f"leave the currency out: {quoted(number[0])}"
    if shown == "." and number and words[-1] in _COMPARES:
        return f"write {quoted(f'0.{number[0]}')}"
    if shown == "+" and number and words[-1] in _COMPARES:
        return f"leave the `+` out: {quoted(number[0])}"
    if shown == "%" and _NUMBER.fullmatch(words[-1]) and not rest[:1].isalnum():
        return f"leave the `%` out: {quoted(words[-1])}"
    if shown in _SIGNS and (words[-1].startswith((*SECTIONS, "now")) or _NUMBER.fullmatch(words[-1])):
        return ARITHMETIC
    if shown == "(" and (meant := meant_method(words[-1])):
        return f"write {quoted(meant)}"
    if shown == "*":
        return "write `matches` with a pattern, such as `matches '^draft'`"
    if shown == "(" and words[-1] == "in":
        return "write the list in `[` and `]`, or without them"
    return ""


def compared_attributes(attribute: Placed) -> SyntaxFault:
    """Returns the fault of an attribute among constants."""
    message = f"a list has constants, found the attribute {quoted(attribute.text)}"
    help_text = "compare with the attribute alone, such as `resource.owner is subject.id`"
    return SyntaxFault(message, attribute.start, attribute.end, help_text)


def bad_escape(text: str, start: int, offset: int) -> SyntaxFault:
    r"""Returns the fault of a backslash that starts no escape of JSON. `text` starts at `start`."""
    at = text.rfind("\\", 0, offset + 2)
    return SyntaxFault(
        f"{quoted(text[at : at + 2])} is no escape",
        start + at,
        start + at + 2,
        "write two backslashes, or put the text in single quotes, where a backslash stands for itself",
    )
