"""A server of Writ as a source: asks for updates by a long poll, and downloads a whole bundle if it must."""

import json
import logging
import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlencode

from urllib3 import BaseHTTPResponse
from urllib3.util import parse_url

from ....bundles.feed.update import CONTENT_TYPE, LONGEST_UPDATE, OLDER
from ....bundles.system_errors import public_reason
from ....bundles.wording import quoted
from ...http.outgoing.bounded_exchange import BROKEN
from ...settings.setting_readers import is_loopback
from ...telemetry.log import LOG
from .bundle_head import LONGEST_BUNDLE
from .bundle_source import NEVER, Answer, Ask, FetchedBundle, FetchedUpdate, Interrupted, SourceError, Unchanged
from .download import Download, new_download
from .response_body import MOST_EXPANSION, Expanded, pieces, whole
from .source_connection import ExchangeDeadline, SourceConnection, reason

BUNDLE_TYPE: Final = "application/vnd.writ.bundle"
LONGEST_WAIT: Final = 60
"""The longest time in seconds for which a server holds a question."""

PROOF_SECONDS: Final = 60.0
"""The seconds after which a server without TLS must sign again that nothing is newer: a proxy could keep saying it."""

_NO_TAG: Final = '"none"'
_STRONG_TAG: Final = re.compile(r'"[\x21\x23-\x7e]{1,200}"')
_TAG: Final = re.compile(r'(?:W/)?"[\x21\x23-\x7e]{1,200}"')
_CREDENTIAL: Final = re.compile(r"[\x21-\x7e]{1,65536}")
_RANGE: Final = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)")
_LONGEST_ERROR: Final = 64 * 1024
_PASSING: Final = (408, 425, 429)
"""The errors of a client that pass by themselves, as those of a server do."""


@dataclass(frozen=True, slots=True)
class UpstreamLimits:
    """The limits of what a server may send. Times are in seconds, and sizes in bytes.

    - `answer`: from the end of the wait to the last byte of an update, or to the first byte of a bundle.
    - `least_rate`: the bytes of a bundle that must come in each second on average.
    - `bundle`: the size of a bundle.
    - `expansion`: how many times longer than what came an unpacked answer may be.
    - `resumes`: how often one download goes on after an interruption.
    - `retry_after`: how long the server may ask to be left alone.
    - `interval`: from one question to the next, if the server does not hold them.
    """

    answer: float = 30.0
    least_rate: int = 32 * 1024
    bundle: int = LONGEST_BUNDLE
    expansion: int = MOST_EXPANSION
    resumes: int = 5
    retry_after: float = 300.0
    interval: float = 5.0


class Upstream:
    """An environment of the server at `base`, such as `https://writ.example.com`.

    `credential` returns an API key or an access token for each request, or None. The other parameters are those of
    `SourceConnection`. Raises ValueError for a URL that can't be used, and OSError for a file that can't be read.
    """

    def __init__(
        self,
        base: str,
        environment: str,
        credential: Callable[[], str] | None = None,
        *,
        ca_file: str | None = None,
        proxy: str | None = None,
        limits: UpstreamLimits | None = None,
    ):
        self._limits = limits or UpstreamLimits()
        self._credential = credential
        self.name, self._path, self._is_private = _checked(base, environment, credential is not None)
        self._proof, self._takes_packed = -math.inf, True
        self._connection = SourceConnection(base, ca_file, proxy)
        self._download: Download | None = None

    @property
    def interval(self) -> float:
        """See `BundleSource`."""
        return self._limits.interval

    def fetch(self, ask: Ask) -> Answer:
        """See `BundleSource`."""
        wait = max(0, min(int(ask.wait), LONGEST_WAIT))
        with ExchangeDeadline(self._connection, wait + self._limits.answer) as deadline:
            try:
                response = self._connection.get(self._target(ask), self._headers(ask, wait), wait + self._limits.answer)
                try:
                    answer = self._answer(ask, response, deadline)
                except BaseException:
                    response.close()
                    raise
                response.release_conn()
                return answer
            except _StorageError as ex:
                raise ex.error from None
            except _Cut as ex:  # a download goes on, but must not begin again and again
                raise self._failure(ex.error, deadline, is_away=False) from None
            except BROKEN as ex:
                raise self._failure(ex, deadline, is_away=True) from None
            except Interrupted:
                raise
            except SourceError as ex:
                self._takes_packed &= not isinstance(ex, Expanded)  # what is genuine comes without packing
                said = f"{self.name} gave no usable answer: {ex}"
                raise SourceError(said, ex.retry_after, is_away=ex.is_away) from None

    def _target(self, ask: Ask) -> str:
        if ask.position is None:  # 0 is a revision, too: an update from it would lead a follower without it nowhere
            return self._path
        return f"{self._path}?{urlencode({'since': str(ask.position.revision)})}"

    def _headers(self, ask: Ask, wait: int) -> dict[str, str]:
        headers = {
            "Accept": f"{CONTENT_TYPE}, {BUNDLE_TYPE}, application/json",
            "User-Agent": "writ-agent",
            "Prefer": f"wait={wait}, {OLDER}" if ask.position is None else f"wait={wait}",
            "If-None-Match": _NO_TAG if ask.tag is None or self._needs_proof else ask.tag,
        }
        if self._credential is not None:
            headers["Authorization"] = f"Bearer {self._credential()}"
        download = self._download
        if download is not None and download.size:
            headers |= {"Range": f"bytes={download.size}-", "If-Range": download.tag}
        else:
            headers["Accept-Encoding"] = "gzip" if self._takes_packed else "identity"
        return headers

    @property
    def _needs_proof(self) -> bool:
        return not self._is_private and time.monotonic() - self._proof > PROOF_SECONDS

    def _answer(self, ask: Ask, response: BaseHTTPResponse, deadline: ExchangeDeadline) -> Answer:
        tag = response.headers.get("ETag", "")
        accepted = tag if _TAG.fullmatch(tag) else None
        if response.status == 304:
            return Unchanged(accepted or ask.tag, issued=None if self._is_private else NEVER)
        if response.status not in (200, 206):
            raise self._refusal(response)
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind == CONTENT_TYPE and response.status == 200:
            self._forget_download()
            update = whole(response, LONGEST_UPDATE, self._limits.expansion)
            self._proof = time.monotonic()
            return FetchedUpdate(update, accepted, issued=None if self._is_private else NEVER)
        if kind != BUNDLE_TYPE:
            raise SourceError(f"it sent {quoted(kind)}, and no bundle and no update")
        download = self._started(ask.folder, response, tag)
        length = response.headers.get("Content-Length", "")
        size = int(length) if re.fullmatch(r"\d{1,18}", length) else self._limits.bundle
        deadline.extend(self._limits.answer + size / self._limits.least_rate)
        self._receive(download, response, download.size)
        self._download = None
        return FetchedBundle(download.path, accepted)

    def _started(self, folder: Path, response: BaseHTTPResponse, tag: str) -> Download:
        """Returns the download that a response goes on with, or else a new one."""
        download = self._download
        if response.status == 206:
            found = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
            if download is None or download.tag != tag or found is None or int(found[1]) != download.size:
                self._forget_download()
                raise SourceError("it sent another part of a bundle than the one that was asked for")
            download.resumes += 1
            return download
        self._forget_download()
        try:
            self._download = new_download(folder, tag, self._limits.bundle)
        except OSError as ex:
            raise _StorageError(ex) from None
        return self._download

    def _receive(self, download: Download, response: BaseHTTPResponse, offset: int) -> None:
        try:
            most = self._limits.bundle - offset
            download.add(_received(response, most, self._limits.expansion), offset)
        except _Cut:
            if not _STRONG_TAG.fullmatch(download.tag) or download.resumes >= self._limits.resumes:
                self._forget_download()
            raise
        except OSError as ex:
            self._forget_download()
            raise _StorageError(ex) from None
        except BaseException:
            self._forget_download()
            raise

    def _forget_download(self) -> None:
        if self._download is not None:
            self._download.remove()
            self._download = None

    def _failure(self, error: Exception, deadline: ExchangeDeadline, *, is_away: bool) -> SourceError:
        if self._connection.interrupted:
            return Interrupted()
        return SourceError(f"{self.name} gave no answer: {reason(error, deadline)}", is_away=is_away)

    def _refusal(self, response: BaseHTTPResponse) -> SourceError:
        """Returns the sentence of an answer with an error. Any server may have written its text."""
        if 300 <= response.status < 400:
            return SourceError("it redirects elsewhere, which is refused, since the credential must not travel")
        if response.status == 416:
            self._forget_download()
        said = ""
        with suppress(SourceError, ValueError, RecursionError, *BROKEN):
            found = json.loads(whole(response, _LONGEST_ERROR, self._limits.expansion))
            if isinstance(found, dict) and isinstance(found.get("error"), str):
                said = f", {quoted(found['error'])}"
        is_away = response.status >= 500 or response.status in _PASSING
        return SourceError(f"it answered {response.status}{said}", self._retry_after(response), is_away=is_away)

    def _retry_after(self, response: BaseHTTPResponse) -> float | None:
        text = response.headers.get("Retry-After", "").strip()
        if re.fullmatch(r"\d{1,9}", text):
            return min(float(text), self._limits.retry_after)
        with suppress(TypeError, ValueError, OverflowError):
            seconds = (parsedate_to_datetime(text) - parsedate_to_datetime(response.headers["Date"])).total_seconds()
            return max(0.0, min(seconds, self._limits.retry_after))
        return None

    def interrupt(self) -> None:
        """See `BundleSource`."""
        self._connection.interrupt()

    def close(self) -> None:
        """See `BundleSource`."""
        self._forget_download()
        self._connection.close()


class _StorageError(Exception):
    """A file could not be written. The server did nothing wrong."""

    def __init__(self, error: OSError):
        super().__init__(str(error))
        self.error = error


class _Cut(Exception):
    """The body of a response ended too early."""

    def __init__(self, error: Exception):
        super().__init__(str(error))
        self.error = error


def _received(response: BaseHTTPResponse, most: int, expansion: int) -> Iterator[bytes]:
    """Yields the body of a response. It tells errors of the network from those of the disk."""
    try:
        yield from pieces(response, most, expansion)
    except BROKEN as ex:
        raise _Cut(ex) from None


def token_in(path: Path) -> Callable[[], str]:
    """Returns a function that reads a credential from a file, each time again, so that the file can be replaced."""

    def read() -> str:
        try:
            with path.open("rb") as file:
                text = file.read(_LONGEST_ERROR + 2).decode("ascii", "replace").strip()
        except OSError as ex:
            raise SourceError(f"the token file can't be read: {public_reason(ex)}") from None
        return checked_token(text)

    return read


def checked_token(token: str) -> str:
    """Returns a credential. Raises SourceError if it can't stand in a header. The message does not quote it."""
    if not _CREDENTIAL.fullmatch(token):
        raise SourceError("the credential is empty, too long, or has other characters than a header can have")
    return token


def _checked(base: str, environment: str, has_credential: bool) -> tuple[str, str, bool]:
    """Returns the name of a source, the path of its environment's bundle, and whether no proxy can be between.

    Raises ValueError for a URL that can't be used.
    """
    url = parse_url(base)
    if url.scheme not in ("http", "https") or not url.host or url.auth or url.query or url.fragment:
        raise ValueError("the URL of the upstream must have a host, and perhaps a port and a path, and nothing else")
    is_private = url.scheme == "https" or is_loopback(url.host)
    if has_credential and not is_private:
        logging.getLogger(LOG).warning(
            "the credential for `%s` travels without encryption, so others can read it; use `https`", url.host
        )
    return f"`{url.scheme}://{url.netloc}`", f"/v1/environments/{quote(environment, safe='')}/bundle", is_private
