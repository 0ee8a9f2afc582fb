"""Clients of decision points over HTTP: `Client` for threads, `AsyncClient` for asyncio.

Reading path:

- `calling/`: one call with credential, repetitions, circuit breaker and headers, and the drivers that do the I/O;
- `asking`: one question; `evaluations`, `batches` and `searches`, together `questions`: all of them, as steps;
- `management/`: the calls that change grants, groups and entities;
- `settings` and `processes`: the parameters, and all that one process makes of them;
- `facades`: methods of steps; `sync_managing` and `async_managing`: those that change the model;
- `sync_client` and `async_client`: the two clients; `service_calls`: any call, for commands.
"""

from .async_client import AsyncClient
from .calling.credentials import ClientCredentials
from .calling.errors import BadAnswer, CallFailed, CircuitOpen, OlderService, Refused, Unreachable
from .management.wanted import Changes
from .sync_client import Client

__all__ = [
    "AsyncClient",
    "BadAnswer",
    "CallFailed",
    "Changes",
    "CircuitOpen",
    "Client",
    "ClientCredentials",
    "OlderService",
    "Refused",
    "Unreachable",
]
