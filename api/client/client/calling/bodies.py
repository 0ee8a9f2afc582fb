"""Writes the bodies of calls as JSON, with the errors that an engine has for values that JSON does not have."""

import json
from math import isfinite
from typing import Any

from ...bundles.conditions.values import NotJson
from ...runtime.requests.members import BadRequest


def encoded(body: object) -> bytes:
    """Returns a body as JSON. Raises BadRequest, with the place, for a value that JSON does not have.

    A tuple and a name that is not a string are such values too: `json.dumps` would turn them into something else than
    an engine reads.
    """
    try:
        _check(body, "$")
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    except BadRequest:
        raise
    except UnicodeEncodeError:
        raise BadRequest("the request has half a surrogate pair, which JSON in UTF-8 can't say", "$") from None
    except RecursionError:
        raise BadRequest("the request nests too deep", "$") from None
    except ValueError:  # Python writes no integer of more digits than `sys.get_int_max_str_digits()`
        raise BadRequest("the request has an integer of too many digits", "$") from None


def _check(value: Any, path: str) -> None:
    if isinstance(value, dict):
        for name, member in value.items():
            if not isinstance(name, str):
                raise BadRequest(f"a name in a JSON object is a string, not `{name!r:.100}`", path)
            if member.__class__ is not str:  # PERF: most members are strings
                _check(member, f"{path}.{name}")
    elif isinstance(value, list):
        for place, item in enumerate(value):
            _check(item, f"{path}[{place}]")
    elif isinstance(value, float):
        if not isfinite(value):
            raise BadRequest("JSON has no NaN and no infinity; leave the attribute out", path)
    elif not (value is None or isinstance(value, str | int)):
        raise BadRequest(f"{NotJson(value)}; convert attributes with `writ.as_json`", path)
