"""The listener of Envoy's checks: each worker listens on the same port, and the kernel shares out the connections."""

import os
import socket
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from typing import Any, Final

from ....server.listening import UNIX, CannotListen, bound_socket, shown_address
from ....server.tls import TlsContents
from ....settings.settings import HttpLimits
from ....telemetry.metrics.counts import Counts
from ..gateway_answering import GatewayAnswers

OPTION: Final = "--envoy-bind"

METADATA_BYTES: Final = 16 * 1024
"""The bytes of a call's metadata: the gateway's credential, and what Envoy itself adds."""

AGE_SECONDS: Final = 600
"""The seconds that a connection lasts.

Envoy opens another one, which may go to another worker, so that all have work.
"""

LAST_CALLS_SECONDS: Final = 30
"""The seconds that the calls of a connection that is too old may still take."""

PING_SECONDS: Final = 5
"""The shortest time between two pings of a client. Meshes ping their connections."""

_QUIET: Final = ("GRPC_VERBOSITY", "NONE")
"""The setting of grpcio for its own log. Otherwise any client could fill it, with handshakes that fail."""

_NEEDS: Final = ("grpc", "google.protobuf")


def reserved(address: str | None) -> socket.socket | None:
    """Returns a socket that keeps an address for the workers, or None without an address. It never listens itself.

    Raises:
        CannotListen: grpcio is missing, or the address is malformed, unknown, taken, not allowed or a Unix socket.
    """
    if address is None:
        return None
    if not all(map(_is_installed, _NEEDS)):
        raise CannotListen(f"`{OPTION}` needs grpcio and protobuf; install them by `pip install 'writ-pdp[envoy]'`")
    if address.startswith(UNIX):
        raise CannotListen(f"`{OPTION}` takes HOST:PORT only; workers can't share a Unix socket for gRPC")
    found = bound_socket(address, OPTION)
    # Only now: so another service on the same port is found, though it shares the port with its own workers.
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return found


class EnvoyListener:
    """The gRPC server of a worker (see `Beside`). The object is made before the fork, the server after it."""

    def __init__(
        self,
        place: socket.socket,
        answering: GatewayAnswers,
        is_ready: Callable[[], Awaitable[bool]],
        counts: Counts,
        limits: HttpLimits,
    ) -> None:
        """`place` is the socket that `reserved` returned."""
        self._place, self._answering, self._is_ready = place, answering, is_ready
        self._counts, self._limits = counts, limits
        self._server: Any = None

    @property
    def address(self) -> str:
        """The address, as `HOST:PORT`."""
        return shown_address(self._place)

    async def start(self, pem: TlsContents | None) -> None:
        """Listen, with TLS if there is a certificate. Raises RuntimeError if the address can't be used any more."""
        os.environ.setdefault(*_QUIET)
        # Imported here, in a worker: grpcio must not be loaded before the fork, and no other process needs its memory.
        from grpc import aio

        from .grpc_services import handlers

        self._server = aio.server(options=_options(self._limits), maximum_concurrent_rpcs=self._limits.envoy_calls)
        self._server.add_generic_rpc_handlers(handlers(self._answering, self._is_ready, self._counts))
        if pem is None:
            self._server.add_insecure_port(self.address)
        else:
            self._server.add_secure_port(self.address, _credentials(pem))
        await self._server.start()

    async def stop(self, seconds: float) -> None:
        """Take no more calls, and wait for those in work, this long at most."""
        if self._server is not None:
            await self._server.stop(seconds)


def listener_on(
    place: socket.socket | None,
    answering: GatewayAnswers,
    is_ready: Callable[[], Awaitable[bool]],
    counts: Counts,
    limits: HttpLimits,
) -> EnvoyListener | None:
    """Returns the listener on a reserved address, or None if there is none."""
    return None if place is None else EnvoyListener(place, answering, is_ready, counts, limits)


def _options(limits: HttpLimits) -> list[tuple[str, int]]:
    return [
        ("grpc.so_reuseport", 1),
        ("grpc.max_receive_message_length", limits.body_bytes),
        ("grpc.max_metadata_size", METADATA_BYTES),
        ("grpc.absolute_max_metadata_size", METADATA_BYTES),
        ("grpc.max_allowed_incoming_connections", limits.connections),
        ("grpc.max_concurrent_streams", limits.envoy_calls),
        ("grpc.server_handshake_timeout_ms", round(limits.head_seconds * 1_000)),
        ("grpc.max_connection_idle_ms", round(limits.idle_seconds * 1_000)),
        ("grpc.max_connection_age_ms", AGE_SECONDS * 1_000),
        ("grpc.max_connection_age_grace_ms", LAST_CALLS_SECONDS * 1_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", PING_SECONDS * 1_000),
    ]


def _credentials(pem: TlsContents) -> Any:
    import grpc

    return grpc.ssl_server_credentials(
        [(pem.key, pem.certificate)], pem.client_ca, require_client_auth=pem.client_ca is not None
    )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ImportError:  # a parent package is missing
        return False
