"""The fault of a statement that can't be read, and the faults of single characters."""

from ...bundles.wording import quoted
from .placed import Placed


class SyntaxFault(Exception):
    """What is wrong with a statement, in one sentence, and the remedy. It underlines `start` to `end`."""

    def __init__(self, message: str, start: int, end: int, help_text: str = ""):
        super().__init__(message)
        self.message, self.start, self.end, self.help = message, start, end, help_text
        self.list_name: str | None = None
        """The list of the element that the statement describes, or None if its first word says nothing about that."""

        self.id: str | None = None
        """The id of that element, if it was read."""


_CHARACTERS = {
    "*": "write `do anything to` for any action, `everything` for any type, `any method` in a route",
    "=": "write `is`",
    "!": "write `is not`",
    "&": "write `and`",
    "|": "write `in [...]` for several values of one attribute, or a second policy",
    "~": "write `matches`",
    ";": "leave it out: a statement ends where the next line starts without indentation",
    "(": "leave the parentheses out: all conditions of a policy must hold, and a list is in `[` and `]`",
    ")": "leave the parentheses out: all conditions of a policy must hold, and a list is in `[` and `]`",
    "$": "conditions compare with constants; put a text that contains it in quotes",
    "%": "put a text that contains it in quotes",
    "/": "a comment starts with `#`",
    "“": 'write straight quotes, `"`',
    "”": 'write straight quotes, `"`',
    "‘": "write straight quotes, `'`",
    "’": "write straight quotes, `'`",
    "`": 'write straight quotes, `"`',
}
"""The help, by the character that no token starts with."""


def bad_character(text: str, start: int) -> SyntaxFault:
    """Returns the fault of the character at `start`, with which no token starts."""
    character = text[start]
    if character in "\"'":
        line_end = text.find("\n", start)
        end = len(text) if line_end < 0 else line_end
        help_text = f"write the closing {quoted(character)} on the same line"
        return SyntaxFault("the quotes that open here are never closed", start, max(end, start + 1), help_text)
    return SyntaxFault(f"{quoted(character)} has no meaning here", start, start + 1, _CHARACTERS.get(character, ""))


def compared_attributes(attribute: Placed) -> SyntaxFault:
    """Returns the fault of an attribute in the place of a constant."""
    message = f"a condition compares with a constant, found the attribute {quoted(attribute.text)}"
    help_text = "let the application send the outcome as an attribute, such as `resource.is_owner is true`"
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
