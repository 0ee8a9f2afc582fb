"""Writes what Writ answers to Envoy: what goes on to the backend, or what the client gets."""

from collections.abc import Iterable
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final

from ....http.revision_tokens import DECISION_ID
from ..gateway import CREDENTIAL
from ..header_names import is_withheld, read_as
from ..outcome import Outcome
from .messages import CHECK_RESPONSE

OVERWRITE_IF_EXISTS_OR_ADD: Final = 2
"""Envoy's `HeaderAppendAction`: the value takes the place of those that the client sent."""

MOST_ANSWERS: Final = 1_024
"""The answers of each kind that a worker remembers."""

LONGEST_NAMES: Final = 2_048
"""The bytes of the names of a request's header fields for which an answer is remembered."""

_ALLOWED: Final = int(HTTPStatus.OK)  # PERF: to find a member of an enumeration takes as long as a call

OK, PERMISSION_DENIED, UNAUTHENTICATED = 0, 7, 16
"""Codes of `google.rpc.Status`."""


def answer(outcome: Outcome, names: tuple[bytes, ...]) -> bytes:
    """Returns the CheckResponse for an outcome. `names` are those of the client's header fields, in lower case.

    PERF: a worker remembers what most requests get. Of a denial, only the id of the decision is set.
    """
    if outcome.status == _ALLOWED:
        told = outcome.headers[: outcome.told]
        return _known_ok(told, names) if sum(map(len, names)) <= LONGEST_NAMES else _ok(told, names)
    message, decision = _denial(outcome.status, outcome.headers, outcome.body, bool(outcome.decision))
    if outcome.decision:
        decision.value = outcome.decision
    encoded: bytes = message.SerializeToString()
    return encoded


def _ok(told: Iterable[tuple[str, str]], names: Iterable[bytes]) -> bytes:
    found = CHECK_RESPONSE()
    found.status.code = OK
    _add(found.ok_response.headers, told)
    found.ok_response.headers_to_remove.extend(_removed(names, {name.lower().encode() for name, _ in told}))
    message: bytes = found.SerializeToString()
    return message


_known_ok: Final = lru_cache(MOST_ANSWERS)(_ok)


@lru_cache(MOST_ANSWERS)
def _denial(status: int, headers: tuple[tuple[str, str], ...], body: bytes, decided: bool) -> tuple[Any, Any]:
    """Returns a CheckResponse, and its last header, which is for the id of the decision if there was one.

    It is shared: the caller sets the id and encodes the message before anything else is answered.
    """
    found = CHECK_RESPONSE()
    found.status.code = UNAUTHENTICATED if status == HTTPStatus.UNAUTHORIZED else PERMISSION_DENIED
    denied = found.denied_response
    denied.status.code = int(status)
    _add(denied.headers, (*headers, (DECISION_ID, "")) if decided else headers)
    denied.body = body.decode()
    return found, denied.headers[-1].header


def _add(options: Any, headers: Iterable[tuple[str, str]]) -> None:
    for name, value in headers:
        option = options.add(append_action=OVERWRITE_IF_EXISTS_OR_ADD, keep_empty_value=True)
        option.header.key, option.header.value = name.lower(), value


def _removed(names: Iterable[bytes], told: set[bytes]) -> list[str]:
    """Returns the names that no client may use, and those that some backend reads as one that Writ tells.

    Envoy sets those that Writ tells first.
    """
    found = {CREDENTIAL.lower().encode()}
    plain = {read_as(name) for name in told}
    found |= {name for name in names if name not in told and (is_withheld(name) or read_as(name) in plain)}
    return [name.decode() for name in sorted(found)]
