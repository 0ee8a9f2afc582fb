"""Whatever a text says, reading it gives diagnostics with places in the text, in time that its length bounds."""

import json
import time
from resource import RUSAGE_SELF, getrusage

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.compiler.diagnostics.show import show_json, show_text
from writ.compiler.language.grammar import KEYWORDS
from writ.compiler.language.parse import parse
from writ.compiler.language.statements import Statement, statements
from writ.compiler.language.syntax_fault import SyntaxFault
from writ.compiler.language.tokens import TOKEN
from writ.compiler.language.writing.format import formatted
from writ.compiler.source import Source

from tests.support.strategies_pick import Pick
from tests.support.writ_grammar import text as derived
from tests.support.writ_spelling import NAMES
from tests.support.writ_texts import CORPUS, comments, load_writ, read

SEEDS = st.integers(0, 2**32)
MIB = 2**20
KIB = 2**10
PIECES = (
    *sorted(KEYWORDS),
    *NAMES,
    *"\"'\\,:[]{}<>=!()#\n\t *.-/%",
    "\n",
    "\n    ",
    '""',
    "resource.a",
    "1",
    "9" * 5000,
    "1e999",
    "0x1",
    "10.0.0.0/8",
    "2034-02-30T25:00:00Z",
    "24:00",
    "99:99",
    "{id}",
    "*.a.b",
    "/a/{b}/*",
    '"\\u12"',
    '"\\ud800"',
    "[" * 40,
    "{a:" * 40,
    "policy p allow a to b c when resource.a is",
)


def mutated(pick: Pick) -> str:
    """Some statements of the corpus with pieces put in, taken out and exchanged."""
    found = pick.some([text[start:end] for text in CORPUS.values() for start, end in statements(text)], 1, 4)
    text = "".join(found)
    for _ in range(pick.number(0, 4)):
        start = pick.number(0, len(text))
        end = min(start + pick.one((0, 0, 0, 1, 1, 4, 30)), len(text))
        text = text[:start] + pick.one(("", *PIECES)) + text[end:]
    return text


@given(SEEDS)
def test_a_mutated_text_is_diagnosed(seed):
    diagnose(mutated(Pick.seeded(seed)))


@given(SEEDS)
def test_any_pieces_are_diagnosed(seed):
    pick = Pick.seeded(seed)
    diagnose(pick.one(("", " ")).join(pick.one(PIECES) for _ in range(pick.number(0, 12))))


@given(st.text(max_size=60))
def test_any_text_is_diagnosed(text):
    diagnose(text.encode(errors="replace").decode())


@given(SEEDS)
def test_what_the_grammar_derives_is_diagnosed(seed):
    diagnose(derived(Pick.seeded(seed)))


def test_a_number_is_no_method():
    """The formatter put it in quotes, behind which it was the id of a resource: what it wrote could not be read."""
    text = 'route r means doc read 1, b "/p"\n'
    assert [found.code for found in load_writ(text).diagnostics] == ["syntax"]
    assert formatted('route r means doc read x "GET" /p') == "route r\n    means doc read x\n    GET /p\n"


def diagnose(text: str) -> None:
    """Load and show a text, and format it if it can be read."""
    loaded = load_writ(text)
    source = Source("model.writ", text.encode())
    lines = text.removeprefix("\ufeff").split("\n")
    assert (loaded.model is None) == any(found.severity == "error" for found in loaded.diagnostics)
    for found in loaded.diagnostics:
        assert found.message.isprintable()
        assert found.help.isprintable()
        assert not found.message.endswith(".")
        assert 1 <= found.line <= len(lines)
        assert 1 <= found.column <= len(lines[found.line - 1]) + 1
        assert found.length >= 1
    assert len(json.loads(show_json(loaded.diagnostics))) == len(loaded.diagnostics)
    assert len(list(show_text(loaded.diagnostics, [source]))) <= len(loaded.diagnostics)
    check_faults(text)


def fault_of(text: str, statement: Statement) -> tuple[Statement, SyntaxFault] | None:
    """The statement and its fault, if it can't be read."""
    try:
        parse(text, statement)
    except SyntaxFault as fault:
        return statement, fault
    return None


def check_faults(text: str) -> None:
    """Each statement can be read, or has a fault in the text; what can be read can be formatted."""
    faults = [fault for statement in statements(text) if (fault := fault_of(text, statement))]
    for statement, fault in faults:
        assert statement.start <= fault.start < fault.end <= statement.end, (fault.message, text)
    if not faults:
        form = formatted(text)
        assert formatted(form) == form
        assert read(form) == read(text)
        assert comments(form) == comments(text)


CHARACTERS = [*map(chr, range(0x09, 0x7F)), "\x85", "\xa0", "é", "٣", "\u2028", "\ufeff", "“", "\U0001f600"]
REPEATED = [
    *CHARACTERS,
    "a.",
    "a-",
    "1.",
    "1e",
    "a:",
    "::",
    "1:",
    "*.",
    "{a",
    "{*}",
    "'a",
    '"\\',
    "/a",
    "#\n",
    "\n ",
    "-1",
    "[a",
    "[[]",
    ",a",
]


@pytest.mark.parametrize("piece", REPEATED, ids=ascii)
def test_a_long_text_of_one_piece_is_cut_in_linear_time(piece):
    """Each of these takes less than a second; a quadratic one would take many minutes.

    The lexer stops at the first character that means nothing, such as quotes that nothing closes.
    """
    text = piece * (256 * KIB // len(piece))
    began, end, kind = time.process_time(), 0, None
    for found in TOKEN.finditer(text):
        assert found.start() == end
        end, kind = found.end(), found.lastgroup
        if kind == "other":
            break
    assert end == len(text) or kind == "other"
    assert time.process_time() - began < 20


@pytest.mark.parametrize("text", ["role {}", "policy p allow a to b c when resource.{}"])
@pytest.mark.parametrize("inside", ["x", '\\"', "\\\\", "é", "x\\n"], ids=ascii)
@pytest.mark.parametrize("closing", ['"', ""])
def test_a_long_text_in_quotes_takes_little_memory(text, inside, closing):
    """The pattern keeps no place to go back to for each character: that took 400 bytes each."""
    whole = text.format(f'"{inside * (4 * MIB // len(inside))}{closing}')
    before = getrusage(RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    for found in TOKEN.finditer(whole):
        if found.lastgroup == "other":
            break
    assert (found.lastgroup == "other") == (not closing)
    assert time.process_time() - began < 20
    assert getrusage(RUSAGE_SELF).ru_maxrss - before < 200 * KIB


@pytest.mark.parametrize("before", ["", "policy p allow a to b c when resource.a is ", "policy p allow a to b c from "])
@pytest.mark.parametrize(
    "piece", ["[", "{", "{a:", "[{a:", ",", "a ", '"', "1", ":", "/", "#", "\n", "x\n", "\n "], ids=ascii
)
def test_a_long_text_is_diagnosed(before, piece):
    text = before + piece * (32 * KIB // len(piece))
    loaded = load_writ(text)
    assert len(loaded.diagnostics) <= 1_001
    assert loaded.diagnostics or not text.strip("# \n") or piece.isspace() or piece == "#"


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}"), ("[{a: [", "]}]")])
def test_a_value_that_is_nested_too_deeply_is_found_and_can_be_formatted(opening, closing):
    text = f"policy p\n    allow everyone to read doc\n    when resource.a is {opening * 3_000}1{closing * 3_000}\n"
    found = [one for one in load_writ(text).diagnostics if one.code != "unknown-type"]
    assert [(one.code, one.line) for one in found] == [("too-deep", 3)]
    form = formatted(text)
    assert formatted(form) == form


def test_many_findings_in_one_long_statement_are_found_soon():
    """Each finding needs its place, for which the statement is not read again."""
    text = "type doc\n    actions read\n    attributes " + " ".join(f"a{number} strng" for number in range(5_000))
    began = time.process_time()
    assert len(load_writ(text).diagnostics) == 1_001
    assert time.process_time() - began < 20
