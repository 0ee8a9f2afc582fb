"""The words for a comparison with the time of the request: of real proofs, of what must hold, and of policies (X5)."""

from pathlib import Path
from typing import Any

import pytest
from writ.api.review.wording.now_words import predicate_of_now
from writ.bundles.conditions.operators import Operator

from tests.api.review.wording.test_prose import lines, policy, request

CLOCK = '"2026-01-05T10:00:00Z"'
SENT = "2026-01-06T09:00:00+01:00"


def told(
    folder: Path, effect: str, op: str, value: Any, context: Any = None, *, section: str = "resource_attrs"
) -> str:
    """The sentence about the only condition of a policy. `value` is its attribute."""
    conditions = {section: [{"key": "at", "op": op, "value_of": "now"}]}
    sent = {} if value is None else {"at": value}
    asked = request(properties=sent if section == "resource_attrs" else None, context=context)
    if section == "subject_attrs":
        asked["subject"] = asked["subject"] | {"properties": sent}
    return lines(folder, [policy(effect, **conditions)], asked, extensions=["now"])[-1].removeprefix("  - ")


@pytest.mark.parametrize(
    ("op", "value", "words"),
    [
        ("lte", "2026-01-05T10:00:00Z", f", an instant not after the time of the request ({CLOCK})."),
        ("lt", "2026-01-05T10:59:59+01:00", f", an instant before the time of the request ({CLOCK})."),
        ("gt", "2026-01-05T10:00:01Z", f", an instant after the time of the request ({CLOCK})."),
        ("gte", "2026-01-05T10:00Z", f", an instant not before the time of the request ({CLOCK})."),
        (
            "lt",
            "2026-01-05T10:00:00Z",
            f", but the policy requires an instant before the time of the request ({CLOCK}).",
        ),
        (
            "gt",
            "2026-01-05T10:30:00+01:00",
            f", but the policy requires an instant after the time of the request ({CLOCK}).",
        ),
        ("gt", "2026-01-05", ", which can't be read as an instant, so the condition does not hold."),
        ("gt", "soon", ", which can't be read as an instant, so the condition does not hold."),
    ],
)
def test_each_operator_against_the_clock(tmp_path: Path, op: str, value: str, words: str) -> None:
    assert told(tmp_path, "ALLOW", op, value) == f'The `at` of the resource is "{value}"{words}'


def test_an_attribute_that_is_no_text(tmp_path: Path) -> None:
    said = told(tmp_path, "ALLOW", "lt", 1767607200)
    assert said == (
        "The `at` of the resource is 1767607200, which can't be read as an instant, so the condition does not hold."
    )


def test_the_time_that_was_sent_counts(tmp_path: Path) -> None:
    """It is shown in UTC, as the instant that was compared."""
    said = told(tmp_path, "ALLOW", "lte", "2026-01-06T08:00:00Z", {"time": SENT})
    assert said.endswith('an instant not after the time of the request ("2026-01-06T08:00:00Z").')


@pytest.mark.parametrize(("effect", "follows"), [("ALLOW", "the condition does not hold"), ("DENY", "the DENY holds")])
def test_what_can_not_be_read_fails_closed(tmp_path: Path, effect: str, follows: str) -> None:
    instant = "2026-01-06T08:00:00Z"
    attribute = told(tmp_path, effect, "lte", "soon", {"time": SENT})
    assert attribute == f'The `at` of the resource is "soon", which can\'t be read as an instant, so {follows}.'
    time = told(tmp_path, effect, "lte", instant, {"time": "soon"})
    assert time == (
        f'The `at` of the resource is "{instant}", but the time of the request ("soon") can\'t be read, so {follows}.'
    )
    both = told(tmp_path, effect, "lte", "never", {"time": "soon"})
    assert both == f'The `at` of the resource is "never", which can\'t be read as an instant, so {follows}.'


@pytest.mark.parametrize("effect", ["ALLOW", "DENY"])
def test_a_missing_attribute_holds_never(tmp_path: Path, effect: str) -> None:
    """Even if the time can't be read: the attribute is looked at first."""
    for context, shown in ((None, CLOCK), ({"time": "soon"}, '"soon"')):
        said = told(tmp_path, effect, "gt", None, context, section="subject_attrs")
        assert said == (
            "The request sends no `at` of the subject, "
            f"and the policy requires an instant after the time of the request ({shown})."
        )


def test_what_must_hold() -> None:
    assert predicate_of_now(Operator.GT).required == "must be an instant after the time of the request"
    found = predicate_of_now(Operator.LTE, CLOCK)
    assert found.holds == f"is an instant not after the time of the request ({CLOCK})"
    assert found.required == f"must be an instant not after the time of the request ({CLOCK})"
