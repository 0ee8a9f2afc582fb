"""A start among many others: it asks again until the other servers have seen what it wrote."""

import pytest
from writ.api.engines.leases.shared_store import patiently
from writ.api.store.errors import NotSignalled


def test_a_start_asks_again_while_it_is_not_known_whether_the_others_see_it() -> None:
    answers = iter((NotSignalled("lost"), NotSignalled("lost"), None))

    def ask() -> None:
        if answer := next(answers):
            raise answer

    patiently(ask)
    assert next(answers, "none left") == "none left"


def test_a_start_does_not_ask_for_ever() -> None:
    def ask() -> None:
        raise NotSignalled("lost")

    with pytest.raises(NotSignalled, match="lost"):
        patiently(ask, seconds=0)
