"""Starts an agent: what it follows, who may call it, and its application. All of this is made before the fork."""

import logging
import socket
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from ....bundles.errors import BundleError
from ....bundles.file.reader import open_bundle
from ....runtime import Engine
from ...server.listening import UNIX, CannotListen, shown_address
from ...server.server import Service
from ...server.supervision.part import Part
from ...service.server_program import ServerOptions, ServerProgram
from ...settings.setting_readers import is_loopback
from ...settings.settings import Settings
from ...telemetry.metrics.definitions import CONFIRMED, LAST_CONTACT
from ..following import Following
from ..options import FollowOptions
from ..status import Status
from .agent_app import COUNTED, AgentParts, create_agent
from .all_workers import AllWorkers
from .keys_file import CallerKeys

LOOK_SECONDS: Final = 5.0
"""The longest time for which a new worker waits for its first bundle before it accepts connections.

After a reload, it would refuse what the worker before it could decide."""


class AgentStart:
    """An agent that has read its files, and does not listen yet."""

    def __init__(
        self,
        options: FollowOptions,
        callers: Path | None,
        server: ServerOptions,
        settings: Settings,
        log: logging.Logger,
        *,
        is_open: bool,
    ) -> None:
        """`callers` is the file with the callers' keys. `is_open` says that everybody on this machine may call.

        Raises BadSetting, CannotListen, UnusableCallers, ValueError, ImportError, OSError.
        """
        _refuse_environment_of_files(options)
        state = None if options.state is None else Path(options.state)
        self.program = ServerProgram("writ-agent", server, settings, log, COUNTED, state=state)
        self._options = replace(options, counters=self.program.rates.counters)
        self.all_workers = AllWorkers(server.workers)
        self._following = Following(self._options, self._changed, self._failed, _tell_nothing)
        token_file = None if options.token_file is None else Path(options.token_file)
        self._keys = None if is_open else CallerKeys(callers, token_file, log)
        if is_open:
            _refuse_strangers((server.bind, self.program.listener), (server.envoy_bind, self.program.envoy))
        self.program.decisions.tell_doubts(None)

    def finish(self) -> Service:
        """Returns the agent, which listens. Raises CannotListen."""
        program = self.program
        parts = AgentParts(
            following=self._following,
            all_workers=self.all_workers,
            keys=self._keys,
            settings=program.settings,
            own_url=program.url,
            clock=time.time,
            log=program.log,
            counts=program.counts,
            decision_log=program.decisions.log,
            notes_callers=program.requests.is_on,
            draining=program.draining,
            machine=program.machine,
        )
        service = program.service(create_agent(parts), self._life(), self._engines)
        program.listen()
        return service

    def _life(self) -> Iterable[Part]:
        """Yields what lives in the workers beside the parts of every server."""
        everyone = self.all_workers
        yield Part(start=self._look, beat=self._beat, stop=everyone.leave, worker_gone=everyone.worker_gone)
        yield Part(end=self._following.close)

    def _look(self, place: int) -> None:
        """Start the thread of a new worker. Clients wait meanwhile, in the socket that all workers share."""
        with suppress(Exception):  # the next beat tries again, and logs it
            self._following.look(LOOK_SECONDS)
        self.all_workers.begin(place)
        with suppress(Exception):
            self._tell(self._following.status())

    def _beat(self) -> None:
        """Counts how the source was last heard, and tells the other workers and the log how this one is."""
        status = self._following.status()
        for engine in self._engines():
            self.program.counts.told(engine, CONFIRMED, status.confirmed)
            if status.last_contact is not None:
                self.program.counts.told(engine, LAST_CONTACT, status.last_contact)
        self._tell(status)
        turned = self.all_workers.turned_stale()
        if turned:
            self.program.log.error("the revision in force is stale: %s", status.error)
        elif turned is False:
            self.program.log.info("the source has confirmed the revision in force again")

    def _changed(self, status: Status) -> None:
        if status.leads:
            self.program.log.info("revision %s is in force", status.revision)
        self._tell(status)

    def _tell(self, status: Status) -> None:
        self.all_workers.tell(status, has_heard=self._following.has_heard)

    def _failed(self, status: Status) -> None:
        if status.leads:
            self.program.log.error("the newest revision may not be in force: %s", status.error)

    def _engines(self) -> list[Engine]:
        engine = self._following.newest
        return [] if engine is None else [engine]


def _tell_nothing(_: Status) -> None:
    """One worker tells the log, for all of them."""


def _refuse_environment_of_files(options: FollowOptions) -> None:
    """Raises ValueError if an environment is named, and the bundle file was compiled from files: it would never fit."""
    if not options.is_file or options.environment is None:
        return
    try:
        manifest = open_bundle(Path(options.source)).manifest
    except (BundleError, OSError):  # the follower waits for it, and says why
        return
    if manifest.environment is None:
        raise ValueError("the bundle was compiled from files and belongs to no environment: leave `--env` out")


def _refuse_strangers(*listening: tuple[str | None, socket.socket | None]) -> None:
    """Raises CannotListen if other machines reach an address: an agent without callers answers anybody."""
    for address, one in listening:
        if one is not None and not _is_private(shown_address(one)):
            raise CannotListen(f"`{address}` can be reached from other machines; name the callers by `--callers`")


def _is_private(place: str) -> bool:
    """Returns whether only this machine can reach an address."""
    return place.startswith(UNIX) or is_loopback(place.rpartition(":")[0])
