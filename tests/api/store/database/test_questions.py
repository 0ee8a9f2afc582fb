"""Statements that wait for the next question, several queries at once, and the last steps of a transaction."""

from collections.abc import Sequence
from typing import Any

import pytest
from writ.api.store.database.connection import Connection
from writ.api.store.database.driver_errors import DRIVER_ERRORS
from writ.api.store.database.postgresql.connection import FEW, MOST_POSTED
from writ.api.store.store import Store

ADD = "INSERT INTO revoked_tokens VALUES (?, ?)"
LIST = "SELECT id FROM revoked_tokens WHERE expires = ? ORDER BY id"


def listed(store: Store, expires: int = 1) -> list[str]:
    with store._connections.reading() as db:
        return [id for (id,) in db.execute(LIST, (expires,)).fetchall()]


@pytest.mark.parametrize("count", [1, FEW, FEW + 1, MOST_POSTED, 3 * MOST_POSTED + 1])
@pytest.mark.parametrize("at_once", [False, True])
def test_posted_statements_run_before_the_next_question(store: Store, count: int, at_once: bool) -> None:
    rows = [(f"t{number:04}", 1) for number in range(count)]
    with store._connections.writing() as db:
        if at_once:
            db.execute_many(ADD, iter(rows))
        else:
            for row in rows:
                db.post(ADD, row)
        assert len(db.execute(LIST, (1,)).fetchall()) == count
        db.post("DELETE FROM revoked_tokens WHERE id = ?", ("t0000",))
    assert listed(store) == [id for id, _ in rows[1:]]


def test_several_queries_are_answered_in_order(store: Store) -> None:
    with store._connections.writing() as db:
        for id, expires in (("b", 1), ("a", 1), ("c", 2)):
            db.post(ADD, (id, expires))
        assert db.ask([(LIST, (1,)), (LIST, (3,)), (LIST, (2,))]) == [[("a",), ("b",)], [], [("c",)]]
        assert db.ask([]) == []


@pytest.mark.parametrize("asks", [False, True])
def test_a_posted_statement_that_fails_undoes_the_transaction(store: Store, asks: bool) -> None:
    """Also if another statement, or the commit, is sent with it."""

    def add_twice() -> None:
        with store._connections.writing() as db:
            db.post(ADD, ("a", 1))
            db.post(ADD, ("a", 1))
            if asks:
                db.ask([(LIST, (1,)), (LIST, (2,))])

    with pytest.raises(DRIVER_ERRORS):
        add_twice()
    assert listed(store) == []
    with store._connections.writing() as db:
        db.post(ADD, ("b", 1))
    assert listed(store) == ["b"]


def test_what_an_undone_transaction_posted_is_forgotten(store: Store) -> None:
    taken: list[Sequence[Any]] = []

    def fail() -> None:
        with store._connections.writing() as db:
            db.last_steps.add(lambda _, items: taken.append(items), 1)
            db.post(ADD, ("a", 1))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with store._connections.writing():
        pass
    assert (listed(store), taken) == ([], [])


def test_last_steps_get_their_items_together_just_before_the_commit(store: Store) -> None:
    taken: list[tuple[str, Sequence[Any]]] = []

    def first(_: Connection, items: Sequence[Any]) -> None:
        taken.append(("first", items))

    def second(db: Connection, items: Sequence[Any]) -> None:
        taken.append(("second", items))
        db.post(ADD, (f"items{len(items)}", len(taken)))

    with store._connections.writing() as db:
        for step, item in ((first, 1), (first, 2), (second, 3), (first, 4), (second, 5)):
            db.last_steps.add(step, item)
        db.last_steps.keep(4)
        assert not taken
    assert taken == [("first", [1, 2]), ("second", [3]), ("first", [4])]
    assert listed(store, 2) == ["items1"]


def test_a_failed_question_leaves_no_statement_that_only_the_driver_knows(store: Store) -> None:
    """A driver prepares a statement that comes often. One that the engine skipped, after a failure, is not there."""

    def fail(also: str) -> None:
        with store._connections.writing() as db:
            db.post(ADD, ("a", 1))
            db.post(ADD, ("a", 1))
            db.ask([(also, (1,)), (LIST, (2,))])

    for number in range(12):
        also = f"SELECT id AS id{number} FROM revoked_tokens WHERE expires = ?"
        for _ in range(number):
            with store._connections.writing() as db:
                assert db.execute(also, (1,)).fetchall() == []
        with pytest.raises(DRIVER_ERRORS):
            fail(also)
        with store._connections.writing() as db:
            assert db.execute(also, (1,)).fetchall() == []
