"""The environments of a running service, over its HTTP API."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET
from msgspec.structs import asdict

from ....bundles.zones import zone_names
from ....compiler.load import load
from ....compiler.source import Source
from ...endpoints.management.management_shapes import EnvironmentAnswer, EnvironmentPatch, NewEnvironment
from ...endpoints.management.promotions.promotion_shapes import PreviewAnswer, PromotionRecord
from ...settings.model_limits import model_limits
from ...store.history.origin import POLICY_KINDS
from ...store.promotions.promotion import Drift, Promotion, Wanted
from ..model_elements import Elements, elements_of
from ..output import CommandFailed
from ..remote_service import RemoteService, ServiceRefused, environment_path, segment
from .environment_host import HostRefused


class _Refusal(msgspec.Struct, frozen=True):
    """The members in the body of a refusal, beside its sentence."""

    drift: Drift | None = None


_T = TypeVar("_T")


class _Page(msgspec.Struct, frozen=True):
    items: list[EnvironmentAnswer]
    next_cursor: str | None


class ServedPlace:
    """The environments of a service."""

    def __init__(self, service: RemoteService) -> None:
        self._service = service

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
        return self._call("PATCH", environment_path(env), EnvironmentAnswer, body)

    def delete(self, env: str) -> None:
        with _told():
            self._service.answer("DELETE", environment_path(env))

    def promote(self, env: str, wanted: Wanted, dry_run: bool) -> PreviewAnswer | Promotion:
        return self._taken_over(
            f"{environment_path(env)}/promotions", _given(wanted) | {"from": wanted.source}, dry_run
        )

    def waiting(self, env: str, id: str) -> PromotionRecord:
        return self._call("GET", f"{environment_path(env)}/promotions/{segment(id)}", PromotionRecord)

    def approve(self, env: str, id: str, digest: str | None) -> Promotion:
        return self._call(
            "POST", f"{environment_path(env)}/promotions/{segment(id)}/approve", Promotion, {"digest": digest}
        )

    def reject(self, env: str, id: str, reason: str | None) -> Promotion:
        return self._call(
            "POST", f"{environment_path(env)}/promotions/{segment(id)}/reject", Promotion, {"reason": reason}
        )

    def restore(self, env: str, revision: int, wanted: Wanted, dry_run: bool) -> PreviewAnswer | Promotion:
        body = _given(wanted)
        body.pop("accept_drift")
        return self._taken_over(f"{environment_path(env)}/revisions/{revision}/restore", body, dry_run)

    def drift(self, env: str) -> Drift:
        return self._call("GET", f"{environment_path(env)}/drift", Drift)

    def policy_elements(self, env: str) -> Elements:
        with _told():
            document = self._service.answer("GET", f"{environment_path(env)}/model")
        loaded = load([Source("model.json", document)], zone_names(), limits=model_limits(os.environ))
        if loaded.model is None:
            raise CommandFailed("the service's model has errors; its version and this command's may be too far apart")
        return elements_of(loaded.model, POLICY_KINDS)

    def _taken_over(self, path: str, body: dict[str, Any], dry_run: bool) -> PreviewAnswer | Promotion:
        if dry_run:
            return self._call("POST", path, PreviewAnswer, body | {"dry_run": True})
        return self._call("POST", path, Promotion, body)

    def _call(self, method: str, path: str, shape: type[_T], body: Mapping[str, Any] | None = None) -> _T:
        with _told():
            return self._service.call(method, path, shape, body)


@contextmanager
def _told() -> Iterator[None]:
    """Raises Refused for a conflict that the service finds in the block, and CommandFailed for its other errors."""
    try:
        yield
    except ServiceRefused as ex:
        if ex.status != HTTPStatus.CONFLICT:
            raise CommandFailed(f"{ex} ({ex.status})") from None
        drift = _drift(ex.body)
        raise HostRefused(str(ex), ex.details if drift is None else (), drift) from None


def _drift(body: bytes) -> Drift | None:
    """Returns the edits in place that a refusal names, or None."""
    try:
        return msgspec.json.decode(body, type=_Refusal).drift
    except msgspec.DecodeError:
        return None


def _given(wanted: Wanted) -> dict[str, Any]:
    given = {"note": wanted.note, "accept_drift": wanted.accept_drift, "expect_digest": wanted.expect_digest}
    return given | ({"renames": msgspec.to_builtins(wanted.renames)} if wanted.renames else {})
