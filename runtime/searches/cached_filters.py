"""Answers a resource search with its filter, if the filter is cached (F1, F2, F7)."""

from dataclasses import replace
from typing import Any

import msgspec
from msgspec import Struct

from ..decisions.decide import holder_of
from ..filters.derive import NOTHING, Filter, answer
from ..requests.members import NO_ATTRIBUTES, Attributes
from ..requests.plain_bodies import PlainSearch
from ..requests.searches import DECIDE, NODE, ResourceSearch
from ..snapshot import FOREVER, Holder, Snapshot
from .direct import cached_has_grants
from .filtering import with_validity
from .searchers import searcher_of, undeclared


class CachedFilter(Struct, frozen=True):
    """A filter for a subject, and whether the subject has direct grants. If gates are decided, it is valid for ever."""

    filter: Filter
    has_direct: bool
    is_decided: bool

    def response(self) -> dict[str, Any]:
        """Returns the filter response (contract 2.6), which the caller may change."""
        response = answer(self.filter, self.has_direct)
        return with_validity(response, None) if self.is_decided else response

    def encoded(self) -> bytes:
        """Returns the response as JSON. PERF: the filter keeps it."""
        key = self.has_direct, self.is_decided
        found = self.filter.encoded.get(key)
        if found is None:
            found = self.filter.encoded[key] = msgspec.json.encode(self.response())
        return found


def cached_filter(snapshot: Snapshot, search: ResourceSearch, now: float) -> CachedFilter | None:
    """Returns the filter if all its parts are cached or take microseconds, or else None."""
    action, context, include = search.action, search.filter_context, search.options.include_direct
    why = undeclared(snapshot, search.resource_type, action.name)
    if why is not None:
        return CachedFilter(replace(NOTHING, reason=why, encoded={}), False, context is not None)
    type, id, s, holder, _ = searcher_of(snapshot, search.subject, now)
    if include == NODE or (include and holder.grants):
        return None
    return _cached(snapshot, holder, type, id, s, search.resource_type, action.name, action.properties, context, now)


def plain_filter(snapshot: Snapshot, asked: PlainSearch, now: float) -> CachedFilter | None:
    """Returns the same as `cached_filter`, or None for what is undeclared. No checked request may be strict (E8)."""
    subject, action, context = asked.subject, asked.action, None
    if asked.options.gates == DECIDE:
        context = asked.context or NO_ATTRIBUTES
    holder = holder_of(snapshot, subject.type, subject.id, now)
    s, a = subject.properties or NO_ATTRIBUTES, action.properties or NO_ATTRIBUTES
    return _cached(snapshot, holder, subject.type, subject.id, s, asked.resource.type, action.name, a, context, now)


def _cached(
    snapshot: Snapshot,
    holder: Holder,
    type: str,
    id: str | None,
    s: Attributes,
    resource_type: str,
    action: str,
    a: Attributes,
    context: Attributes | None,
    now: float,
) -> CachedFilter | None:
    """Returns the filter of a holder. A `context` decides the gates, and None leaves them open.

    PERF: arguments stay flat, as in `decide`.
    """
    is_decided = context is not None
    derived = snapshot.rules.cached_derived(holder.roles, resource_type, action, is_decided)
    if derived is None:
        return None
    partial = derived.partial
    found = derived.filters.get(partial.outcome(type, id, s, holder, a, context or NO_ATTRIBUTES, now))
    if found is None or (is_decided and (partial.windows or partial.of_subject or holder.until != FOREVER)):
        return None  # it has to be derived, or how long it is valid has to be found
    has_direct: bool | None = False
    if holder.grants:
        number = snapshot.rules.types[resource_type].number
        has_direct = cached_has_grants(snapshot, holder, number, action, now)
    return None if has_direct is None else CachedFilter(found, has_direct, is_decided)
