"""One call with all that it needs: headers, the credential, repetitions and the circuit breaker."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from .answers import seconds_to_wait
from .breaker import Breaker
from .credentials import Credential
from .errors import CircuitOpen, Unreachable
from .retries import REPEATED, Repeating, RetryBudget
from .steps import Answer, Broken, Call, NotSent, Pause, Send, Steps

LEAST_REVISION: Final = "Writ-Min-Revision"
"""The header with the revision that a question asks for."""

_PLAIN: Final = {"Accept": "application/json", "User-Agent": "writ-client"}
_DOWN: Final = frozenset({502, 503, 504})


class Caller:
    """Makes calls to one decision point, called `name` in messages.

    `headers` gives those of the present call, `clock` the seconds of a monotonic clock, `random` numbers from 0 to 1.
    A longer `Retry-After` than `longest_wait`, in seconds, ends a call; None is as long as the call.
    """

    def __init__(
        self,
        name: str,
        credential: Credential,
        headers: Callable[[], Mapping[str, str]],
        clock: Callable[[], float],
        random: Callable[[], float],
        longest_wait: float | None = None,
    ):
        self._longest_wait = longest_wait
        self._name, self._credential, self._headers = name, credential, headers
        self._clock, self._random = clock, random
        self._budget, self._breaker = RetryBudget(), Breaker(name, clock, random)
        # Where tokens come from may be down while decisions are made, so it has its own circuit.
        self._beside = Breaker(name, clock, random)

    def deadline(self, seconds: float) -> float:
        """Returns the instant of the clock in some seconds."""
        return self._clock() + seconds

    def jitter(self, seconds: float) -> Pause:
        """Returns a pause of up to some seconds."""
        return Pause(seconds * self._random())

    def plain(self, call: Call, deadline: float) -> Steps[Answer]:
        """Returns the answer to a call without a credential, whatever its status. Raises Unreachable."""
        return (yield from self._repeated(call, deadline, {}, self._beside))

    def sent(self, call: Call, deadline: float) -> Steps[Answer]:
        """Returns the answer to a call, whatever its status. After a 401, it is repeated once with a new credential.

        Raises Unreachable, and the errors of the credential.
        """
        value, headers = yield from self._authorization(deadline)
        answer = yield from self._repeated(call, deadline, headers, self._breaker)
        if answer.status == 401 and self._credential.renewed(value):
            _, headers = yield from self._authorization(deadline)
            answer = yield from self._repeated(call, deadline, headers, self._breaker)
        return answer

    def _authorization(self, deadline: float) -> Steps[tuple[str | None, dict[str, str]]]:
        try:
            value = yield from self._credential.authorization(self.plain, deadline)
        except Broken as ex:
            raise Unreachable(f"{self._name} was not asked, since there is no access token: {ex}") from None
        return value, {} if value is None else {"Authorization": value}

    def _repeated(
        self, call: Call, deadline: float, authorization: Mapping[str, str], breaker: Breaker
    ) -> Steps[Answer]:
        repeating = Repeating(self._budget, self._random, self._clock, deadline, self._longest_wait)
        call = replace(call, headers={**_PLAIN, **self._headers(), **authorization, **call.headers})
        failure: Unreachable | None = None
        refused: Answer | None = None
        while True:
            try:
                answer: Answer | None = yield from _attempt(call, repeating.seconds_left, breaker)
            except CircuitOpen as ex:
                if refused is not None:
                    return refused
                raise failure or ex from None
            except Broken as ex:
                what = "can't be reached" if isinstance(ex, NotSent) else "gave no answer"
                answer, failure = None, Unreachable(f"{self._name} {what}: {ex}")
                if not (call.repeatable or isinstance(ex, NotSent)):
                    raise failure from None
            if answer is not None and answer.status not in REPEATED:
                return answer
            refused = answer or refused
            seconds = repeating.pause(None if answer is None else seconds_to_wait(answer))
            if seconds is None:
                return _given(answer, failure)
            yield Pause(seconds)


def _given(answer: Answer | None, failure: Unreachable | None) -> Answer:
    if answer is None:
        raise failure or AssertionError("a call without an answer has failed")
    return answer


def _attempt(call: Call, seconds: float, breaker: Breaker) -> Steps[Answer]:
    permit = breaker.admit(seconds)
    try:
        answer: Answer = yield Send(call, seconds)
    except Broken:
        breaker.failed(permit)
        raise
    except BaseException:
        breaker.abandoned(permit)
        raise
    # A decision point that does not have a revision yet works well.
    if answer.status in _DOWN and LEAST_REVISION not in call.headers:
        breaker.failed(permit)
    else:
        breaker.succeeded(permit)
    return answer
