"""The access that the subject of one request has, for frameworks with an event loop."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar

from ..bundles.errors import Error
from . import looping
from .answers import NOBODY, Refusal, refusal_after
from .points import AnySource
from .questions import ITS_ID, NO_PROPERTIES, Properties, question, questions, search

ItemT = TypeVar("ItemT")


@dataclass(frozen=True, slots=True)
class Access:
    """All checks of one request. Each refusal is raised as an error of the framework."""

    point: AnySource
    subject: Mapping[str, Any] | None
    context: Properties
    error: Callable[[Refusal], Exception]

    def who(self) -> Mapping[str, Any]:
        """Returns the subject. Raises the framework's 403 if the request has none."""
        return self.subject or self._end(NOBODY)

    async def check(
        self, action: str, resource: str | Mapping[str, Any], id: Any = None, properties: Properties = NO_PROPERTIES
    ) -> None:
        """Raises the framework's 403 or 503, unless the subject may do the action on the resource.

        `resource` is its type, with its `id` and its attributes, or the whole resource, as `resource_of` returns it.
        """
        try:
            asked = question(self.who(), action, resource, id, properties, self.context)
        except Error as ex:
            self._end(refusal_after(ex))
        refused = await looping.refusal(self.point, asked)
        if refused is not None:
            self._end(refused)

    async def permitted(
        self,
        action: str,
        resource_type: str,
        items: Iterable[ItemT],
        id: Callable[[ItemT], Any] = ITS_ID,
        properties: Callable[[ItemT], Properties] | None = None,
    ) -> list[ItemT]:
        """Returns those of the items that the subject may do the action on, in order. It asks in one batch.

        `id` and `properties` return the id and the attributes of an item. Raises the framework's 503 if there is no
        decision.
        """
        listed = list(items)
        try:
            asked = questions(self.who(), action, resource_type, listed, id, properties, self.context)
            allowed = await looping.permissions(self.point, asked)
        except Error as ex:
            self._end(refusal_after(ex))
        return [item for item, is_allowed in zip(listed, allowed, strict=True) if is_allowed]

    async def filter(self, action: str, resource_type: str) -> Any:
        """Returns the filter response of what the subject may do the action on now, for a query of the application.

        Raises the framework's 503 if there is none.
        """
        try:
            return await looping.found_filter(self.point, search(self.who(), action, resource_type, self.context))
        except Error as ex:
            self._end(refusal_after(ex))

    def _end(self, refused: Refusal) -> NoReturn:
        raise self.error(refused) from None


@dataclass(frozen=True, slots=True)
class Permitted(Generic[ItemT]):
    """The items of one type that the subject of a request may do one action on."""

    access: Access
    action: str
    resource_type: str
    id: Callable[[ItemT], Any] = ITS_ID
    properties: Callable[[ItemT], Properties] | None = None

    async def among(self, items: Iterable[ItemT]) -> list[ItemT]:
        """See `Access.permitted`."""
        return await self.access.permitted(self.action, self.resource_type, items, self.id, self.properties)

    async def filter(self) -> Any:
        """See `Access.filter`."""
        return await self.access.filter(self.action, self.resource_type)
