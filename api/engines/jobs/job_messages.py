"""The messages between the service and the process of a job: a length, and JSON of that many bytes.

The service sends one `JobRequest`. The process sends any number of messages with a stage, and one with its outcome.
"""

import asyncio
import socket
import struct
from typing import Final

import msgspec

from ...store.leases.primary_mark import PrimaryLine
from .job_refusals import JobRefusal

_LENGTH: Final = struct.Struct("!Q")
_CHUNK: Final = 1024 * 1024


class JobDatabase(msgspec.Struct, frozen=True):
    """The database of a store by its URL, and the seconds of its servers' leases.

    A job reads and writes on the primary of `line` alone, that of its server's lease. None: its server has no lease.
    """

    url: str
    lease_seconds: float
    line: PrimaryLine | None


class JobRequest(msgspec.Struct, frozen=True):
    """A call of a job, with the data directory of its store, and its database if that is not in the directory. `body`
    is the job's own request.
    """

    directory: str
    body: msgspec.Raw
    database: JobDatabase | None = None


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """A stage that began, or the outcome: the job's answer, or why there is none."""

    stage: str = ""
    answer: msgspec.Raw = msgspec.Raw(b"null")
    refused: JobRefusal | None = None


class Ended(Exception):
    """The other side has closed the channel, or its process has ended."""


def encoded(message: msgspec.Struct) -> bytes:
    """Returns the bytes of a message."""
    text = msgspec.json.encode(message)
    return _LENGTH.pack(len(text)) + text


def received(channel: socket.socket) -> bytes:
    """Returns the JSON of the next message. Raises Ended if there is none."""
    (length,) = _LENGTH.unpack(_exactly(channel, _LENGTH.size))
    return _exactly(channel, length)


async def received_async(channel: socket.socket) -> bytes:
    """Returns the JSON of the next message on a channel that does not block. Raises Ended if there is none."""
    (length,) = _LENGTH.unpack(await _exactly_async(channel, _LENGTH.size))
    return await _exactly_async(channel, length)


def _exactly(channel: socket.socket, length: int) -> bytes:
    found = bytearray()
    while len(found) < length:
        found += _some(channel.recv(min(length - len(found), _CHUNK)))
    return bytes(found)


async def _exactly_async(channel: socket.socket, length: int) -> bytes:
    found, loop = bytearray(), asyncio.get_running_loop()
    while len(found) < length:
        found += _some(await loop.sock_recv(channel, min(length - len(found), _CHUNK)))
    return bytes(found)


def _some(data: bytes) -> bytes:
    if not data:
        raise Ended
    return data
