"""The environments of a running service, over its HTTP API."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar
from urllib.parse import quote

import msgspec
import urllib3
from msgspec import UNSET
from msgspec.structs import asdict

from ....bundles.zones import zone_names
from ....compiler.load import load
from ....compiler.source import Source
from ...management.management_shapes import EnvironmentAnswer, EnvironmentPatch, NewEnvironment
from ...store.promotions.promotion import Drift, Preview, Promotion, Wanted
from ..output import CommandFailed
from .place import Elements, Refused
from .policy_elements import policy_elements

CONNECT_SECONDS: Final = 10.0
"""Time to connect to the service."""

ANSWER_SECONDS: Final = 120.0
"""Time in which the service must begin to answer."""

MOST_BYTES: Final = 2**29
"""The most bytes of an answer. A model has half of them at most."""

_T = TypeVar("_T")


class _Problem(msgspec.Struct, frozen=True):
    """The body of an error."""

    error: str
    details: list[dict[str, str]] = []
    drift: Drift | None = None


class _Page(msgspec.Struct, frozen=True):
    items: list[EnvironmentAnswer]
    next_cursor: str | None


class ServedPlace:
    """The environments of the service at `url`. `token` is an API key or an access token."""

    def __init__(self, url: str, token: str, ca_file: str | None = None) -> None:
        options: dict[str, Any] = {} if ca_file is None else {"ca_certs": ca_file}
        self._http = urllib3.PoolManager(
            retries=False,
            timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=ANSWER_SECONDS),
            headers={"Authorization": f"Bearer {token}"},
            **options,
        )
        self._url = url.rstrip("/")

    def environments(self) -> Sequence[EnvironmentAnswer]:
        found: list[EnvironmentAnswer] = []
        path = "/v1/environments?limit=1000"
        cursor = ""
        while True:
            page = self._call("GET", f"{path}{cursor}", _Page)
            found += page.items
            if page.next_cursor is None:
                return found
            cursor = f"&cursor={page.next_cursor}"

    def create(self, wanted: NewEnvironment) -> EnvironmentAnswer:
        return self._call("POST", "/v1/environments", EnvironmentAnswer, asdict(wanted))

    def change(self, env: str, patch: EnvironmentPatch) -> EnvironmentAnswer:
        body = {name: one for name, one in asdict(patch).items() if one is not UNSET}
        return self._call("PATCH", _path(env), EnvironmentAnswer, body)

    def delete(self, env: str) -> None:
        self._answer("DELETE", _path(env))

    def promote(self, env: str, wanted: Wanted, dry_run: bool) -> Preview | Promotion:
        return self._taken_over(f"{_path(env)}/promotions", _given(wanted) | {"from": wanted.source}, dry_run)

    def approve(self, env: str, id: str, digest: str | None) -> Promotion:
        return self._call("POST", f"{_path(env)}/promotions/{_segment(id)}/approve", Promotion, {"digest": digest})

    def reject(self, env: str, id: str, reason: str | None) -> Promotion:
        return self._call("POST", f"{_path(env)}/promotions/{_segment(id)}/reject", Promotion, {"reason": reason})

    def restore(self, env: str, revision: int, wanted: Wanted, dry_run: bool) -> Preview | Promotion:
        body = _given(wanted)
        body.pop("accept_drift")
        return self._taken_over(f"{_path(env)}/revisions/{revision}/restore", body, dry_run)

    def drift(self, env: str) -> Drift:
        return self._call("GET", f"{_path(env)}/drift", Drift)

    def policy_elements(self, env: str) -> Elements:
        loaded = load([Source("model.json", self._answer("GET", f"{_path(env)}/model"))], zone_names())
        if loaded.model is None:
            raise CommandFailed("the service's model has errors; its version and this command's may be too far apart")
        return policy_elements(loaded.model)

    def _taken_over(self, path: str, body: dict[str, Any], dry_run: bool) -> Preview | Promotion:
        if dry_run:
            return self._call("POST", path, Preview, body | {"dry_run": True})
        return self._call("POST", path, Promotion, body)

    def _call(self, method: str, path: str, shape: type[_T], body: Mapping[str, Any] | None = None) -> _T:
        try:
            return msgspec.json.decode(self._answer(method, path, body), type=shape)
        except msgspec.DecodeError as ex:
            raise CommandFailed(f"`{self._url}` answers what a service of Writ does not: {ex}") from None

    def _answer(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> bytes:
        headers = dict(self._http.headers) | {"Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        data = None if body is None else msgspec.json.encode(body)
        try:
            url = self._url + path
            answer = self._http.request(method, url, body=data, headers=headers, redirect=False, preload_content=False)
            said = answer.read(MOST_BYTES)
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as ex:
            raise CommandFailed(f"`{self._url}` can't be reached: {str(ex).partition('): ')[2] or ex}") from None
        if answer.status < 300:
            return said
        raise self._refusal(answer.status, said)

    def _refusal(self, status: int, said: bytes) -> Exception:
        try:
            problem = msgspec.json.decode(said, type=_Problem)
        except msgspec.DecodeError:
            return CommandFailed(f"`{self._url}` answers {status}; is it a service of Writ?")
        if status == 409:
            details = [one["message"] for one in problem.details if problem.drift is None]
            return Refused(problem.error, details, problem.drift)
        return CommandFailed(f"{problem.error} ({status})")


def _given(wanted: Wanted) -> dict[str, Any]:
    return {"note": wanted.note, "accept_drift": wanted.accept_drift, "expect_digest": wanted.expect_digest}


def _path(env: str) -> str:
    return f"/v1/environments/{_segment(env)}"


def _segment(text: str) -> str:
    return quote(text, safe="")
