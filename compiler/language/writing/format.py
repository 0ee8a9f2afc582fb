"""Formats text: the canonical form of each statement, with the author's comments and order."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ....bundles.conditions.operators import Operator
from ....bundles.conditions.references import NOW
from ..parse import Parsed, parse
from ..placed import Placed
from ..reading.conditions import WITHOUT_BRACKETS
from ..reading.constants import canonical
from ..reading.policies import WINDOW
from ..reading.statement_clauses import ReadStatement
from ..statements import BLANKS, statements
from .layout import CLAUSE_INDENT, WRAPPED_INDENT, Line
from .policies import OF_NOW, PRESENCE

_WINDOW = frozenset(WINDOW)
"""The members whose clauses share a line."""

_TERMS = frozenset(("starts_at", "expires_at", "id"))
"""The members of an assignment or a grant, whose clauses stay on the line of the statement."""


class _Block(NamedTuple):
    """Lines that belong together: a statement, or a comment between statements."""

    lines: list[str]
    is_comment: bool
    after_blank: bool


def formatted(text: str) -> str:
    """Returns a document in the canonical form. Its meaning is the same. Raises SyntaxFault.

    >>> print(formatted("policy p1 allow  'editor' to read document # why\\n when resource.status is draft"), end="")
    policy p1
        allow editor to read document  # why
        when resource.status is "draft"
    """
    blocks: list[_Block] = []
    found = [*statements(text)]
    blocks += _comments(text, 0, found[0].start if found else len(text))
    for statement in found:
        parsed = parse(text, statement)
        last = max((token.end for token in parsed.tokens if token.type != "COMMENT"), default=statement.end)
        inside = [*_inside(text, parsed.tokens, last)]
        lines = [line for one in _lines(text, Parsed(parsed.element, inside)) for line in one.lines()]
        blocks.append(_Block(lines, False, _after_blank(text, statement.start)))
        blocks += _comments(text, inside[-1].end, statement.end)
    return "".join(f"{line}\n" for line in _joined(blocks))


def _inside(text: str, tokens: Iterable[Placed], last: int) -> Iterator[Placed]:
    """Yields the tokens of a statement, up to the first comment after its `last` character that is not indented."""
    for token in tokens:
        if token.start >= last and text[token.start - 1] == "\n":
            break
        yield token


def _comments(text: str, start: int, end: int) -> Iterator[_Block]:
    """Yields the comments in a part of the text that contains nothing else."""
    at = start
    for line in text[start:end].split("\n"):
        if comment := line.strip(BLANKS):
            yield _Block([comment], True, _after_blank(text, at))
        at += len(line) + 1


def _after_blank(text: str, start: int) -> bool:
    """Returns whether a blank line is before the line that starts at `start`."""
    at, lines = start, 0
    while at and text[at - 1] in BLANKS and lines <= 1:
        at -= 1
        lines += text[at] == "\n"
    return lines > 1


def _joined(blocks: Sequence[_Block]) -> Iterator[str]:
    """Yields all lines, with blank lines around statements of several lines and where the author left one."""
    for index, block in enumerate(blocks):
        if index:
            before = blocks[index - 1]
            follows = next((one for one in blocks[index:] if not one.is_comment), block)
            apart = not before.is_comment and (len(before.lines) > 1 or len(follows.lines) > 1)
            if block.after_blank or apart:
                yield ""
        yield from block.lines


def _lines(text: str, parsed: Parsed) -> Iterator[Line]:
    """Yields the lines of a statement."""
    breaks, commas, lists = _breaks(parsed), _missing_commas(parsed), _lists_without_brackets(parsed)
    opened, closed = {one.start for one in lists}, {one.end for one in lists}
    phrases, skipped = _phrases(parsed), -1
    tokens: list[str] = []
    indent = 0
    for place, token in enumerate(parsed.tokens):
        if token.type == "COMMENT":
            own = not text[text.rfind("\n", 0, token.start) + 1 : token.start].strip(BLANKS)
            if tokens or not own:
                yield Line(tokens, indent, "" if own else token.text.rstrip(BLANKS))
            later = (one.start for one in parsed.tokens[place:] if one.type != "COMMENT" and one.start >= skipped)
            after = next(later, -1)
            tokens, indent = [], breaks.get(after, CLAUSE_INDENT if after < 0 else WRAPPED_INDENT)
            if own:
                yield Line([], indent, token.text.rstrip(BLANKS))
            continue
        if token.start < skipped:
            continue
        if token.start in phrases:
            skipped, words = phrases[token.start]
            tokens += words
            continue
        if token.start in breaks:
            if tokens:
                yield Line(tokens, indent)
            tokens, indent = [], breaks[token.start]
        tokens += ["["] if token.start in opened else []
        tokens.append(canonical(token))
        tokens += ["]"] if token.end in closed else []
        if token.end in commas:
            tokens.append(",")
    if tokens:
        yield Line(tokens, indent)


def _phrases(parsed: Parsed) -> dict[int, tuple[int, Sequence[str]]]:
    """Returns where a comparison starts that is written in words, where it ends, and these words.

    The words for `not in []` are `is present`, those for `<= now` are `has passed`.
    """
    found: dict[int, tuple[int, Sequence[str]]] = {}
    for condition in _conditions(parsed):
        operator, value = condition.parts["op"][1], condition.parts.get("value", (None, None))[1]
        other = condition.parts.get("value_of", (None, None))[1]
        if operator.value == Operator.NIN and value is not None and value.value == []:
            found[operator.start] = value.end, PRESENCE
        elif other is not None and other.value == NOW and operator.value in OF_NOW:
            found[operator.start] = other.end, OF_NOW[operator.value]
    return found


def _breaks(parsed: Parsed) -> dict[int, int]:
    """Returns where lines start in a statement, after its first line, and the spaces before each."""
    element, breaks = parsed.element, {}
    in_window = False
    for clause in element.clauses:
        said = clause.members.keys()
        if not (in_window and said <= _WINDOW) and not _is_term(element, said):
            breaks[clause.keyword.start] = CLAUSE_INDENT
        in_window = said <= _WINDOW
        if clause.name == "when":
            inside = (token for token in parsed.tokens if clause.keyword.start < token.start < clause.end)
            breaks |= {token.start: CLAUSE_INDENT for token in inside if token.type == "AND"}
        elif clause.name == "description":
            inside = (token for token in parsed.tokens if clause.keyword.end < token.start < clause.end)
            breaks |= {token.start: WRAPPED_INDENT for token in [*inside][1:] if token.type != "COMMENT"}
        elif "resource_types" in said:
            starts = {scope.start for scope in clause.members["resource_types"][1].parts}
            breaks |= dict.fromkeys(starts, CLAUSE_INDENT) if len(starts) > 1 else {}
    return breaks


def _missing_commas(parsed: Parsed) -> set[int]:
    """Returns where a list has no comma between its things: where the first of the two ends."""
    ends: set[int] = set()
    for clause in parsed.element.clauses:
        for _, value in clause.members.values():
            if clause.name == "members":
                ends |= {member.end for member in value.parts[:-1]}
            elif clause.name == "attributes":
                ends |= {pair[1].end for pair in [*value.parts.values()][:-1]}
    for attributes in _declared(parsed):
        ends |= {pair[1].end for pair in [*attributes.parts.values()][:-1]}
    said = [token for token in parsed.tokens if token.type != "COMMENT"] if ends else []
    return ends - {token.end for token, after in pairwise(said) if after.type == "COMMA"}


def _declared(parsed: Parsed) -> Iterator[Placed]:
    """Yields the attributes of a declaration: of a type of subject, of the context or of actions."""
    if parsed.element.list_name == "attributes":
        for name, (_, section) in parsed.element.value.parts.items():
            yield from (value for _, value in section.parts.values()) if name == "subject" else (section,)


def _lists_without_brackets(parsed: Parsed) -> list[Placed]:
    """Returns the lists of constants that are said without brackets. The canonical form has brackets."""
    constants = (condition.parts["value"][1] for condition in _conditions(parsed) if "value" in condition.parts)
    return [constant for constant in constants if constant.type == WITHOUT_BRACKETS]


def _conditions(parsed: Parsed) -> Iterator[Placed]:
    """Yields the comparisons of a policy."""
    for clause in parsed.element.clauses:
        if clause.name == "when":
            for _, section in clause.members.values():
                yield from section.parts


def _is_term(element: ReadStatement, said: Collection[str]) -> bool:
    return element.list_name in ("assignments", "grants") and set(said) <= _TERMS
