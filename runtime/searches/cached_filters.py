"""Answers a resource search with its filter, if the filter is cached (F1, F2, F7)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct

from ...bundles.conditions.instants import shown_instant
from ..decisions.decide import holder_of
from ..filters.attribute_reads import RESOURCES
from ..filters.derive import NOTHING, Filter, answer
from ..filters.partial import Partial
from ..requests.members import NO_ATTRIBUTES, Attributes
from ..requests.plain_bodies import PlainSearch
from ..requests.searches import DECIDE, NODE, ResourceSearch
from ..snapshot import FOREVER, Holder, Snapshot
from .context_note import say_left_open
from .direct import cached_has_grants
from .filter_validity import TRIED_INSTANTS
from .filtering import with_validity
from .searchers import searcher_of, undeclared

MOST_ENCODED: Final = 16
"""The responses that a filter keeps as JSON."""

MOST_BODIES: Final = 4_096
"""The bodies whose filters a snapshot keeps."""

LONGEST_BODY: Final = 1_024
LONGEST_ANSWER: Final = 4_096
"""The most bytes of a body that is kept, and of its answer."""


Decided: TypeAlias = tuple[str, str | None, Attributes, str, str, Attributes, Attributes]
"""A search with decided gates: the subject's type, id and attributes, the resource's type, the action with its
properties, and the context.
"""


class CachedFilter(Struct, frozen=True):
    """A filter for a subject, and whether the subject has direct grants. If gates are decided, it has an end."""

    filter: Filter
    has_direct: bool
    is_decided: bool
    left_open: tuple[str, ...] = ()
    """The attributes that the request did not send, and on which the rules depend (S6)."""
    lasts: bool = False
    """True if the same search has this filter at every instant, as long as the revision is in force."""
    until: float = FOREVER
    """The instant until which a filter with decided gates is valid, in epoch seconds (F7)."""

    def response(self) -> dict[str, Any]:
        """Returns the filter response (contract 2.6), which the caller may change."""
        response = answer(self.filter, self.has_direct)
        say_left_open(response["context"], self.left_open)
        return with_validity(response, shown_instant(self.until)) if self.is_decided else response

    def encoded(self) -> bytes:
        """Returns the response as JSON. PERF: the filter keeps it."""
        kept, key = self.filter.encoded, (self.has_direct, self.is_decided, self.left_open, self.until)
        found = kept.get(key)
        if found is None:
            if len(kept) >= MOST_ENCODED:
                kept.clear()
            found = kept[key] = msgspec.json.encode(self.response())
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
    name, a, sent = action.name, action.properties, search.context or NO_ATTRIBUTES
    return _cached(snapshot, holder, type, id, s, search.resource_type, name, a, sent, context is not None, now)


def filter_json(
    snapshot: Snapshot, body: bytes, read: Callable[[bytes], PlainSearch | None], now: float
) -> bytes | None:
    """Returns the JSON of the filter response to a body, or None if it is no plain search, or no filter is cached.

    PERF: an application asks with the same body for the same list. What lasts is found by the body alone. `read` has
    the limits of a body, so it is a part of the key.
    """
    if snapshot.is_strict:  # each request is checked (E8)
        return None
    key, answers = (read, body), snapshot.filter_answers
    encoded = answers.get(key)
    if encoded is not None:
        return encoded
    asked = read(body)
    found = None if asked is None else plain_filter(snapshot, asked, now)
    if found is None:
        return None
    encoded = found.encoded()
    if found.lasts and len(body) <= LONGEST_BODY and len(encoded) <= LONGEST_ANSWER:
        if len(answers) >= MOST_BODIES:
            answers.clear()
        answers[key] = encoded
    return encoded


def plain_filter(snapshot: Snapshot, asked: PlainSearch, now: float) -> CachedFilter | None:
    """Returns the same as `cached_filter`, or None for what is undeclared."""
    subject, action, is_decided = asked.subject, asked.action, asked.options.gates == DECIDE
    holder = holder_of(snapshot, subject.type, subject.id, now)
    s, a, c = subject.properties or NO_ATTRIBUTES, action.properties or NO_ATTRIBUTES, asked.context or NO_ATTRIBUTES
    type, id, resource_type = subject.type, subject.id, asked.resource.type
    return _cached(snapshot, holder, type, id, s, resource_type, action.name, a, c, is_decided, now)


def _cached(
    snapshot: Snapshot,
    holder: Holder,
    type: str,
    id: str | None,
    s: Attributes,
    resource_type: str,
    action: str,
    a: Attributes,
    sent: Attributes,
    is_decided: bool,
    now: float,
) -> CachedFilter | None:
    """Returns the filter of a holder. The context that was `sent` decides the gates if it `is_decided`.

    PERF: arguments stay flat, as in `decide`.
    """
    derived = snapshot.rules.cached_derived(holder.roles, resource_type, action, is_decided)
    if derived is None:
        return None
    partial = derived.partial
    found = derived.filters.get(partial.outcome(type, id, s, holder, a, sent if is_decided else NO_ATTRIBUTES, now))
    until: float | None = FOREVER
    if is_decided and found is not None and (partial.windows or partial.of_subject or holder.until != FOREVER):
        until = _until(snapshot, found, partial, holder, (type, id, s, resource_type, action, a, sent))
    if found is None or until is None:
        return None  # it has to be derived, or how long it is valid has to be found
    has_direct: bool | None = False
    if holder.grants:
        number = snapshot.rules.types[resource_type].number
        has_direct = cached_has_grants(snapshot, holder, number, action, now)
    if has_direct is None:
        return None
    asked = type, id, s, None, NO_ATTRIBUTES, a, sent, holder, now
    left_open = partial.reads.left_open(asked, RESOURCES, has_direct) or ()
    lasts = holder.plain and not (is_decided or partial.reads_instant)  # gates may read the clock
    return CachedFilter(found, has_direct, is_decided, left_open, lasts, until)


def _until(snapshot: Snapshot, first: Filter, partial: Partial, holder: Holder, asked: Decided) -> float | None:
    """Returns what `valid_until` does, or None if that takes longer.

    PERF: it looks at the roles of a subject alone, if nothing else reads the clock, and as long as later filters are
    cached too.
    """
    type, id, s, resource_type, action, a, sent = asked
    reads_clock, at = sent.get("time") is None, FOREVER
    for _ in range(TRIED_INSTANTS):
        if reads_clock and (partial.windows or partial.of_subject):
            return None
        if holder.until == FOREVER or id is None:
            return FOREVER
        at, holder = holder.until, snapshot.holder_after(type, id, holder)
        derived = snapshot.rules.cached_derived(holder.roles, resource_type, action, True)
        if derived is None:
            return None
        partial = derived.partial
        later = derived.filters.get(partial.outcome(type, id, s, holder, a, sent, at))
        if later is None:
            return None
        if later is not first and later.tree != first.tree:
            break
    return at
