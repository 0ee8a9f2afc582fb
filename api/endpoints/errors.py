"""Turns errors into answers: one table of statuses, one JSON shape, no traceback and no text of the request."""

import logging
import traceback
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

import falcon
import falcon.asgi

from ...bundles.errors import BundleError
from ...runtime import BadRequest, SearchUnavailable
from ..engines.live.engine_access import ReportDamage
from ..engines.live.preparations import Unprepared
from ..http.error_answers import INTERNAL, RETRY_SECONDS, error_body
from ..http.raw_paths import segment
from ..http.rejections import (
    BodyRejected,
    BodyTooLarge,
    Forbidden,
    NotYet,
    OtherRevisions,
    TooManyFailures,
    Unauthenticated,
    UndecodablePath,
    UnsupportedCoding,
    UnsupportedMedia,
)
from ..identity.credential import Credential, Scope
from ..store.environment_ids import DEFAULT
from ..store.errors import (
    BadQuery,
    BodyFault,
    ChangedSince,
    Conflict,
    Drifted,
    EqualFact,
    NotFound,
    NotPermitted,
    OutOfBounds,
    PreconditionFailed,
    Protected,
    Rejected,
    Stale,
    StoreUnavailable,
    User,
)
from ..telemetry.decision_log.decision_log import LogFull
from ..telemetry.log_lines import FRAMES

STATUS: Final[Mapping[type[Exception], int]] = {
    BadRequest: 400,
    BodyRejected: 400,
    BodyTooLarge: 413,
    UnsupportedCoding: 415,
    UnsupportedMedia: 415,
    UndecodablePath: 400,
    BadQuery: 400,
    Rejected: 400,
    NotFound: 404,
    Conflict: 409,
    OtherRevisions: 409,
    Protected: 409,
    PreconditionFailed: 412,
    SearchUnavailable: 501,
    StoreUnavailable: 503,
    LogFull: 503,
    NotYet: 503,
    Unauthenticated: 401,
    TooManyFailures: 429,
    Forbidden: 403,
    OutOfBounds: 403,
    NotPermitted: 403,
    BundleError: 500,
    Exception: 500,
}
"""The status of each domain error. Falcon's own errors have their status."""

CHALLENGE: Final = 'Bearer realm="writ"'


def status_of(error: Exception) -> int:
    """Returns the status of a domain error."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


class ErrorAnswers:
    """Answers for every error of a handler or a middleware, by the table above."""

    def __init__(self, log: logging.Logger, report_damage: ReportDamage = lambda *_: True) -> None:
        """`report_damage` marks the bundle of an environment as damaged. It returns False if it was marked before."""
        self._log, self._report_damage = log, report_damage

    def register(self, app: falcon.asgi.App[Any, Any]) -> None:
        """Registers the answers with `app`."""
        for error in STATUS:
            app.add_error_handler(error, self._answer_domain_error)
        app.add_error_handler(falcon.HTTPError, self._answer_http_error)

    def report(self, error: Exception, environment: str = DEFAULT) -> None:
        """Logs a failure of the service: its type and traceback, but not its text, which may quote the request.

        The text of a BundleError is logged, since it is about the bundle alone and says what to do. A lasting failure
        is logged only once: a damaged bundle, a store that can't be read.
        """
        if isinstance(error, Stale | Unprepared):
            return
        if isinstance(error, BundleError) and not self._report_damage(environment, error):
            return
        text = f": {error}" if isinstance(error, BundleError) else ""
        frames = "".join(traceback.format_tb(error.__traceback__))
        self._log.error("%s%s", type(error).__name__, text, extra={FRAMES: frames})

    async def _answer_domain_error(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, error: Exception, params: dict[str, Any]
    ) -> None:
        status = status_of(error)
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            self.report(error, params.get("env", DEFAULT))
            _answer(resp, status, f"{INTERNAL}: {error}" if isinstance(error, Unprepared) else INTERNAL)
            return
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            resp.set_header("WWW-Authenticate", _challenge(error))
        elif status == HTTPStatus.SERVICE_UNAVAILABLE:
            if not isinstance(error, NotYet):
                self._log.error("%s", error)
            resp.set_header("Retry-After", str(RETRY_SECONDS))
        elif isinstance(error, TooManyFailures):
            resp.set_header("Retry-After", str(error.seconds))
        elif isinstance(error, UnsupportedMedia):
            resp.set_header("Accept", ", ".join(error.accepted))
        elif isinstance(error, UnsupportedCoding):
            resp.set_header("Accept-Encoding", "identity")
        shown = error.public if isinstance(error, StoreUnavailable) and not _administers(req) else str(error)
        more = {"drift": error.drift} if isinstance(error, Drifted) else None
        more = {"conflicts": error.conflicts} if isinstance(error, ChangedSince) else more
        _answer(resp, status, shown, details_of(error), more)

    async def _answer_http_error(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, error: falcon.HTTPError, _params: object
    ) -> None:
        if error.headers:
            resp.set_headers(error.headers)
        _answer(resp, error.status_code, _sentence(req.method, resp.get_header("Allow"), error))


def _answer(
    resp: falcon.asgi.Response,
    status: int,
    sentence: str,
    details: Sequence[Mapping[str, str | int]] | None = None,
    more: Mapping[str, object] | None = None,
) -> None:
    resp.status = status
    resp.content_type = falcon.MEDIA_JSON
    resp.text = None
    resp.data = error_body(sentence, details, more)


def _administers(req: falcon.asgi.Request) -> bool:
    """Returns whether the caller may see the names of files: an administrator that is bound to no environment."""
    credential: Credential | None = getattr(req.context, "credential", None)
    return credential is not None and credential.scope is Scope.ADMIN and credential.bounds is None


def _challenge(error: Exception) -> str:
    """Returns the challenge, which says what credential the request needs (RFC 6750, 3)."""
    match error:
        case Unauthenticated(code=None):
            return CHALLENGE
        case Unauthenticated(code=code):
            return f'{CHALLENGE}, error="{code}"'
        case Forbidden(scope=str(scope)):
            return f'{CHALLENGE}, error="insufficient_scope", scope="{scope}"'
    return f'{CHALLENGE}, error="insufficient_scope"'


def details_of(error: Exception) -> Sequence[Mapping[str, str | int]] | None:
    """Returns what an answer has in `details`, or None."""
    match error:
        case BadRequest():
            return [fault._asdict() for fault in error.details]
        case BodyRejected(detail=detail) | OtherRevisions(detail=detail):
            return [{"code": detail.code, "path": detail.path, "message": detail.message}]
        case Rejected():
            return [_detail(one) for one in error.faults]
        case Drifted(drift=drift):
            return [_edit(one) for one in drift.changes]
        case ChangedSince(conflicts=conflicts):
            return [_edit_since(one) for one in conflicts]
        case EqualFact():
            return [_detail_of(one, f"equal-{one.kind.removesuffix('s')}", str(error)) for one in error.users]
        case Conflict():
            return [_detail_of(one, "in-use", f"{one.named} refers to it") for one in error.users]
    return None


def _detail(fault: BodyFault) -> dict[str, str | int]:
    """Returns the detail for a fault, with its line and column if the document is text or YAML."""
    detail: dict[str, str | int] = {"code": fault.code, "path": fault.path, "message": fault.sentence}
    return detail if fault.place is None else detail | {"line": fault.place[0], "column": fault.place[1]}


def _edit(change: Any) -> dict[str, str]:
    """Returns the detail for a `DriftChange`, which a promotion would overwrite. Agents do not load its class."""
    path = "/".join((change.kind.replace("_", "-"), segment(change.id)))
    message = f"{change.change} by {change.by} in revision {change.revision}, at {change.time}"
    return {"code": "drift", "path": path, "message": message}


def _edit_since(conflict: Any) -> dict[str, str]:
    """Returns the detail for an `UndoConflict`. Agents do not load its class."""
    key = (conflict.id,) if conflict.type is None else (conflict.type, conflict.id)
    path = "/".join((conflict.kind.replace("_", "-"), *map(segment, key)))
    return {"code": "changed-since", "path": path, "message": conflict.sentence}


def _detail_of(user: User, code: str, message: str) -> dict[str, str]:
    """Returns the detail for an element that prevents a change. Its path is relative to its environment."""
    path = "/".join((user.kind.replace("_", "-"), *map(segment, user.key)))
    return {"code": code, "path": path, "message": message}


def _sentence(method: str, allowed: str | None, error: falcon.HTTPError) -> str:
    if isinstance(error, falcon.HTTPMethodNotAllowed):
        return f"this path does not support `{method}`, only {allowed}"
    if isinstance(error, falcon.HTTPRouteNotFound):
        return "there is no such path"
    return HTTPStatus(error.status_code).phrase.lower()
