"""A part of a server: what it does in the life of the workers and of the master."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..tls import TlsContents


def _nothing(*_: object) -> None:
    """Do nothing at this moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A row of the moments at which something beside the requests has work to do.

    Each worker calls, in the order of the parts:

    - `start` before its first request, with its place. Living workers have different places, each the lowest that was
      free. An error ends the worker.
    - `beat` every second, and `connections` with the number of its connections by state.
    - `refused` with the status and the id of each answer to what could not be read as a request.
    - `stop` when it is asked to stop.
    - `end` after its last answer, in the reverse order.

    The master calls `certificates` with the files of TLS each time it has read them, before it forks the workers that
    use them. It calls `tend` about every second, `drain` when the service is asked to stop by TERM, `worker_gone` with
    the process id of each worker that ended, and `end_service` after the last one, in the reverse order. What `beat`,
    `connections`, `stop` or `end` raises is logged, and the other parts go on.
    """

    start: Callable[[int], None] = _nothing
    beat: Callable[[], None] = _nothing
    connections: Callable[[Mapping[str, int]], None] = _nothing
    refused: Callable[[int, bytes], None] = _nothing
    stop: Callable[[], None] = _nothing
    end: Callable[[], None] = _nothing
    certificates: Callable[[TlsContents], None] = _nothing
    tend: Callable[[], None] = _nothing
    drain: Callable[[], None] = _nothing
    worker_gone: Callable[[int], None] = _nothing
    end_service: Callable[[], None] = _nothing
