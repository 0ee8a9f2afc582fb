"""Explains why a statement can't be read: what was found, what could stand there, and what the author may do."""

from collections.abc import Sequence

from lark.exceptions import UnexpectedToken

from ...bundles.wording import joined, quoted
from ..diagnostics.synonyms import suggest
from .advice import COMMENT, CONSTANTS, UNINDENT, advice
from .fault_place import FaultPlace
from .grammar import CLAUSES, KEYWORDS
from .placed import Placed
from .statements import BLANKS, Statement
from .syntax_fault import SyntaxFault, compared_attributes
from .words import LISTS, STATEMENTS

_MARKS = {"COMMA": "`,`", "LSQB": "`[`", "RSQB": "`]`", "LBRACE": "`{`", "RBRACE": "`}`", "COLON": "`:`"}
_TERMINALS = {
    "ATTRIBUTE": "an attribute such as `resource.status`",
    "NAME": "a name",
    "NUMBER": "a number",
    "INSTANT": "an instant such as `2027-01-01T00:00:00Z`",
    "CLOCK": "a time of day such as `09:00`",
    "ADDRESS": "an address such as `10.0.0.0/8`",
    "PATH": "a path such as `/documents/{id}`",
    "CAPTURE": "a part of the path such as `{id}`",
    "HOSTS": "a host such as `*.example.com`",
    "STRING": "a text in quotes",
}
_NAMED_BY = {"EVERYTHING": "a type", "ANYTHING": "an action", "EVERYONE": "a role"}
"""The meaning of a name beside these keywords."""

_A_COMPARISON = "IS"
"""The construct that stands where any comparison may stand, and nothing else."""

_CLAUSES = frozenset(word.upper() for word in CLAUSES - {"and"})
_SEVERAL_CLAUSES = frozenset(("ALLOW", "DENY", "WHEN"))
"""The keywords that stand where any clause of a policy may stand."""

_EFFECTS = frozenset(("permit", "forbid", "allow", "deny", "default", "rule"))
_STARTS = {
    **dict.fromkeys(_EFFECTS, "write `policy`, an id, and what it allows: `policy p1 allow editor to read document`"),
    "import": "leave it out: name all files of a model on the command line",
    "package": "leave it out: a model has no packages",
    "has_role": "write `assign editor to user alice`",
    **dict.fromkeys(("revoke", "remove", "unassign", "drop"), "leave it out: what a model does not give, nobody has"),
    **dict.fromkeys(
        ("model", "schema", "define", "relation", "relations"),
        "there are no relations: write `assign`, `grant`, or a condition such as `when resource.owner is subject.id`",
    ),
    "principalpolicy": "write `policy`",
    "resourcepolicy": "write `policy`",
}
"""The help for words of other languages at the start of a statement."""

_DOCUMENT = "this is a model document; give its file a name that ends in `.{}`"


def explained(ex: UnexpectedToken, tokens: Sequence[Placed], text: str) -> SyntaxFault:
    """Returns the fault of a statement, of which `tokens` were read. The last one is the unexpected one or the last."""
    accepted = frozenset(ex.accepts or ex.expected) - {"$END"}
    said = [token for token in tokens if token.type != "COMMENT"]
    if ex.token.type == "$END":
        last = said[-1]
        message = f"expected {_alternatives(accepted)} after {quoted(_shown(last))}"
        return SyntaxFault(message, last.start, last.end, advice(FaultPlace(None, accepted, said, text)))
    found = said[-1]
    if len(said) == 1:
        return _no_statement(found, text)
    if found.type == "ATTRIBUTE" and accepted >= CONSTANTS:
        return compared_attributes(found)
    message = f"expected {_alternatives(accepted)}, found {quoted(_shown(found))}"
    return SyntaxFault(message, found.start, found.end, advice(FaultPlace(found, accepted, said[:-1], text)))


def unexplained(tokens: Sequence[Placed]) -> SyntaxFault:
    """Returns the fault of a statement without saying more. PERF: for faults that no run lists."""
    last = tokens[-1]
    return SyntaxFault("the statement can't be read", last.start, last.end)


def indented(text: str, statement: Statement) -> SyntaxFault:
    """Returns the fault of a document whose first statement does not start at the beginning of a line."""
    line = text[statement.start : statement.end].split("\n", 1)[0].rstrip(BLANKS)
    message = "the first statement is indented, as if it went on with another one"
    return SyntaxFault(message, statement.start, statement.start + len(line.split(" ", 1)[0]), UNINDENT)


def _no_statement(found: Placed, text: str) -> SyntaxFault:
    """Returns the fault of a first word that starts no statement."""
    word, message = str(found.value), f"{quoted(_shown(found))} starts no statement"
    return SyntaxFault(message, found.start, found.end, _start(found, word, text))


def _start(found: Placed, word: str, text: str) -> str:
    if found.type == "LBRACE":
        return _DOCUMENT.format("json")
    if text[found.end : found.end + 1] == ":" and (word == "model" or word in LISTS.values()):
        return _DOCUMENT.format("yaml")
    if found.type == "PATH":
        return COMMENT
    if word.casefold() in _STARTS:
        return _STARTS[word.casefold()]
    if word in CLAUSES:
        return "write the statement that it belongs to on a line before it, such as `policy p1`"
    return suggest(word, STATEMENTS) or "a statement starts with a word such as `policy`, `role`, `type` or `assign`"


def _alternatives(accepted: frozenset[str]) -> str:
    """Returns what could stand at a place, in words: names and constants first, then keywords, then marks."""
    rest, phrases, groups = set(accepted), [], []
    if rest >= CONSTANTS:
        phrases.append('a constant such as `"draft"`')
        rest -= CONSTANTS | {"NAME", "INSTANT", "CLOCK", "LSQB", "LBRACE", "ATTRIBUTE", "NOW"}
    elif "HOSTS" in rest:
        rest -= {"NAME", "STRING", "ADDRESS"}
    elif rest & {"ADDRESS", "PATH"}:
        rest -= {"NAME", "STRING"}
    elif "NAME" in rest and "STRING" in rest:
        rest -= {"STRING", "NUMBER"}
    if "NAME" in rest and (kinds := [kind for word, kind in _NAMED_BY.items() if word in rest]):
        phrases.append(kinds[0])
        rest.remove("NAME")
    if _A_COMPARISON in rest:
        return "a comparison such as `is`"
    if rest >= _SEVERAL_CLAUSES:
        groups.append("a clause such as `when`")
        rest -= _CLAUSES
    phrases += [_TERMINALS[name] for name in _TERMINALS if name in rest]
    phrases += [quoted(word) for word in sorted(KEYWORDS) if word.upper() in rest]
    phrases += groups
    alternatives = phrases + [_MARKS[name] for name in _MARKS if name in rest]
    return joined(alternatives, "or") if alternatives else "the end of the statement"


def _shown(token: Placed) -> str:
    return token.text or str(token.value)
