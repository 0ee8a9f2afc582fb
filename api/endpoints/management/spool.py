"""Writes long bodies to a file as they arrive, in constant memory."""

import asyncio
import tempfile
from pathlib import Path
from typing import IO

import falcon.asgi

from ....bundles.system_errors import public_reason, reason_of
from ...http.rejections import BodyTooLarge
from ...store.errors import StoreUnavailable


async def spooled(request: falcon.asgi.Request, limit: int, directory: Path) -> IO[bytes]:
    """Returns the body of `request` as an unnamed file of `directory`, at its start. The caller closes it.

    Raises:
        BodyTooLarge: the body has more bytes than `limit`.
        StoreUnavailable: the file can't be written.
    """
    announced = request.content_length
    if announced is not None and announced > limit:
        raise BodyTooLarge(limit, announced)
    try:
        # Without a buffer: closing the file must not write, and fail again.
        file = tempfile.TemporaryFile(dir=directory, buffering=0)  # noqa: SIM115 - the caller closes it
    except OSError as ex:
        raise _refused(directory, ex) from None
    try:
        size = 0
        async for piece in request.stream:
            size += len(piece)
            if size > limit:
                raise BodyTooLarge(limit)
            await asyncio.to_thread(_write, file, piece)
        file.seek(0)
    except OSError as ex:
        file.close()
        raise _refused(directory, ex) from None
    except BaseException:
        file.close()
        raise
    return file


def _write(file: IO[bytes], piece: bytes) -> None:
    rest = memoryview(piece)
    while rest:
        rest = rest[file.write(rest) :]


def _refused(directory: Path, error: OSError) -> StoreUnavailable:
    return StoreUnavailable(
        f"the document can't be written to a file in `{directory}`: {reason_of(error)}",
        f"the document can't be written to disk: {public_reason(error)}",
    )
