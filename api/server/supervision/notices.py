"""Notices to the service manager: systemd's protocol `sd_notify`, one datagram for each change.

Gunicorn has a notification too. It says that the service is ready before a worker serves.
"""

import logging
import os
import socket
import time
from collections.abc import MutableMapping
from typing import Final

from ....bundles.system_errors import reason_of
from ...telemetry.log import LOG

_SOCKET: Final = "NOTIFY_SOCKET"
_WATCHDOG: Final = "WATCHDOG_USEC"
_WATCHDOG_PROCESS: Final = "WATCHDOG_PID"
_BEATS: Final = 2
"""The number of notices in the time after which the service manager takes the service for dead."""

_MICROSECONDS: Final = 1_000_000
_BOOT_POLL_SECONDS: Final = 0.05


class Notices:
    """Tells the service manager what changes: ready, reloading, stopping, alive. Does nothing without one.

    The service is ready when as many workers serve as it should have. It is alive while a worker serves, or while it
    stops.
    """

    def __init__(self, address: str | None, watchdog_seconds: float | None = None) -> None:
        """`address` is a path, or a name that begins with `@`.

        Without `watchdog_seconds`, the manager wants no beats.
        """
        self._address = None if address is None else _as_socket_name(address)
        self._beat_seconds = None if watchdog_seconds is None else watchdog_seconds / _BEATS
        self._next_beat = 0.0
        self._is_ready = self._reloads = self._stops = False

    @classmethod
    def of(cls, variables: MutableMapping[str, str]) -> "Notices":
        """Takes the variables of the service manager out of `variables`: no other process may speak for the service."""
        address, watchdog = variables.pop(_SOCKET, None), variables.pop(_WATCHDOG, "")
        is_ours = variables.pop(_WATCHDOG_PROCESS, str(os.getpid())) == str(os.getpid())
        has_watchdog = is_ours and watchdog.isascii() and watchdog.isdigit() and int(watchdog) > 0
        return cls(address or None, int(watchdog) / _MICROSECONDS if has_watchdog else None)

    def poll_seconds(self, most: float) -> float:
        """Returns how long the master may wait, `most` at most, before it calls `workers_serve` again."""
        if self._address is None:
            return most
        if not self._is_ready:
            return min(most, _BOOT_POLL_SECONDS)
        return most if self._beat_seconds is None else min(most, self._beat_seconds / _BEATS)

    def workers_serve(self, serving: int, wanted: int) -> None:
        """Tell that the service is ready, the first time that all workers serve, and that it is alive."""
        if self._address is None:
            return
        if serving >= wanted and not (self._is_ready or self._reloads or self._stops):
            self._is_ready = True
            self._tell("READY=1", f"STATUS={serving} worker{'s' if serving != 1 else ''} serving")
        if serving or self._stops:
            self._beat()

    def reloading(self) -> None:
        """Tell that the workers are being replaced."""
        if not self._stops:
            self._is_ready, self._reloads = False, True
            self._tell("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1_000}")

    def reloaded(self) -> None:
        """The old workers have left. When all new ones serve, `workers_serve` tells that the service is ready again."""
        self._reloads = False

    def stopping(self) -> None:
        """Tell that the service stops. It is not ready from then on."""
        if not self._stops:
            self._stops = True
            self._tell("STOPPING=1")

    def _beat(self) -> None:
        now = time.monotonic()
        if self._beat_seconds is not None and now >= self._next_beat:
            self._next_beat = now + self._beat_seconds
            self._tell("WATCHDOG=1")

    def _tell(self, *lines: str) -> None:
        if self._address is None:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as teller:
                teller.setblocking(False)  # the service does not wait for its manager
                teller.sendto("\n".join(lines).encode(), self._address)
        except OSError as error:
            logging.getLogger(LOG).warning("the service manager was not told `%s`: %s", lines[0], reason_of(error))


def _as_socket_name(address: str) -> str:
    """Returns an address as a socket takes it: an abstract name begins with a zero byte."""
    return f"\0{address[1:]}" if address.startswith("@") else address
