"""The check of histories against the meaning of linearizable: some order of all operations explains what they saw."""

from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.histories import Operation, Position, faults

START = Operation(True, -2, -1, Position(1, 0), "start")


def is_linearizable(history: Sequence[Operation]) -> bool:
    """Try every order of the operations. A write without an answer is in it if a read saw its value."""
    seen = {one.value: one.position for one in history if not one.is_write}
    counting = [one for one in history if one.position is not None or one.value in seen]
    return any(_explains(order, seen) for order in permutations(counting))


def _explains(order: Sequence[Operation], seen: dict[str, Position | None]) -> bool:
    for place, one in enumerate(order):
        if any(later.ended is not None and later.ended < one.began for later in order[place + 1 :]):
            return False
    now, value = Position(0, 0), ""
    for one in order:
        position = one.position or seen[one.value]
        assert position is not None
        if one.is_write:
            if position <= now:
                return False
            now, value = position, one.value
        elif (position, one.value) != (now, value):
            return False
    return True


@st.composite
def histories(draw: st.DrawFn) -> list[Operation]:
    """Few operations on few instants and revisions, so that they often touch. Each write has a value of its own."""
    made = [START]
    for number in range(draw(st.integers(1, 4))):
        began = draw(st.integers(0, 8))
        ended: int | None = began + draw(st.integers(0, 4))
        position: Position | None = Position(draw(st.sampled_from([1, 1, 1, 2])), draw(st.integers(0, 3)))
        is_write = draw(st.booleans())
        if is_write and draw(st.integers(0, 3)) == 0:
            ended = position = None
        value = f"w{number}" if is_write else draw(st.sampled_from(["start", *(f"w{other}" for other in range(4))]))
        made.append(Operation(is_write, began, ended, position, value))
    return made


W1 = Operation(True, 0, 1, Position(1, 1), "w0")
STALE = Operation(False, 2, 3, Position(1, 0), "start")


@given(histories())
@example([START, W1, STALE])
@example([START, W1, Operation(False, 2, 3, Position(1, 1), "w0"), Operation(True, 2, None, None, "w2")])
@example([START, Operation(True, 0, None, None, "w0"), Operation(False, 1, 2, Position(1, 1), "w0"), STALE])
def test_the_check_finds_what_no_order_explains(history):
    assert (not faults(history)) == is_linearizable(history)


@pytest.mark.parametrize(
    "history",
    [
        [START, W1, STALE],  # a stale decision
        [START, W1, Operation(False, 2, 3, Position(1, 2), "w9")],  # nobody wrote it
        [START, W1, Operation(True, 2, 3, Position(1, 1), "w1")],  # one revision, twice
        [START, Operation(False, 0, 1, Position(1, 1), "w0"), Operation(True, 2, 3, Position(1, 1), "w0")],  # too early
        [START, Operation(False, 2, 3, Position(1, 1), "start"), W1],  # another content than the revision's
    ],
)
def test_each_rule_is_needed(history):
    assert faults(history)


def test_a_write_whose_answer_was_lost_may_take_effect_later():
    lost = Operation(True, 0, None, None, "w0")
    assert not faults([START, lost, STALE, Operation(False, 4, 5, Position(1, 1), "w0")])
