"""Admits a caller to the engine of an environment, and keeps that for the next requests with the same credential."""

from collections.abc import Callable
from typing import NoReturn

from ....runtime import Engine
from ...engines.live.bound_engines import refuse_other
from ...engines.live.engine_access import EngineOf
from ...identity.credential import Admission, Credential, Recent, Scope
from ...identity.guard import Guard


class UnknownToWorker(Exception):
    """The worker does not remember the credential. Who verifies it also counts a wrong one."""


class Admissions:
    """See the module. An admission ends with the next commit, with its credential, and after a second.

    So one question, whether anything was committed, tells about the credential and about the engine.
    """

    def __init__(self, guard: Guard, recent: Recent, engine_of: EngineOf) -> None:
        self.guard, self.engine_of, self._recent = guard, engine_of, recent
        self.again: Callable[[Admission, bytes], bool] = self._noted_again if guard.notes else recent.admits
        """Returns whether an earlier admission is that of a header and has not ended, so that it counts again."""

    def of(self, header: str | None, env: str) -> tuple[Credential, Engine]:
        """Returns the credential of an `Authorization` header or of none, and the engine that it may ask, pinned.

        Raises UnknownToWorker, and what `Guard.admitted`, EngineOf and `refuse_other` raise.
        """
        if header is not None:
            admission = self.admission(header, env)
            return admission.credential, admission.engine.held()
        credential, engine = self._admitted(None, env, self._recent.version())
        return credential, engine.held()

    def admission(self, header: str, env: str) -> Admission:
        """Returns the admission of an `Authorization` header. Its engine is to be `held` for each question, so that the
        answer and the record tell the revision that decided. Raises what `of` raises.
        """
        version = self._recent.version()
        kept = self._recent.admission(header, version, env)
        if kept is not None:
            self.guard.note(env, kept.credential)
            return kept
        credential, engine = self._admitted(header, env, version)
        return self._recent.admit(header, credential, version, env, engine)

    def _noted_again(self, admission: Admission, header: bytes) -> bool:
        if not self._recent.admits(admission, header):
            return False
        self.guard.note(admission.env, admission.credential)
        return True

    def _admitted(self, header: str | None, env: str, version: object) -> tuple[Credential, Engine]:
        credential = self.guard.admitted(header, _leave, Scope.DECIDE, env, version)
        engine = self.engine_of(env)
        refuse_other(engine, credential.bounds)
        return credential, engine

    def credential(self, header: str | None, address: Callable[[], str], env: str) -> Credential:
        """Returns the credential of a request that may have to wait for its engine. `address` and what it raises: see
        `Guard.admitted`.
        """
        return self.guard.admitted(header, address, Scope.DECIDE, env, self._recent.version())


def _leave() -> NoReturn:
    raise UnknownToWorker
