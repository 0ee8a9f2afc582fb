"""`GET /console/…`: the files of the console, with the headers that keep its page to itself.

The files need no credential. The user of the page signs in with a key, which stays in the memory of the page, or as a
person, whose session is in a cookie (see `identity/sign_in`).
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import falcon
import falcon.asgi

from ..http.entity_tags import is_known
from ..http.openapi.operation import TEXT, Answer, Operation
from ..http.openapi.vocabulary import ETAG, IF_NONE_MATCH, LOCATION, UNCHANGED
from ..http.queries import known_parameters

PAGE: Final = Path(__file__).with_name("page")
"""The folder that the browser sees."""

INDEX: Final = "index.html"
MEDIA: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
"""The content type of each file, by the end of its name. A file of another kind is not served."""

HEADERS: Final = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types lit-html",
        )
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""The page runs its own scripts alone, talks to its own service alone, and stands in no frame."""

_HTML = MEDIA[".html"].partition(";")[0]
_KINDS = tuple(kind.partition(";")[0] for kind in MEDIA.values())
_TAG: Final = "Console"

GET_INDEX: Final = Operation(
    "getConsole",
    _TAG,
    "Open the console in a browser",
    {200: Answer("The page.", TEXT, (ETAG,), (_HTML,)), 304: UNCHANGED},
    headers=(IF_NONE_MATCH,),
    errors=(400,),
)
GET_FILE: Final = Operation(
    "getConsoleFile",
    _TAG,
    "Read a file of the console",
    {200: Answer("The file.", TEXT, (ETAG,), _KINDS), 304: UNCHANGED},
    headers=(IF_NONE_MATCH,),
    errors=(400, 404),
)
GET_ADDRESS: Final = Operation(
    "getConsoleAddress",
    _TAG,
    "Find the console",
    {308: Answer("The console is at the address in `Location`.", headers=(LOCATION,))},
    errors=(400,),
)


@dataclass(frozen=True, slots=True)
class ConsoleFile:
    """A file that is served: its bytes, its content type and its entity tag."""

    data: bytes
    media: str
    tag: str


def console_files(folder: Path = PAGE) -> dict[str, ConsoleFile]:
    """Returns the files below `folder` by their paths with `/`. They are read once: nothing else is ever served."""
    found = sorted(path for path in folder.rglob("*") if path.suffix in MEDIA)
    return {path.relative_to(folder).as_posix(): _console_file(path) for path in found}


def _console_file(path: Path) -> ConsoleFile:
    data = path.read_bytes()
    return ConsoleFile(data, MEDIA[path.suffix], sha256(data).hexdigest()[:32])


class Console:
    """The page and its files."""

    def __init__(self, files: dict[str, ConsoleFile]) -> None:
        self._files = files

    async def on_get(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, folder: str = "", file: str = INDEX
    ) -> None:
        """Answer 200 with a file, or 304 if the browser has it. Raises HTTPRouteNotFound for any other name."""
        known_parameters(req)
        found = self._files.get(f"{folder}/{file}" if folder else file)
        if found is None:
            raise falcon.HTTPRouteNotFound
        resp.set_headers(HEADERS)
        resp.etag = found.tag
        if is_known(req, found.tag):
            resp.status = falcon.HTTP_304
            return
        resp.content_type = found.media
        resp.data = found.data


class ConsoleAddress:
    """The console's address without its last slash."""

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 308 with the address below which the page finds its files."""
        known_parameters(req)
        resp.status = falcon.HTTP_308
        resp.set_header("Location", "/console/")
