"""Reads the options of `writ who-can` as the question that `POST …/who-can` takes."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from ....bundles.system_errors import os_sentence
from ....bundles.wording import did_you_mean
from ...http.bodies import decoded
from ...http.rejections import BodyRejected
from ..offline.json_lines import LIMITS
from ..output import CommandFailed

_VALUE = "value"
_WORD = re.compile(r"[^\W\d][\w.@/:-]*")
_VALUES = ("true", "false", "null", "yes", "no", "on", "off", "none", "nil")
"""Words that are values, or are written for one elsewhere. Each needs quotes to be a text."""


def who_can_body(
    action: str,
    resource: str,
    subject_type: str | None,
    attributes: Iterable[str],
    action_attributes: Iterable[str],
    context: str | None,
    registered: bool,
) -> dict[str, Any]:
    """Returns the question. Raises UsageError for an option that can't be read, CommandFailed for a file."""
    type, colon, id = resource.partition(":")
    if not type or (colon and not id):
        raise click.UsageError("`--resource` is TYPE or TYPE:ID, such as `document` or `document:d1`")
    body: dict[str, Any] = {
        "action": {"name": action} | _properties("--action-attribute", action_attributes),
        "resource": {"type": type} | ({"id": id} if id else {}) | _properties("--attribute", attributes),
    }
    if subject_type is not None:
        body["subject"] = {"type": subject_type}
    if context is not None:
        body["context"] = _context(context)
    if registered:
        body["options"] = {"attributes": "registered"}
    return body


def _properties(option: str, given: Iterable[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in given:
        key, equals, value = one.partition("=")
        if not key or not equals:
            raise click.UsageError(f"`{option}` is KEY=VALUE, such as `{option} level=3`")
        if key in found:
            raise click.UsageError(f"`{option}` gives `{key}` twice")
        found[key] = _value(option, key, value)
    return {"properties": found} if found else {}


def _value(option: str, key: str, text: str) -> Any:
    """Returns the value: JSON, or a plain word as a text. A mistyped `true` is no text by accident."""
    if _WORD.fullmatch(text) and text.casefold() not in _VALUES and not did_you_mean(text, _VALUES[:3]):
        return text
    try:
        read = decoded(f'{{"{_VALUE}": {text}}}'.encode(), LIMITS)
    except (BodyRejected, UnicodeEncodeError):
        read = {}
    if [*read] != [_VALUE]:
        raise click.UsageError(
            f"the value of `{key}` is neither JSON nor a plain word. A text has quotes: {option} '{key}=\"open\"'"
        )
    return read[_VALUE]


def _context(given: str) -> dict[str, Any]:
    """Returns the context: JSON if it begins with a brace, or else what the file of this name has."""
    try:
        data = given.encode() if given.lstrip().startswith("{") else Path(given).read_bytes()
        return decoded(data, LIMITS)
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    except (BodyRejected, UnicodeEncodeError) as ex:
        raise click.UsageError(f"`--context` is a JSON object, or a file with one: {ex}") from None
