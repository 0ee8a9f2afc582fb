"""Makes the decision log that the settings ask for, and runs it in the workers of a server."""

import logging
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from ...settings.decision_log_settings import LOG_SHAPES, DecisionLogSettings
from ...settings.setting_readers import BadSetting, is_loopback
from ...store.database.private_files import read_or_create_secret
from ..bounded_queue import BoundedQueue, Bounds
from ..metrics.counts import Counts
from .decision_log import NO_LOG, DecisionLog, Log
from .entry import Waiting
from .mask_key import key_in
from .masks import LEAST_KEY_CHARACTERS, BadMasks, Masks, read_masks
from .metering import Metering
from .opa_shape import event_of
from .plain_lines import PlainLines
from .record import Record
from .rendering import Rendering
from .sinks.collector import CollectorOptions, CollectorSink
from .sinks.file import FileSink
from .sinks.sink import Sink
from .sinks.stream import StreamSink
from .turns import Turns
from .writer import Writer

STANDARD_OUTPUT: Final = "-"
HASH_KEY: Final = "decision-log.key"
"""In the data directory: random bytes, the secret of the hashes that masks make."""

LOSS: Final = "the decision log is full: %d decisions have no record"

Merge: TypeAlias = Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]
"""Returns an item of a batch with the batch's defaults, which come first."""


class DecisionLogService:
    """The decision log of a server: `log` is what handlers call, in whatever worker they are."""

    def __init__(
        self,
        settings: DecisionLogSettings,
        sink: Sink,
        masks: Masks,
        merge: Merge,
        clock: Callable[[], float],
        log: logging.Logger,
    ) -> None:
        self._settings, self._sink, self._masks, self._merge, self._said = settings, sink, masks, merge, log
        self._waiting: Waiting = BoundedQueue(Bounds(settings.buffer_records, settings.buffer_bytes), log, LOSS)
        self._refuses = settings.when_full == "refuse"
        self.log = DecisionLog(self._waiting, self._refuses, clock, log)
        self.log.file = readable_log(settings)
        self.writer: Writer | None = None
        self._turns: Turns | None = None
        self._metering: Metering | None = None

    def tell_doubts(self, environments: Collection[str] | None) -> None:
        """Warn of masks that hide nothing. `environments` are those that there are, or None if that is not known."""
        for doubt in self._masks.doubts(environments):
            self._said.warning("%s", doubt)

    def start_worker(self, counts: Counts) -> None:
        """Start to write, in a forked worker with these counters."""
        self._sink.start_worker()
        settings = self._settings
        rendering = Rendering(self._merge, self._masks, settings.permit_share, settings.record_bytes)
        shape = event_of if settings.shape == "opa" else _unchanged
        self.log.plain = PlainLines(rendering) if shape is _unchanged else None
        turns = Turns(self._waiting)
        self.writer = Writer(self._waiting, turns.ready, self._sink, rendering, self._said, self._refuses, shape)
        self._turns, self._waiting.wake = turns, turns.wake
        self._metering = Metering(counts, self._waiting, self.log, self.writer)
        self.writer.start()

    def beat(self) -> None:
        """Count for the metrics, and log the number of dropped answers from time to time."""
        if self._metering is not None:
            self._metering.beat()
        self._waiting.report()

    def end_worker(self) -> None:
        """Write what waits, for `WRIT_DECISION_LOG_STOP_SECONDS` at most."""
        self._waiting.report(at_once=True)
        if self._turns is not None:
            self._turns.finish()
        if self.writer is not None:
            self.writer.stop(self._settings.stop_seconds)
        if self._metering is not None:
            self._metering.beat()


class NoDecisionLog:
    """A server without a decision log."""

    log: Log = NO_LOG

    def tell_doubts(self, environments: Collection[str] | None) -> None:
        """See `DecisionLogService`."""

    def start_worker(self, counts: Counts) -> None:
        """See `DecisionLogService`."""

    def beat(self) -> None:
        """See `DecisionLogService`."""

    def end_worker(self) -> None:
        """See `DecisionLogService`."""


def decision_log(
    settings: DecisionLogSettings,
    directory: Path | None,
    merge: Merge,
    log: logging.Logger,
    clock: Callable[[], float] = time.time,
) -> DecisionLogService | NoDecisionLog:
    """Returns the decision log of a server. `directory` is the data directory, or None for an agent.

    Raises BadSetting if a setting can't be used, and OSError if a file can't be opened.
    """
    if settings.target is None:
        return NoDecisionLog()
    try:
        masks = _masks(settings, directory)
    except BadMasks as ex:
        raise BadSetting(str(ex)) from None
    return DecisionLogService(settings, _sink(settings), masks, merge, clock, log)


def readable_log(settings: DecisionLogSettings) -> Path | None:
    """Returns the file of the decision log, or None if there is no log, or none that Writ can read back."""
    target = settings.target
    if target is None or target == STANDARD_OUTPUT or "://" in target or settings.shape != LOG_SHAPES[0]:
        return None
    return Path(target)


def _sink(settings: DecisionLogSettings) -> Sink:
    target = settings.target or ""
    if target == STANDARD_OUTPUT:
        return StreamSink()
    if "://" not in target:
        return FileSink(Path(target))
    authorization, ca_file = settings.authorization_file, settings.ca_file
    return CollectorSink(
        CollectorOptions(
            _checked_url(target),
            settings.batch_bytes,
            settings.batch_seconds,
            None if authorization is None else Path(authorization),
            None if ca_file is None else Path(ca_file),
        )
    )


def _checked_url(url: str) -> str:
    """Returns the URL of a collector, which only the collector can receive. The sentence does not quote it."""
    try:
        found = urlsplit(url)
        host, user = found.hostname, found.username
        _ = found.port
    except ValueError:
        raise BadSetting("the URL of the decision log can't be read") from None
    if found.scheme not in ("http", "https") or not host or user is not None:
        raise BadSetting("the URL of the decision log must begin with `https://`, with a host and without a user")
    if found.scheme == "http" and not is_loopback(host):
        raise BadSetting(
            "the URL of the decision log must begin with `https://`; `http://` is taken for this machine itself only"
        )
    return url


def _masks(settings: DecisionLogSettings, directory: Path | None) -> Masks:
    """Returns the masks. Makes the key of hashes if they need one. Raises BadMasks, OSError."""
    if settings.masks is None:
        return Masks()
    text = settings.masks.encode()
    given = read_masks(text if text.lstrip().startswith(b"{") else Path(settings.masks).read_bytes())
    key = settings.hash_key
    if settings.hash_key_file is not None:
        if key is not None:
            raise BadMasks("`WRIT_DECISION_LOG_HASH_KEY` and `WRIT_DECISION_LOG_HASH_KEY_FILE` are both set; unset one")
        return Masks(given, key_in(Path(settings.hash_key_file)))
    if key is not None:
        if len(key) < LEAST_KEY_CHARACTERS:
            raise BadMasks(f"`WRIT_DECISION_LOG_HASH_KEY` must have {LEAST_KEY_CHARACTERS} characters at least")
        return Masks(given, key.encode())
    hashes = any(mask.do == "hash" for masks in given.values() for mask in masks)
    return Masks(given, read_or_create_secret(directory / HASH_KEY) if hashes and directory is not None else None)


def _unchanged(record: Record) -> Record:
    return record
