"""Python's cycle search waits for long work, and skips what it leaves behind."""

import gc
from collections.abc import Iterator

import pytest
from writ.api.engines.work.gc_pause import MANY_OBJECTS, SOME_OBJECTS, deferred_gc


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    gc.collect()
    frozen = gc.get_freeze_count()
    yield
    assert gc.isenabled()
    if gc.get_freeze_count() != frozen:
        gc.unfreeze()


def test_the_search_is_off_until_the_last_block_ends() -> None:
    with deferred_gc():
        with deferred_gc():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_is_on_again_after_a_failure() -> None:
    with pytest.raises(LookupError), deferred_gc():
        raise LookupError
    assert gc.isenabled()


def test_what_much_work_leaves_behind_is_skipped() -> None:
    frozen = gc.get_freeze_count()
    with deferred_gc():
        kept: list[list[object]] = [[] for _ in range(2 * MANY_OBJECTS)]
    assert gc.get_freeze_count() >= frozen + len(kept)


def test_what_little_work_leaves_behind_is_not() -> None:
    frozen = gc.get_freeze_count()
    with deferred_gc():
        kept: list[list[object]] = [[] for _ in range((SOME_OBJECTS + MANY_OBJECTS) // 2)]
    assert kept
    assert gc.get_freeze_count() == frozen
    assert gc.get_count()[0] < SOME_OBJECTS, "it was looked at"
