"""The table of counters: exact for one subject, early and never late for many, and of fixed size (C10)."""

import math
import threading
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.runtime.rates.counted import counted_key
from writ.runtime.rates.counter_words import (
    LAST_TICK,
    MOST,
    TICKS,
    WORDS,
    best_place,
    expiry_of,
    least_alive,
    with_one_more,
    word_of,
)
from writ.runtime.rates.rate_table import LEAST_BYTES, RateTable, table_bytes

from tests.support.oracle_rates import SLOTS, Counters, by_slots, exactly

KEY, OTHER = b"alice", b"bob"
START = 1_700_000_000
LARGEST = 2**31 - 1


def a_table(row_bytes: int = 2**20, rows: int = 1, salt: bytes = b"salt", row: int | None = 0) -> RateTable:
    return RateTable(bytearray(table_bytes(rows, row_bytes)), rows, salt, threading.Lock(), row)


def beside(table: RateTable, row: int) -> RateTable:
    """What another process sees of the same memory, with a row of its own."""
    other = RateTable(table._used.obj, len(table._rows), b"salt", threading.Lock(), row)
    assert other._places(KEY) == table._places(KEY)
    return other


def counts(table: RateTable, limit: int, window: int, now: float, key: bytes = KEY) -> bool:
    return table.count(key, limit, window, now) <= limit


def rate(limit: int, window: int) -> dict[str, Any]:
    return {"limit": limit, "window_seconds": window}


gaps = st.one_of(st.just(0.0), st.integers(0, 200).map(lambda n: n / TICKS), st.floats(0, 40))


@settings(max_examples=120, deadline=None)
@given(limit=st.integers(1, 6), window=st.integers(1, 40), steps=st.lists(gaps, max_size=60), start=st.integers(0, 999))
def test_one_subject_is_counted_exactly_by_slots(limit, window, steps, start):
    """The law: an evaluation counts until the window after its slot is over, no longer and no shorter."""
    table, right, now = a_table(), Counters(by_slots), START + start / 7
    for step in steps:
        now += step
        assert counts(table, limit, window, now) == right.count(KEY, rate(limit, window), now)
        if len(right._ends(KEY, rate(limit, window), now)) >= limit:
            assert table.wait(KEY, limit, window, now) == right.wait(KEY, rate(limit, window), now)


@settings(max_examples=120, deadline=None)
@given(limit=st.integers(1, 6), window=st.integers(1, 40), steps=st.lists(gaps, max_size=60))
def test_no_stretch_of_the_window_has_more_and_a_turn_comes_a_slot_late_at_most(limit, window, steps):
    table, now, counted = a_table(), Fraction(START), []
    for step in steps:
        now += Fraction(step)
        if counts(table, limit, window, float(now)):
            counted.append(Fraction(float(now)))
            assert sum(float(now) - window < when for when in counted) <= limit
        else:
            longest = window + Fraction(window, SLOTS)
            assert sum(float(now) - longest < when for when in counted) >= limit


@pytest.mark.parametrize("window", [1, 7, 60, 86_400])
def test_bursts_a_slot_more_than_a_window_apart_are_counted_as_an_exact_list_does(window):
    """Slots matter only between a window and a slot more: here nothing is asked then."""
    table, right = a_table(), Counters(exactly)
    for burst in range(8):
        now = START + burst * window * 17 / 16
        for _ in range(6):
            assert counts(table, 4, window, now) == right.count(KEY, rate(4, window), now)


def test_the_wait_is_the_least_after_which_it_counts_again():
    """`retry_after_seconds`, if nobody asks meanwhile."""
    for seed in range(40):
        random, table, now = Random(seed), a_table(), float(START)
        window, limit = random.randint(1, 90), random.randint(1, 5)
        while counts(table, limit, window, now):
            now += random.random() * window / 6
        seconds = table.wait(KEY, limit, window, now)
        assert isinstance(seconds, int)
        assert 1 <= seconds <= math.ceil(window * 17 / 16)
        assert seconds == 1 or not counts(table, limit, window, now + seconds - 1)
        assert counts(table, limit, window, now + seconds)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), cells=st.integers(1, 3))
def test_subjects_that_share_cells_are_limited_early_and_never_late(seed, cells):
    """A table that is far too small, with windows of all lengths in the same cells."""
    random, table = Random(seed), a_table(row_bytes=cells * LEAST_BYTES)
    keys = {b"%d" % n: (random.randint(1, 5), random.choice([1, 5, 60, 3_600])) for n in range(8)}
    counted: dict[bytes, list[float]] = {key: [] for key in keys}
    now = float(START)
    for _ in range(300):
        now += random.choice([0, 0.01, 0.5, 7])
        key = random.choice([*keys])
        limit, window = keys[key]
        if counts(table, limit, window, now, key):
            counted[key].append(now)
        assert sum(now - window < when for when in counted[key]) <= limit


def test_what_other_windows_filled_is_free_again_without_a_sweep():
    """One cell for all: it is never cleaned up, and counts anew once everything in it is too old."""
    table = a_table(row_bytes=0)
    for number in range(500):
        table.count(b"%d" % number, 1_000, 1 + number % 90, START + number / 10)
    assert table.count(KEY, 1, 60, START + 50) > 1
    assert table.count(KEY, 1, 60, START + 50 + 90 * 17 / 16 + 1) == 1


def test_the_memory_is_the_same_for_any_number_of_subjects():
    table = a_table(row_bytes=2**20)
    memory = table._used.obj
    assert len(memory) == table_bytes(1, 2**20) <= 2**20 + 8
    for number in range(20_000):
        table.count(b"%d" % number, 5, 3_600, START)
    assert table._used.obj is memory
    assert set(vars(table)) == set(vars(a_table()))


def test_a_crowd_disturbs_few_others():
    """The figure of the handbook: 4 MiB, 3,000 subjects with a full window each."""
    table = a_table(row_bytes=4 * 2**20)
    for number in range(3_000):
        for _ in range(10):
            table.count(b"busy%d" % number, 10, 3_600, START)
    early = sum(not counts(table, 10, 3_600, START, b"new%d" % number) for number in range(2_000))
    assert early <= 40, f"{early} of 2,000 subjects were limited at their first evaluation"


@settings(max_examples=60, deadline=None)
@given(
    limit=st.integers(1, 4),
    window=st.sampled_from([1, 10, 60]),
    moments=st.lists(st.tuples(st.floats(-300, 300), st.floats(0, 300)), min_size=1, max_size=20),
)
def test_a_clock_that_goes_back_never_allows_what_it_refused(limit, window, moments):
    table = a_table()
    for moment, back in moments:
        now = START + moment
        while counts(table, limit, window, now):
            continue
        assert not counts(table, limit, window, now - back)


@pytest.mark.parametrize("now", [-1.0, -0.01, -62_135_596_800.0, 2.0**40, 253_402_300_799.0, 1e300])
def test_a_clock_far_off_allows_nothing(now):
    table = a_table()
    assert table.count(KEY, LARGEST, 60, now) > LARGEST
    assert table.wait(KEY, LARGEST, 60, now) == 60


@pytest.mark.parametrize(("limit", "window"), [(LARGEST, 1), (1, LARGEST), (LARGEST, LARGEST)])
def test_the_largest_limits_and_windows_are_counted(limit, window):
    table = a_table()
    numbers = [table.count(KEY, limit, window, START) for _ in range(3)]
    assert numbers == ([1, 2, 2] if limit == 1 else [1, 2, 3])
    assert expiry_of(START * TICKS, window) <= LAST_TICK
    if limit == 1:
        assert START + table.wait(KEY, limit, window, START) >= START + window


def test_a_full_word_reaches_every_limit():
    """2^27 - 1 evaluations in one slot: no number above it fits, so all further ones are refused."""
    table, tick = a_table(), START * TICKS
    expiry, alive = expiry_of(tick, 60), least_alive(tick)
    for place in table._places(KEY):
        table._rows[0][place + expiry // 60 % WORDS] = word_of(expiry, MOST - 1)
    assert table.count(KEY, LARGEST, 60, START) == MOST
    assert table.count(KEY, LARGEST, 60, START) > LARGEST
    assert table.wait(KEY, LARGEST, 60, START) >= 60
    assert with_one_more(word_of(expiry, MOST), expiry, alive) == word_of(expiry, MOST)


def test_rows_are_summed_and_a_successor_goes_on_with_a_row():
    first = a_table(rows=3, row_bytes=2**16)
    second = beside(first, 1)
    for _ in range(3):
        assert counts(first, 8, 60, START)
        assert counts(second, 8, 60, START)
    successor = beside(first, 1)
    assert [successor.count(KEY, 8, 60, START + 1) for _ in range(3)] == [7, 8, 9]
    assert first.count(KEY, 8, 60, START + 1) == 9


@pytest.mark.parametrize("row", [None, -1, 3, 10**9])
def test_without_a_row_every_limit_is_reached(row):
    table = a_table(rows=3, row_bytes=2**16, row=row)
    assert not counts(table, LARGEST, 60, START)
    assert table.wait(KEY, LARGEST, 60, START) == 60
    assert not any(table._used.obj)


def test_threads_allow_not_one_too_many():
    table, allowed = a_table(), []
    start = threading.Barrier(8)

    def ask() -> None:
        start.wait()
        allowed.append(sum(counts(table, 1_000, 3_600, START) for _ in range(400)))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(allowed) == 1_000


def test_the_salt_decides_who_shares_cells():
    places = [a_table(salt=salt)._places(KEY) for salt in (b"one", b"two")]
    assert places[0] != places[1]
    assert len({place for ends in places for place in ends}) == 8


def test_keys_tell_everything_apart():
    strange = ["", "\0", "1", "1\0", "a", "a\0", "\ud800", "id", "external_id", "é", "\x1f", "é"]
    random, seen = Random(1), {}
    for _ in range(20_000):
        policy, type, id = (random.choice(strange) + random.choice(strange) for _ in range(3))
        parts = (
            random.choice(["", "9d1cf1b0-0000-4000-8000-000000000000"]),
            policy,
            type,
            random.choice(["id", "external_id"]),
            id,
        )
        assert seen.setdefault(counted_key(*parts), parts) == parts


def test_a_shared_cell_uses_the_word_that_lengthens_least():
    alive = least_alive(100)
    words = [word_of(expiry, 1) for expiry in (400, 90, 300, 200)]
    assert best_place(words, 300, alive) == 2
    assert best_place(words, 210, alive) == 1, "one that no longer counts"
    words[1] = word_of(500, 1)
    assert best_place(words, 210, alive) == 3
    assert best_place(words, 380, alive) == 0


def test_slots_follow_each_other_through_all_words():
    places = [expiry_of(START * TICKS + n * 60, 60) // 60 % WORDS for n in range(WORDS)]
    assert sorted(places) == list(range(WORDS))
    assert {b - a for a, b in pairwise(places)} == {1, 1 - WORDS} or {b - a for a, b in pairwise(places)} == {1}


@settings(max_examples=60, deadline=None)
@given(limit=st.integers(1, 6), window=st.integers(1, 40), steps=st.lists(gaps, max_size=30))
def test_peeking_tells_what_counting_would_and_changes_nothing(limit, window, steps):
    table, now = a_table(), float(START)
    peeking = table.peeking()
    for step in steps:
        now += step
        before = bytes(table._used.obj)
        assert [peeking.count(KEY, limit, window, now) for _ in range(2)] == [
            peeking.count(KEY, limit, window, now)
        ] * 2
        assert peeking.wait(KEY, limit, window, now) == table.wait(KEY, limit, window, now)
        assert bytes(table._used.obj) == before
        expected = peeking.count(KEY, limit, window, now)
        assert table.count(KEY, limit, window, now) == expected
    assert peeking.count(KEY, limit, window, -1.0) == limit + 1


def test_peeking_without_a_row_finds_every_limit_reached():
    assert a_table(row=None).peeking().count(KEY, 3, 60, START) == 4
