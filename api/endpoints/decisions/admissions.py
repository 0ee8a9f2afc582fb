"""Admits a caller to the engine of an environment, and keeps that for the next requests with the same credential."""

from collections.abc import Callable
from typing import NoReturn

from ....runtime import Engine
from ...engines.live.bound_engines import refuse_other
from ...engines.live.engine_access import EngineOf
from ...identity.credential import Credential, Recent, Scope
from ...identity.guard import Guard


class UnknownToWorker(Exception):
    """The worker does not remember the credential. Who verifies it also counts a wrong one."""


class Admissions:
    """See the module. An admission ends with the next commit, with its credential, and after a second.

    So one question, whether anything was committed, tells about the credential and about the engine.
    """

    def __init__(self, guard: Guard, recent: Recent, engine_of: EngineOf) -> None:
        self.guard, self.engine_of, self._recent = guard, engine_of, recent

    def of(self, header: str | None, env: str) -> tuple[Credential, Engine]:
        """Returns the credential of an `Authorization` header or of none, and the engine that it may ask, pinned.

        Raises UnknownToWorker, and what `Guard.admitted`, EngineOf and `refuse_other` raise.
        """
        version = self._recent.version()
        kept = None if header is None else self._recent.engine(header, version, env)
        if kept is not None:
            credential, engine = kept
            self.guard.note(env, credential)
            return credential, engine.held()  # the answer and the record tell the revision that decided
        credential = self.guard.admitted(header, _leave, Scope.READ, env, version)
        engine = self.engine_of(env)
        refuse_other(engine, credential.bounds)
        if header is not None:
            self._recent.keep_engine(header, version, env, engine)
        return credential, engine.held()

    def credential(self, header: str | None, address: Callable[[], str], env: str) -> Credential:
        """Returns the credential of a request that may have to wait for its engine. `address` and what it raises: see
        `Guard.admitted`.
        """
        return self.guard.admitted(header, address, Scope.READ, env, self._recent.version())


def _leave() -> NoReturn:
    raise UnknownToWorker
