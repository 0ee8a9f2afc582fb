"""Writes what Writ answers to Envoy: what goes on to the backend, or what the client gets."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Final

from ..gateway import CREDENTIAL
from ..outcome import Outcome
from .messages import CHECK_RESPONSE

PREFIX: Final = b"x-writ-"
"""Header names that begin with it are Writ's own. What a client sends under them never reaches the backend."""

OVERWRITE_IF_EXISTS_OR_ADD: Final = 2
"""Envoy's `HeaderAppendAction`: the value takes the place of those that the client sent."""

OK, PERMISSION_DENIED, UNAUTHENTICATED = 0, 7, 16
"""Codes of `google.rpc.Status`."""


def answer(outcome: Outcome, names: Iterable[bytes]) -> bytes:
    """Returns the CheckResponse for an outcome. `names` are those of the client's header fields, in lower case."""
    found = CHECK_RESPONSE()
    if outcome.status == HTTPStatus.OK:
        found.status.code = OK
        told = outcome.headers[: outcome.told]
        _add(found.ok_response.headers, told)
        found.ok_response.headers_to_remove.extend(_removed(names, {name.lower().encode() for name, _ in told}))
    else:
        is_unknown = outcome.status == HTTPStatus.UNAUTHORIZED
        found.status.code = UNAUTHENTICATED if is_unknown else PERMISSION_DENIED
        found.denied_response.status.code = int(outcome.status)
        _add(found.denied_response.headers, outcome.headers)
        found.denied_response.body = outcome.body.decode()
    message: bytes = found.SerializeToString()
    return message


def _add(options: Any, headers: Iterable[tuple[str, str]]) -> None:
    for name, value in headers:
        option = options.add(append_action=OVERWRITE_IF_EXISTS_OR_ADD, keep_empty_value=True)
        option.header.key, option.header.value = name.lower(), value


def _removed(names: Iterable[bytes], told: set[bytes]) -> list[str]:
    """Returns the names that only Writ may use, and that it does not use now. Envoy sets the others first.

    Some backends read `X_Writ_Team` as `X-Writ-Team`.
    """
    found = {CREDENTIAL.lower().encode()}
    for name in names:
        plain = name.replace(b"_", b"-")
        if name not in told and (plain.startswith(PREFIX) or plain in told):
            found.add(name)
    return [name.decode() for name in sorted(found)]
