"""Makes the methods of the two clients from the steps that both take."""

from collections.abc import Callable, Coroutine
from functools import update_wrapper
from inspect import signature
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, get_args

from .calling.blocking import BlockingDriver
from .calling.looping import LoopDriver
from .calling.steps import Steps

P = ParamSpec("P")
T = TypeVar("T")
MethodT = TypeVar("MethodT", bound=Callable[..., object])
C = TypeVar("C")
CallsT = TypeVar("CallsT", covariant=True)


class Blocking(Protocol[CallsT]):
    """Has calls, and the driver that takes their steps in a thread."""

    def _now_here(self) -> tuple[CallsT, BlockingDriver]: ...


class Looping(Protocol[CallsT]):
    """Has calls, and the driver that takes their steps in an event loop."""

    def _now_here(self) -> tuple[CallsT, LoopDriver]: ...


def blocking(steps: Callable[Concatenate[C, P], Steps[T]]) -> Callable[Concatenate[Blocking[C], P], T]:
    """Returns the method of a blocking client that takes these steps."""

    def call(self: Blocking[C], /, *args: P.args, **kwargs: P.kwargs) -> T:
        calls, driver = self._now_here()
        return driver.run(steps(calls, *args, **kwargs))

    return _named_like(steps, call)


def looping(
    steps: Callable[Concatenate[C, P], Steps[T]],
) -> Callable[Concatenate[Looping[C], P], Coroutine[Any, Any, T]]:
    """Returns the method of an asynchronous client that takes these steps: a coroutine function."""

    async def call(self: Looping[C], /, *args: P.args, **kwargs: P.kwargs) -> T:
        calls, driver = self._now_here()
        return await driver.run(steps(calls, *args, **kwargs))

    return _named_like(steps, call)


def _named_like(steps: Callable[..., object], method: MethodT) -> MethodT:
    """Returns a method with the name, the documentation, the parameters and the answer of its steps, for `help`."""
    update_wrapper(method, steps)
    del method.__wrapped__  # type: ignore[attr-defined]  # its answer would be shown: a generator
    told = signature(steps)
    answer = get_args(told.return_annotation)[-1]
    method.__signature__ = told.replace(return_annotation=answer)  # type: ignore[attr-defined]  # `inspect` reads it
    method.__annotations__ = {**steps.__annotations__, "return": answer}
    return method
