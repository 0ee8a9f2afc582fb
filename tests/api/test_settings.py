"""The limits and the variables that change them."""

from dataclasses import asdict

import pytest
from writ.api.settings import BadSetting, HttpLimits, limits_from


def test_the_defaults_are_those_of_the_design() -> None:
    assert asdict(limits_from({"UNRELATED": "x"})) == {
        "body_bytes": 1_048_576,
        "nesting": 32,
        "string_bytes": 65_536,
        "key_characters": 256,
        "batch_items": 1_000,
        "explained_candidates": 10_000,
        "model_bytes": 268_435_456,
        "page_items": 1_000,
        "search_candidates": 20_000,
        "failed_attempts": 300,
        "connections": 4_096,
        "head_seconds": 10.0,
        "body_seconds": 30.0,
        "body_rate": 32_768,
        "idle_seconds": 75.0,
    }


def test_every_limit_has_a_variable() -> None:
    variables = {
        "WRIT_MAX_BODY_BYTES": "1",
        "WRIT_MAX_NESTING": "2",
        "WRIT_MAX_STRING_BYTES": "3",
        "WRIT_MAX_KEY_CHARACTERS": "4",
        "WRIT_MAX_BATCH_ITEMS": "5",
        "WRIT_MAX_EXPLAINED_CANDIDATES": "7",
        "WRIT_MAX_MODEL_BYTES": "10",
        "WRIT_MAX_PAGE_ITEMS": "11",
        "WRIT_MAX_SEARCH_CANDIDATES": "12",
        "WRIT_MAX_CONNECTIONS": "6",
        "WRIT_MAX_FAILED_ATTEMPTS": "14",
        "WRIT_HEAD_SECONDS": "0.5",
        "WRIT_BODY_SECONDS": "8",
        "WRIT_MIN_BODY_RATE": "13",
        "WRIT_IDLE_SECONDS": "9",
    }
    assert limits_from(variables) == HttpLimits(1, 2, 3, 4, 5, 7, 10, 11, 12, 14, 6, 0.5, 8.0, 13, 9.0)


@pytest.mark.parametrize(
    "value", ["", "0", "-1", "1.5", "ten", "1e3", "\N{ARABIC-INDIC DIGIT THREE}", " 5", "9" * 5_000]
)
def test_a_bad_count_names_its_variable(value: str) -> None:
    with pytest.raises(BadSetting, match="`WRIT_MAX_BATCH_ITEMS` must be a whole number from 1 to 1000000, not"):
        limits_from({"WRIT_MAX_BATCH_ITEMS": value})


@pytest.mark.parametrize("value", ["", "0", "-1", "nan", "inf", "soon", "86401"])
def test_bad_seconds_name_their_variable(value: str) -> None:
    with pytest.raises(BadSetting, match="`WRIT_HEAD_SECONDS` must be seconds above 0 and up to 86400, not"):
        limits_from({"WRIT_HEAD_SECONDS": value})


def test_nesting_stays_below_what_the_parser_follows() -> None:
    with pytest.raises(BadSetting, match="WRIT_MAX_NESTING"):
        limits_from({"WRIT_MAX_NESTING": "501"})
