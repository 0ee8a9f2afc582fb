"""Checks of a running service over HTTP: whether it answers, its certificate, its version, readiness and clock.

They use a bare connection, not `writ.client`: they read its certificate, and a failure is a finding, never repeated.
Each call ends in its whole time, however slowly the service sends.
"""

import http.client
import json
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from ....bundles.json_members import repeated_member
from ....bundles.wording import quoted
from ...http.outgoing.in_time import TooSlow, in_time
from ...settings.setting_readers import is_loopback
from ...store.database.versions import program_version
from .finding import DoctorFinding, failure, ok, warning
from .store_checks import CLOCK_SECONDS

WAIT_SECONDS: Final = 5.0
"""The seconds that a service may take, from the lookup of its name to the last byte of its answer."""

MOST_BYTES: Final = 64 * 1024
"""The most bytes of an answer that are read."""

CERTIFICATE_DAYS: Final = 21
"""A certificate that ends sooner needs attention."""

MOST_SHOWN: Final = 300
"""The most characters of a service's own sentence that are shown."""

_DAY: Final = 86_400
_REACH: Final = "check the URL, the service, and the network between"


@dataclass(frozen=True, slots=True)
class _Answer:
    """A service's answer: the `members` of its JSON, its header `date`, and the end of its certificate, `expires`."""

    status: int
    members: dict[str, Any]
    date: str | None
    expires: str | None


def check_service(url: str, ca_file: Path | None, now: float) -> Iterator[DoctorFinding]:
    """Yields the findings about the service at `url`. `now` is in epoch seconds."""
    place = urlsplit(url)
    try:
        health = _answer(place, "/healthz", ca_file)
        ready = _answer(place, "/readyz", ca_file)
    except ssl.SSLCertVerificationError as ex:
        remedy = "renew it, or name its authority by --ca-file"
        yield failure(f"the certificate is not accepted: {ex.verify_message}", remedy)
        return
    except (OSError, http.client.HTTPException) as ex:
        yield failure(f"`{url}` can't be reached: {_reason(ex)}", _to_do(place, ex))
        return
    if health.status != http.client.OK:
        yield failure(f"`{url}/healthz` answers {health.status}", _REACH)
        return
    yield ok(f"`{url}` answers")
    yield from (_certificate(place, health, now), _version(health), _readiness(ready), _clock(health, now))


def _answer(place: SplitResult, path: str, ca_file: Path | None) -> _Answer:
    """Returns the answer to a GET. Raises OSError and HTTPException."""
    try:
        return in_time(partial(_got, place, path, ca_file), WAIT_SECONDS)
    except TooSlow:
        raise TimeoutError from None


def _got(place: SplitResult, path: str, ca_file: Path | None) -> _Answer:
    host, secure = place.hostname or "", place.scheme == "https"
    if secure:
        context = ssl.create_default_context(cafile=None if ca_file is None else str(ca_file))
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            host, place.port, timeout=WAIT_SECONDS, context=context
        )
    else:
        connection = http.client.HTTPConnection(host, place.port, timeout=WAIT_SECONDS)
    try:
        connection.connect()
        found = connection.sock.getpeercert() if isinstance(connection.sock, ssl.SSLSocket) else None
        connection.request("GET", place.path.rstrip("/") + path, headers={"Accept": "application/json"})
        answer = connection.getresponse()
        body = answer.read(MOST_BYTES)
        expires = str(found["notAfter"]) if found else None
        return _Answer(answer.status, _members(body), answer.getheader("Date"), expires)
    finally:
        connection.close()


def _members(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
        is_clear = isinstance(found, dict) and repeated_member(body, found) is None
    except (ValueError, RecursionError):
        return {}
    return found if is_clear else {}


def _certificate(place: SplitResult, answer: _Answer, now: float) -> DoctorFinding:
    if answer.expires is None:
        if is_loopback(place.hostname or ""):
            return ok("the service has no TLS, and is on this machine")
        return failure("the service has no TLS, so others can read credentials", "serve HTTPS, or use a proxy with TLS")
    days = (ssl.cert_time_to_seconds(answer.expires) - now) / _DAY
    if days < CERTIFICATE_DAYS:
        return warning(f"the certificate ends in {days:.0f} days", "renew it, and send SIGHUP to the service")
    return ok(f"the certificate is accepted, and ends in {days:.0f} days")


def _version(answer: _Answer) -> DoctorFinding:
    there, here = answer.members.get("version"), program_version()
    if not isinstance(there, str):
        return warning("the service does not tell its version", "check that it is Writ, and update it")
    if there != here:
        return warning(f"the service is Writ {quoted(there)}, and this command is {here}", "use the same version")
    return ok(f"the service is Writ {here}")


def _readiness(answer: _Answer) -> DoctorFinding:
    if answer.status == http.client.OK:
        return ok("the service can decide")
    said, state = answer.members.get("error"), answer.members.get("state")
    reason = said[:MOST_SHOWN] if isinstance(said, str) else f"it answers {answer.status}"
    if answer.members.get("status") == "failing" and state in ("following", "behind"):
        remedy = "look at its source and the network between; until then, it may decide by an old revision"
        return warning(f"the agent decides, but its source has not confirmed its revision in time: {reason}", remedy)
    return failure(f"the service can't decide: {reason}", "read its log, and the handbook about this message")


def _clock(answer: _Answer, now: float) -> DoctorFinding:
    try:
        there = parsedate_to_datetime(answer.date or "").timestamp()
    except (ValueError, OverflowError):
        return warning("the service does not tell the time", "check that it is Writ")
    if abs(there - now) > CLOCK_SECONDS:
        return failure(f"the clocks differ by {abs(there - now):.0f} s", "set the clocks of both machines, by NTP")
    return ok("the clocks agree")


def _to_do(place: SplitResult, error: Exception) -> str:
    """Returns what to do about a service that can't be reached.

    A service with TLS ends a connection without it, and one of a client without a certificate if it asks for one.
    """
    if not isinstance(error, http.client.RemoteDisconnected | ConnectionResetError | BrokenPipeError | ssl.SSLError):
        return _REACH
    if place.scheme == "http":
        return f"give a URL with https if the service has TLS, else {_REACH}"
    return f"if it has `--tls-client-ca`, give another listener, since this command shows no certificate; else {_REACH}"


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer in {WAIT_SECONDS:g} s"
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()
