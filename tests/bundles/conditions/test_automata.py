"""Patterns are compiled when first searched for, in a table bounded in bytes, whatever it keeps (C6)."""

import os
import signal
import threading
import time

import pytest
import re2
from hypothesis import example, given
from hypothesis import strategies as st
from writ.bundles.conditions import automata, patterns
from writ.bundles.conditions.automata import Automata, memory_for
from writ.bundles.conditions.patterns import instructions_of, measured, pattern_predicate
from writ.bundles.errors import BundleError

UNIT = memory_for(20)
"""More than the memory of each small automaton here."""

TABLE_BYTES = 4 * UNIT

TEXTS = st.text(alphabet="abAé-1.\n\0", max_size=12)


@pytest.fixture
def table(monkeypatch):
    made = Automata(instructions_of, TABLE_BYTES)
    monkeypatch.setattr(patterns, "_automata", made)
    return made


def joined(inner):
    repeated = st.builds("(?:{}){}".format, inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "*?"]))
    return repeated | st.builds("{}{}".format, inner, inner) | st.builds("({}|{})".format, inner, inner)


def is_legal(pattern):
    try:
        return instructions_of(pattern) > 0
    except ValueError:
        return False


PATTERNS = st.recursive(
    st.sampled_from(["a", "b", "(?i)a", ".", "(?s).", "[^a]", r"\pL", r"\d", r"\b", "^", "$", "-", "é", "", "(?m)^"]),
    joined,
    max_leaves=6,
).filter(is_legal)


@given(searches=st.lists(st.tuples(PATTERNS, TEXTS), min_size=1, max_size=12), again=st.booleans())
@example(searches=[("(a|b)*a(a|b){10}", "ab" * 20), (r"(?i)\pL+\s\pN{2}$", "é 12"), ("a.b", "a\nb")], again=True)
def test_an_automaton_finds_what_re2_finds_with_its_own_options(searches, again):
    """The table has room for few automata: they are dropped and compiled again between the searches."""
    with pytest.MonkeyPatch.context() as patch:
        table = Automata(instructions_of, 2 * UNIT)
        patch.setattr(patterns, "_automata", table)
        predicates = [(pattern_predicate(pattern), pattern, text) for pattern, text in searches]
        for found, pattern, text in predicates * (1 + again):
            assert found(text) is (re2.search(pattern, text) is not None)
            assert table.bytes <= 2 * UNIT


@pytest.mark.parametrize("captures", [True, False])
@pytest.mark.parametrize("memory", [2**16, 2**18, automata.LARGEST_BYTES])
@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("(a|b)*a(a|b){10}$", "ab" * 3_000 + "a" * 11, True),
        ("(a|b)*a(a|b){10}$", "ab" * 3_000 + "b" * 11, False),
        (r"\pL{2}\d", "é1" * 3_000 + "éé1", True),
        (r"\pL{2}\d", "é1" * 3_000, False),
    ],
)
def test_little_memory_changes_no_answer(memory, captures, pattern, text, found):
    """RE2 searches with another method if its memory is too small for the fast one."""
    automaton = automata.compiled(pattern, memory, captures)
    assert (automaton.search(text.encode()) is not None) is found


def test_a_pattern_is_compiled_when_it_is_first_searched_for(table):
    found = pattern_predicate("[ab]c")
    assert table.bytes == 0
    assert [found("xbc"), found("c"), found(1), found("\ud800")] == [True, False, False, False]
    assert table.bytes == memory_for(instructions_of("[ab]c"))


def test_plain_text_needs_no_automaton(table):
    assert pattern_predicate("^draft-.*")("draft-7")
    assert table.bytes == 0


def test_a_check_leaves_no_automaton(table):
    """Not in the table, and not in the binding, which keeps those of the last 128 patterns."""
    measured.cache_clear()
    instructions_of("[ab]c")
    with pytest.raises(ValueError, match="3000"):
        instructions_of(r"(\pL{3}){10}")
    assert table.bytes == re2._Regexp._make.cache_info().currsize == 0


@pytest.mark.parametrize("pattern", ["a{0,1000}" * 25, "(a{0,30}){0,30}" * 16, r"\pL{1000}", r"(\pL{3}){10}"])
def test_a_pattern_far_above_the_limit_is_refused_soon(pattern):
    """C6. With all memory of RE2, the first one takes more than a second of a thread that others wait for."""
    measured.cache_clear()
    began = time.thread_time()
    with pytest.raises(ValueError, match="instructions, the limit is 3000"):
        instructions_of(pattern)
    assert time.thread_time() - began < 0.8, "it takes a hundredth of that on a quiet machine"
    with pytest.raises(ValueError, match="instructions, the limit is 3000"):
        instructions_of(pattern)
    assert measured.cache_info().misses == 1, "a refusal is remembered"


@pytest.mark.parametrize(
    ("pattern", "size"),
    [
        ("a{1000}b{1000}c{990}", 2_994),
        ("a{0,1000}a{0,490}", 2_984),
        ("(?:ab|cd){740}", 2_964),
        (r"(?:a|\b|$){900}", 2_704),
        (r"[\pL\pN._%+-]{2}", 2_696),
        ("(?:|){1000}", 4),
    ],
)
def test_a_check_has_room_for_what_the_limit_allows(pattern, size):
    """C6: RE2 needs more room for its draft than for the program."""
    assert instructions_of(pattern) == size


def test_the_table_keeps_its_bytes_whatever_is_searched(table):
    for number in range(2_000):
        assert pattern_predicate(f"[ab]{number}")(f"b{number}")
        assert table.bytes <= TABLE_BYTES
    assert table.bytes > 0


def test_what_is_used_stays_and_what_is_not_is_dropped(table):
    used = table.of("[ab]c")
    dropped = table.of("[ab]d")
    for number in range(100):
        table.of(f"[ab]{number}")
        assert table.of("[ab]c") is used
    assert table.of("[ab]d") is not dropped


def test_a_pattern_too_large_for_the_table_is_searched_and_not_kept(table):
    for _ in range(2):
        assert pattern_predicate(r"\pL{2}\d{2}")("éé12")
        assert table.bytes == 0


def test_a_table_counts_the_memory_that_re2_may_take(monkeypatch):
    """An automaton takes memory by its size, and at most what its check took."""
    made = Automata(instructions_of)
    automaton = made.of(r"\pL{2}\d{2}")
    assert made.bytes == automaton.options.max_mem == memory_for(instructions_of(r"\pL{2}\d{2}"))
    hungry = Automata(lambda _: 1)  # as if RE2 needed more for so few instructions
    assert hungry.of(r"\pL{2}\d{2}").options.max_mem == hungry.bytes == automata.LARGEST_BYTES


@pytest.mark.parametrize("pattern", ["(", "(?=a)", r"(\pL{3}){10}", "[a]" * 100])
def test_a_pattern_that_fails_its_check_never_answers(table, pattern):
    """C6: such a bundle is damaged. Values that are no text do not depend on the pattern (C7)."""
    found = pattern_predicate(pattern)
    assert found(1) is False
    for _ in range(2):
        with pytest.raises(BundleError, match=r"^the bundle is damaged: "):
            found("a")
    assert table.bytes == 0


def test_threads_share_a_table(table):
    wrong = []

    def search(start):
        for number in range(start, start + 300):
            expected = number % 2 == 0
            if pattern_predicate(f"[ab]{number % 50}$")(f"{'b' if expected else 'c'}{number % 50}") is not expected:
                wrong.append(number)

    threads = [threading.Thread(target=search, args=(start,)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert 0 < table.bytes <= TABLE_BYTES


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_forked_process_begins_with_an_empty_table(table):
    """A lock that another thread holds at the fork stays locked in the child."""
    assert pattern_predicate("[ab]c")("ac")
    with table._lock:
        child = os.fork()
        if child == 0:
            signal.alarm(30)  # ends a child that waits for ever
            empty = table.bytes == 0
            os._exit(0 if empty and pattern_predicate("[ab]c")("ac") and table.bytes > 0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert table.bytes > 0
