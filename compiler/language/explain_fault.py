"""Explains why a statement can't be read: what was found, what could stand there, and what the author may mean."""

import re
from collections.abc import Collection, Sequence

from lark.exceptions import UnexpectedToken

from ...bundles.wording import joined, quoted
from ..diagnostics.synonyms import suggest
from .placed import Placed
from .statements import BLANKS, Statement
from .syntax_fault import SyntaxFault, compared_attributes
from .words import CLAUSES, KEYWORDS, STATEMENTS

_MOST_ALTERNATIVES = 6
"""With more possible words than these, a message does not list them."""

_END = "$END"
_CONSTANTS = frozenset(("STRING", "NUMBER", "TRUE", "FALSE", "NULL"))
_MARKS = {"COMMA": "`,`", "LSQB": "`[`", "RSQB": "`]`", "LBRACE": "`{`", "RBRACE": "`}`", "COLON": "`:`"}
_TERMINALS = {
    "ATTRIBUTE": "an attribute such as `resource.status`",
    "NAME": "a name",
    "NUMBER": "a number",
    "INSTANT": "an instant such as `2027-01-01T00:00:00Z`",
    "CLOCK": "a time of day such as `09:00`",
    "PATH": "a path such as `/documents/{id}`",
    "CAPTURE": "a part of the path such as `{id}`",
    "HOSTS": "",
    "ADDRESS": "",
    "STRING": "a text in quotes",
}
_UNINDENT = "remove the indentation: a statement starts at the beginning of a line"
_WORDS = {
    "unless": "write `when` with the opposite comparison, or a policy with `deny`",
    "or": "write a policy for each case, or `in [...]` for several values of one attribute",
    "exists": "leave it out: a comparison with an absent attribute is false",
    "has": "leave it out: a comparison with an absent attribute is false",
    "contains": "an array is compared as a whole; `matches` searches a text",
    "between": "write two comparisons: `... >= 1 and ... <= 9`",
    "starts": "write `matches` with a pattern such as `'^draft'`",
    "ends": "write `matches` with a pattern such as `'draft$'`",
}
"""The help for words of other languages that this one has no word for."""


def explained(ex: UnexpectedToken, tokens: Sequence[Placed], text: str) -> SyntaxFault:
    """Returns the fault of a statement, of which `tokens` were read. The last one is the unexpected one or the last."""
    accepted = ex.accepts or ex.expected
    said = [token for token in tokens if token.type != "COMMENT"]
    if ex.token.type == _END:
        last = said[-1]
        message = f"expected {_alternatives(accepted)} after {quoted(_shown(last))}"
        return SyntaxFault(message, last.start, last.end)
    found = said[-1]
    if found.type == "ATTRIBUTE" and set(accepted) >= _CONSTANTS:
        return compared_attributes(found)
    if len(said) == 1:
        return _no_statement(found, text)
    return SyntaxFault(_message(found, accepted, said), found.start, found.end, _help(found, accepted, text))


def indented(text: str, statement: Statement) -> SyntaxFault:
    """Returns the fault of a document whose first statement does not start at the beginning of a line."""
    line = text[statement.start : statement.end].split("\n", 1)[0].rstrip(BLANKS)
    message = "the first statement is indented, as if it went on with another one"
    return SyntaxFault(message, statement.start, statement.start + len(line.split(None, 1)[0]), _UNINDENT)


def _no_statement(found: Placed, text: str) -> SyntaxFault:
    """Returns the fault of a first word that starts no statement."""
    message, word = f"{quoted(_shown(found))} starts no statement", str(found.value)
    help_text = (
        suggest(word, STATEMENTS) or f"a statement starts with {joined([quoted(one) for one in STATEMENTS], 'or')}"
    )
    if word in CLAUSES:
        help_text = "write the statement that it belongs to on a line before it, such as `policy p1`"
    elif word == "model" and text[found.end : found.end + 1] == ":":
        help_text = "this is a model document; give its file a name that ends in `.yaml`"
    return SyntaxFault(message, found.start, found.end, help_text)


def _message(found: Placed, accepted: Collection[str], said: Sequence[Placed]) -> str:
    if _could_be(accepted):
        return f"expected {_alternatives(accepted)}, found {quoted(_shown(found))}"
    return f"{quoted(_shown(found))} can't follow {quoted(_shown(said[-2]))} in this statement"


def _help(found: Placed, accepted: Collection[str], text: str) -> str:
    word = str(found.value)
    if word in STATEMENTS and text[: found.start].rpartition("\n")[2].isspace():
        return _UNINDENT
    if word.casefold() in _WORDS:
        return _WORDS[word.casefold()]
    keywords = [name.lower() for name in accepted if name.lower() in KEYWORDS]
    near = suggest(word, keywords)
    if "INSTANT" in accepted and _DATE.fullmatch(word):
        return f"write the instant, with its offset: {quoted(word + 'T00:00:00Z')}"
    if not near and "ATTRIBUTE" in accepted and found.type == "NAME" and not word.startswith(("resource", "subject")):
        return f"write {quoted(f'resource.{word}')}, or `subject`, `action` or `context` before the dot"
    if not near and found.type == "STRING" and "NAME" not in accepted and len(keywords) == 1:
        return f"write {quoted(keywords[0])} before it"
    return near or ("" if _could_be(accepted) else f"here may follow {joined(_phrases(accepted), 'or')}")


def _could_be(accepted: Collection[str]) -> bool:
    return len(_phrases(accepted)) <= _MOST_ALTERNATIVES


def _alternatives(accepted: Collection[str]) -> str:
    return joined(_phrases(accepted), "or")


def _phrases(accepted: Collection[str]) -> list[str]:
    """Returns what could stand at a place, in words: names and constants first, then keywords, then marks."""
    rest = set(accepted) - {_END}
    phrases = []
    if rest >= _CONSTANTS:
        phrases.append("a constant")
        rest -= _CONSTANTS | {"NAME", "INSTANT", "CLOCK", "LSQB", "LBRACE"}
    if "NAME" in rest and "STRING" in rest:
        rest -= {"STRING", "NUMBER"}
    phrases += [_TERMINALS[name] for name in _TERMINALS if name in rest and _TERMINALS[name]]
    phrases += [quoted(word) for word in sorted(KEYWORDS) if word.upper() in rest]
    phrases += [quoted(mark) for name, mark in _COMPARISONS.items() if name in rest]
    return phrases + [_MARKS[name] for name in _MARKS if name in rest]


_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_COMPARISONS = {"LESSTHAN": "<", "MORETHAN": ">", "__ANON_0": "<=", "__ANON_1": ">="}


def _shown(token: Placed) -> str:
    return token.text or str(token.value)
