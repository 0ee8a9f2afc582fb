"""The agreement of the servers on one database about their keys: each accepts what any other one signs.

Two rules keep it, for each kind of key. A server has the key that each other server signs with. It signs with a key
that each other server has. A key is replaced in steps that keep both: first every server gets the new key as one that
verifies, then each signs with it, then the old one goes.

The administrator's key signs nothing. One that the operator chose may differ while the servers restart one by one. So
may a public URL. Tokens of one server get 401 from another one then, and clients ask for new ones.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from ....bundles.wording import in_backticks
from ...store.database.postgresql.shared_keys import OtherServer, SharedKeys
from ..admin_key import UnusableKey
from .held_keys import ADMIN_KEYS, PUBLIC_URLS, HeldKeys
from .signing_keys import UnusableSigningKey

RENEW_SECONDS: Final = 20.0
"""Seconds between two registrations. `LIVE_SECONDS` has room for a few that fail."""


class Disagreement(NamedTuple):
    """A key that two servers don't share, as a sentence without a full stop. `refuses`: this server must not start."""

    sentence: str
    refuses: bool = True


@dataclass(frozen=True, slots=True)
class KeyAgreement:
    """The part of one server. `name` is that of the server in messages of others. `held` returns its keys now."""

    shared: SharedKeys
    name: str
    held: Callable[[], Iterable[HeldKeys]]

    def join(self, warn: Callable[[str], None]) -> None:
        """Register the keys of a server that starts. Tells `warn` of what differs and may.

        Raises:
            UnusableKey: this server and another one would refuse what the other one signs.
            StoreUnavailable: the database can't be written.
        """
        held = list(self.held())

        def judge(others: Sequence[OtherServer]) -> None:
            for found in disagreements(held, others):
                if found.refuses:
                    raise UnusableKey(found.sentence)
                warn(found.sentence)

        self._register(held, judge)

    def renew(self) -> None:
        """Register the keys again, as they are now.

        Raises:
            UnusableSigningKey: keys differ since the start. They are registered all the same.
            StoreUnavailable: the database can't be written.
        """
        held = list(self.held())
        found = list(disagreements(held, self._register(held)))
        if found:
            raise UnusableSigningKey("; ".join(one.sentence for one in found))

    def leave(self) -> None:
        """Tell the others that this server has ended. Raises StoreUnavailable."""
        self.shared.leave()

    def _register(
        self, held: Iterable[HeldKeys], judge: Callable[[Sequence[OtherServer]], None] = lambda _: None
    ) -> Sequence[OtherServer]:
        return self.shared.register(self.name, [key for keys in held for key in keys.registered()], judge)


def disagreements(held: Iterable[HeldKeys], others: Sequence[OtherServer]) -> Iterator[Disagreement]:
    """Yields what a server and each other one don't share.

    A server that has ended counts for keys that this one made itself: its signatures are in use still, and this server
    would be the only one with such a key. Supplied keys may replace those of ended servers. So may any public URL.
    """
    for keys in held:
        for other in others:
            if other.is_live or not (keys.given or keys.kind is PUBLIC_URLS):
                yield from _between(keys, other)


def _between(own: HeldKeys, other: OtherServer) -> Iterator[Disagreement]:
    kind = own.kind
    theirs = {key.id: key.signs for key in other.keys if key.kind == kind.name}
    lacked = [id for id, signs in theirs.items() if signs and id not in own.ids]
    unknown = own.signing if theirs and own.signing not in theirs and other.is_live else None
    if not (lacked or unknown):
        return
    server = f"the server {in_backticks(other.name)} on the same database"
    if kind is PUBLIC_URLS:
        yield Disagreement(
            f"this server issues tokens as {in_backticks(str(own.signing))}, and {server} as"
            f" {in_backticks(lacked[0])}, so each refuses those of the other one; give every server the same"
            f" `{kind.variable}`",
            refuses=not own.given,
        )
    elif not own.given:
        yield Disagreement(
            f"this server made its own {kind.words}, and {server} has another one;"
            f" give every server the same `{kind.variable}`"
        )
    elif kind is ADMIN_KEYS:
        said = f"{server} has another {kind.words}, and refuses that of this one"
        yield Disagreement(f"{said}; start it with the same `{kind.variable}`", refuses=False)
    elif lacked:
        yield Disagreement(
            f"{server} has the {kind.words} {in_backticks(lacked[0])} in use, and this server"
            f" lacks it; add it to `{kind.variable}` after the first key, or stop that server"
        )
    else:
        yield Disagreement(
            f"{server} lacks the {kind.words} `{unknown}`, which this server would"
            f" use; add it to `{kind.variable}` of every server after the first key, before one server has it first"
        )
