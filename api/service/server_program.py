"""A server of Writ, the service or an agent: where it listens, what it counts and logs, and its application."""

import logging
import os
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ...runtime import Engine
from ...runtime.rates.server_share import ServerShare
from ..endpoints.decisions.batch import merged
from ..endpoints.decisions.draining import Draining
from ..endpoints.decisions.shared_rates import SharedRates
from ..endpoints.gateway.envoy.listener import listener_on, reserved
from ..endpoints.metrics_page.machine_readings import MachineReadings
from ..endpoints.metrics_page.open_address import PATH, open_address, open_application
from ..endpoints.metrics_page.worker_gauges import WorkerGauges
from ..http.public_url import url_warning
from ..server.listening import UNIX, shown_address, start_listening
from ..server.owner import SideAddress
from ..server.server import Service
from ..server.shares import places_for
from ..server.supervision.inherited import inherited_socket, listening_socket
from ..server.supervision.part import Part
from ..server.tls import TlsFiles
from ..settings.settings import Settings
from ..telemetry.decision_log.log_start import decision_log
from ..telemetry.log_lines import HERE
from ..telemetry.metrics.counts import Counts
from .observing.observer_start import observing
from .server_parts import Application


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """The options of a server, with the defaults filled in. None: the setting of the same name counts.

    `bind` may also be None, for a socket that the service manager hands over, or else for `default_bind`.
    """

    bind: str | None
    default_bind: str
    envoy_bind: str | None
    workers: int
    tls: TlsFiles | None
    decision_log: str | None
    metrics_bind: str | None
    drain_seconds: float
    log_level: str
    log_format: str | None


class ServerProgram:
    """The sockets, the counters and the logs of a server, made before its workers are forked.

    `listener` and `envoy` are bound, and `url` is the server's own URL. `is_inherited` says that the service manager
    keeps the listener. `counts` counts for the metrics, `rates` for rate limits, in all workers together. `decisions`
    is the decision log, and `requests` the access log and traces. `machine` reads the disk, the certificates and the
    processes.
    """

    def __init__(
        self,
        name: str,
        options: ServerOptions,
        settings: Settings,
        log: logging.Logger,
        routes: Iterable[tuple[str, str]],
        directory: Path | None = None,
        share: ServerShare | None = None,
        state: Path | None = None,
    ) -> None:
        """`name` is that of the service, for telemetry. `routes` are counted apart. `directory` has the server's keys.
        `share` is the part of each rate limit that the server may allow. `state` is an agent's state directory.

        Raises BadSetting, CannotListen, OSError.
        """
        self.options, self.settings, self.log = options, settings, log
        inherited = inherited_socket(os.environ)
        self.listener = listening_socket(options.bind, options.default_bind, inherited)
        self.is_inherited, self.envoy = inherited is not None, reserved(options.envoy_bind)
        self.rates = SharedRates(options.workers, settings.rate_bytes, log, share)
        self.counts = Counts.shared(routes, places_for(options.workers))
        kept, target = settings.decision_log, options.decision_log
        kept = kept if target is None else replace(kept, target=target)
        self.decisions = decision_log(kept, directory, merged, log)
        self.requests = observing(settings, name, self.counts, log, os.environ, options.tls is not None)
        self.draining, self.clock = Draining(), time.time
        self.machine = MachineReadings(state if directory is None else directory)

    @property
    def address(self) -> str:
        """The address of the listener, as `shown_address` gives it."""
        return shown_address(self.listener)

    @property
    def url(self) -> str:
        """The URL of the server, with the name of this machine if the listener is a socket in the file system."""
        place = self.address
        return f"{'https' if self.options.tls else 'http'}://{'localhost' if place.startswith(UNIX) else place}"

    def listen(self) -> None:
        """Let clients connect. Raises CannotListen."""
        start_listening(self.listener)
        if self.settings.public_url is None:
            self.log.warning("%s", url_warning(self.url))

    def service(
        self,
        application: Application,
        parts: Iterable[Part],
        engines: Callable[[], Iterable[Engine]],
        environments: Callable[[], Collection[str] | None] = lambda: None,
        held: tuple[object, ...] = (),
    ) -> Service:
        """Returns what the server runs: an application, with these parts beside those of every server.

        `engines` returns the open engines, and `environments` the UUIDs of all environments, or None if that is not
        known. `held` is kept open. Raises CannotListen.
        """
        requests, limits, options = self.requests, self.settings.limits, self.options
        gauges = WorkerGauges(self.counts, application.recent, engines, environments)
        own = Part(beat=gauges.beat, connections=gauges.tell_connections, stop=application.stop)
        checks = requests.checks(application.answering)
        return Service(
            app=requests.application(application.asgi),
            lane=requests.lane(application.lane),
            listener=self.listener,
            is_inherited=self.is_inherited,
            limits=limits,
            workers=options.workers,
            log_level=options.log_level,
            log_format=self.settings.log_format,
            tls=options.tls,
            side=self._side(application),
            held=held,
            beside=listener_on(self.envoy, checks, application.is_ready, self.counts, limits),
            parts=(*self._parts(), own, *parts),
            drain_seconds=options.drain_seconds,
            stop_seconds=self.settings.stop_seconds,
        )

    def _parts(self) -> Iterable[Part]:
        """Yields the parts of every server. The counters start first, since the logs count."""
        counts, requests, decisions = self.counts, self.requests, self.decisions
        yield Part(start=_note_place)
        yield Part(start=self.rates.start_worker)
        yield Part(
            start=counts.start_worker,
            refused=lambda status, _id: counts.refused_early(status),
            stop=counts.stop_worker,
            worker_gone=counts.table.worker_gone,
        )
        yield Part(start=requests.start_worker, refused=requests.refused, end=requests.end_worker)
        yield Part(start=lambda _: decisions.start_worker(counts), beat=decisions.beat, end=decisions.end_worker)
        yield Part(drain=self.draining.begin, certificates=self.machine.serve)

    def _side(self, application: Application) -> SideAddress | None:
        """Returns the side that serves the metrics without a credential, or None without such a setting.

        It listens already.
        """
        address = self.options.metrics_bind or self.settings.metrics_bind
        if address is None:
            return None
        metrics = open_application(application.metrics, self.counts, self.log)
        side = open_address(self.requests.application(metrics), address)
        place = shown_address(side.socket)
        shown = place if place.startswith(UNIX) else f"http://{place}{PATH}"
        self.log.info("the metrics are at %s, without a credential", shown)
        return side


def _note_place(place: int) -> None:
    """Lets the lines of the log name the worker."""
    HERE.worker = place
