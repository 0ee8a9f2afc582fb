"""The driver for threads: it takes the steps of a call with an `httpx.Client`."""

import threading
import time
from dataclasses import dataclass
from typing import Final, TypeVar

import httpx

from .deadlines import ending_at
from .steps import Alone, Answer, Broken, Call, NotSent, Pause, Send, Step, Steps

MOST_BYTES: Final = 64 * 2**20
"""The most bytes of an answer."""

T = TypeVar("T")

_NOT_SENT: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.InvalidURL,
)


@dataclass(frozen=True, slots=True)
class Patience:
    """The limits of an exchange beside its time: the seconds to connect, those without a byte, the bytes of an answer.

    None is as long as the exchange.
    """

    connect_seconds: float | None = None
    idle_seconds: float | None = None
    most_bytes: int = MOST_BYTES


class BlockingDriver:
    """Takes steps, one after the other. Any thread may use it."""

    def __init__(self, session: httpx.Client, owns: bool, patience: Patience = Patience()):
        """`owns` says that closing the driver closes the session."""
        self._session, self._owns, self._patience = session, owns, patience
        self._lock = threading.Lock()
        self._counting, self._exchanges, self._is_closed = threading.Lock(), 0, False

    def run(self, steps: Steps[T]) -> T:
        """Returns what the steps return, or raises what they raise."""
        try:
            step = next(steps)
            while True:
                try:
                    done = self._take(step)
                except BaseException as ex:
                    step = steps.throw(ex)
                else:
                    step = steps.send(done)
        except StopIteration as ex:
            value: T = ex.value
            return value

    def _take(self, step: Step) -> Answer | None:
        match step:
            case Send():
                return self._send(step.call, step.seconds)
            case Pause():
                time.sleep(step.seconds)
            case Alone():
                self._alone(step)
        return None

    def _alone(self, step: Alone) -> None:
        if not self._lock.acquire(timeout=step.seconds):
            raise Broken("the time is over")
        try:
            self.run(step.steps)
        finally:
            self._lock.release()

    def _send(self, call: Call, seconds: float) -> Answer:
        with self._counting:
            refuse_to_send(self._is_closed or self._session.is_closed, seconds)
            self._exchanges += 1
        try:
            return self._exchange(call, seconds)
        finally:
            with self._counting:
                self._exchanges -= 1
                is_last = self._is_closed and not self._exchanges
            if is_last:
                self._session.close()

    def _exchange(self, call: Call, seconds: float) -> Answer:
        session = self._session
        ends, patience = time.monotonic() + seconds, self._patience
        timeout = httpx.Timeout(patience.idle_seconds or seconds, connect=patience.connect_seconds or seconds)
        try:
            request = session.build_request(
                call.method,
                call.url,
                content=call.body() if callable(call.body) else call.body,
                headers=call.headers,
                timeout=timeout,
            )
            with ending_at(request, ends):
                response = session.send(request, stream=True, follow_redirects=False)
                try:
                    pieces, size = [], 0
                    for piece in response.iter_bytes():
                        pieces.append(piece)
                        size += len(piece)
                        check_answer(size, ends, patience.most_bytes)
                finally:
                    response.close()
        except Exception as ex:
            raise broken(ex, session.is_closed) from None
        return Answer(response.status_code, headers_of(response), b"".join(pieces))

    def close(self) -> None:
        """Close the session, unless it is the application's. Exchanges that are under way end first, in their threads.

        A session that is closed while it connects would leave that connection open.
        """
        if not self._owns:
            return
        with self._counting:
            self._is_closed, is_used = True, self._exchanges > 0
        if not is_used:
            self._session.close()


def refuse_to_send(is_closed: bool, seconds: float) -> None:
    """Raises NotSent if the session is closed, or no time is left."""
    if seconds <= 0 or is_closed:
        raise NotSent("the client is closed" if is_closed else "the time is over")


def check_answer(size: int, ends: float, most: int = MOST_BYTES) -> None:
    """Raises Broken if an answer is too large, or takes too long."""
    if size > most:
        raise Broken(f"the answer has more than {most} bytes")
    if time.monotonic() > ends:
        raise Broken("the time is over")


def headers_of(response: httpx.Response) -> dict[str, str]:
    """Returns the headers of an answer, with names in lower case."""
    return {name.lower(): value for name, value in response.headers.items()}


def broken(error: Exception, is_closed: bool) -> Exception:
    """Returns an error of an exchange as Broken. `is_closed` is whether its session is closed now.

    Any other error is returned as it is, unless the session was closed in the middle of the exchange.
    """
    if isinstance(error, Broken):
        return error
    if isinstance(error, _NOT_SENT):
        return NotSent(_sentence(error))
    if isinstance(error, TimeoutError | httpx.HTTPError | httpx.StreamError):
        return Broken(_sentence(error))
    return Broken("the client was closed") if is_closed else error


def _sentence(error: Exception) -> str:
    """Returns what an error says, as a part of a sentence: the system's words, if it comes from the system."""
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return "the time is over"
    cause: BaseException | None = error
    while cause is not None:
        words = getattr(cause, "verify_message", None) or getattr(cause, "strerror", None)
        if isinstance(words, str) and words:
            return words[:1].lower() + words[1:]
        cause = cause.__cause__ or cause.__context__
    return str(error) or type(error).__name__
