"""The table of settings: defaults, bounds, and what is said of unknown variables."""

from dataclasses import asdict

import pytest
from writ.api.settings.settings import (
    TABLE,
    BadSetting,
    HttpLimits,
    Settings,
    rows,
    settings_from,
    show_settings,
)

KEY = "0123456789abcdef0123456789abcdef"


def test_the_defaults_are_those_of_the_design() -> None:
    assert asdict(settings_from({"UNRELATED": "x"}).limits) == {
        "body_bytes": 1_048_576,
        "nesting": 32,
        "string_bytes": 65_536,
        "key_characters": 256,
        "batch_items": 1_000,
        "explanation_bytes": 8_388_608,
        "model_bytes": 268_435_456,
        "page_items": 1_000,
        "group_depth": 64,
        "search_candidates": 20_000,
        "failed_attempts": 300,
        "waiting": 10_000,
        "write_milliseconds": 250,
        "envoy_calls": 1_000,
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
        "WRIT_MAX_EXPLANATION_BYTES": "7",
        "WRIT_MAX_MODEL_BYTES": "10",
        "WRIT_MAX_WRITE_MILLISECONDS": "17",
        "WRIT_MAX_GROUP_DEPTH": "18",
        "WRIT_MAX_PAGE_ITEMS": "11",
        "WRIT_MAX_SEARCH_CANDIDATES": "12",
        "WRIT_MAX_CONNECTIONS": "6",
        "WRIT_MAX_FAILED_ATTEMPTS": "14",
        "WRIT_HEAD_SECONDS": "0.5",
        "WRIT_BODY_SECONDS": "8",
        "WRIT_MIN_BODY_RATE": "13",
        "WRIT_IDLE_SECONDS": "9",
        "WRIT_MAX_WAITING": "15",
        "WRIT_MAX_ENVOY_CALLS": "16",
    }
    assert settings_from(variables).limits == HttpLimits(
        write_milliseconds=17,
        group_depth=18,
        body_bytes=1,
        nesting=2,
        string_bytes=3,
        key_characters=4,
        batch_items=5,
        explanation_bytes=7,
        model_bytes=10,
        page_items=11,
        search_candidates=12,
        failed_attempts=14,
        connections=6,
        head_seconds=0.5,
        body_seconds=8.0,
        body_rate=13,
        idle_seconds=9.0,
        waiting=15,
        envoy_calls=16,
    )
    assert {row.variable for _, row in rows(HttpLimits)} == variables.keys()


@pytest.mark.parametrize(
    "value", ["", "0", "-1", "1.5", "ten", "1e3", "\N{ARABIC-INDIC DIGIT THREE}", " 5", "9" * 5_000]
)
def test_a_bad_count_names_its_variable(value: str) -> None:
    with pytest.raises(BadSetting, match="`WRIT_MAX_BATCH_ITEMS` must be a whole number from 1 to 1000000, not"):
        settings_from({"WRIT_MAX_BATCH_ITEMS": value})


@pytest.mark.parametrize("value", ["", "0", "-1", "nan", "inf", "soon", "86401"])
def test_bad_seconds_name_their_variable(value: str) -> None:
    with pytest.raises(BadSetting, match="`WRIT_HEAD_SECONDS` must be seconds above 0 and up to 86400, not"):
        settings_from({"WRIT_HEAD_SECONDS": value})


def test_nesting_stays_below_what_the_parser_follows() -> None:
    with pytest.raises(BadSetting, match="WRIT_MAX_NESTING"):
        settings_from({"WRIT_MAX_NESTING": "501"})


def test_settings_come_from_the_environment() -> None:
    settings = settings_from({"WRIT_ADMIN_KEY": KEY, "WRIT_MAX_NESTING": "5"})
    assert (settings.admin_key, settings.limits) == (KEY, HttpLimits(nesting=5))
    assert settings_from({"WRIT_ADMIN_KEY": ""}).admin_key is None
    with pytest.raises(BadSetting):
        settings_from({"WRIT_MAX_NESTING": "many"})


def test_a_misspelt_setting_is_told_of_with_the_nearest_one() -> None:
    """What is known is what is asked for: limits, key and all else that is ever read."""
    said = {
        "WRIT_STALE_SECOND": "1",
        "WRIT_MAX_BODY_BYTE": "1",
        "writ_admin_key": KEY,
        "OTHER": "x",
        "WRIT_ADMIN_KEY": KEY,
    }
    assert settings_from(said).warnings == (
        "`WRIT_STALE_SECOND` is not a setting and has no effect; did you mean `WRIT_STALE_SECONDS`?",
        "`WRIT_MAX_BODY_BYTE` is not a setting and has no effect; did you mean `WRIT_MAX_BODY_BYTES`?",
    )
    assert settings_from({"WRIT_XYZ\x1b": "1"}).warnings == ("`WRIT_XYZ\\x1b` is not a setting and has no effect",)
    right = {"WRIT_SYNCHRONOUS": "NORMAL", "WRIT_STALE_SECONDS": "1", "WRIT_HEAD_SECONDS": "1", "WRIT_MAX_NESTING": "5"}
    assert settings_from(right).warnings == ()


def test_no_settings_are_the_defaults_of_the_table() -> None:
    assert settings_from({}) == Settings()
    for name, row in rows(Settings):
        assert getattr(Settings(), name) == row.default
    for name, row in rows(HttpLimits):
        assert getattr(HttpLimits(), name) == row.default


def test_the_table_is_shown_with_every_variable_its_default_and_bounds() -> None:
    shown = show_settings()
    assert [line.split("`")[1] for line in shown.splitlines()[2:]] == list(TABLE)
    assert "| `WRIT_MAX_NESTING` | 32 | 1 to 500 | Levels of JSON in a body. |" in shown
    assert "| `WRIT_STALE_SECONDS` | 5 | above 0, up to 86400 |" in shown


def test_how_tokens_are_signed_is_a_setting() -> None:
    assert (settings_from({}).signing_key, settings_from({}).signing_algorithm) == (None, "EdDSA")
    settings = settings_from({"WRIT_SIGNING_KEY": "key.pem", "WRIT_SIGNING_ALGORITHM": "ES256"})
    assert (settings.signing_key, settings.signing_algorithm, settings.warnings) == ("key.pem", "ES256", ())
    for algorithm in ("HS256", "none", ""):
        with pytest.raises(BadSetting, match="`EdDSA`, `ES256` or `RS256`"):
            settings_from({"WRIT_SIGNING_ALGORITHM": algorithm})
