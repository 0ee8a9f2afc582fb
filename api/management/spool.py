"""Long bodies: written to a file as they come, so that memory stays constant."""

import asyncio
import tempfile
from pathlib import Path
from typing import IO

import falcon.asgi

from api.rejections import BodyTooLarge


async def spooled(request: falcon.asgi.Request, limit: int, directory: Path) -> IO[bytes]:
    """The body of `request` as an unnamed file of `directory`, at its beginning, for the caller to close.

    Raises:
        BodyTooLarge: more bytes than `limit`, announced or sent.
    """
    announced = request.content_length
    if announced is not None and announced > limit:
        raise BodyTooLarge(limit, announced)
    file = tempfile.TemporaryFile(dir=directory)  # noqa: SIM115 - the caller closes it
    try:
        size = 0
        async for piece in request.stream:
            size += len(piece)
            if size > limit:
                raise BodyTooLarge(limit)
            await asyncio.to_thread(file.write, piece)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file
