"""The file of `WRIT_OIDC_ROLES`: which scope and which environments the groups of a provider give."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from ....bundles.prepared import prepared
from ....bundles.system_errors import reason_of
from ....bundles.wording import quoted
from ...settings.settings import BadSetting
from ...settings.sign_in_settings import ROLES
from ...store.environment_ids import is_environment_id
from ...store.sign_ins.sign_ins import Rights

MOST_BYTES: Final = 2**20
"""The bytes of the file."""

MOST_RULES: Final = 1_000
MOST_GROUPS: Final = 10_000
"""The groups of a token that count. A token with more has no rights."""

_Text = Annotated[str, Meta(min_length=1, max_length=512)]


class RoleRule(Struct, frozen=True, forbid_unknown_fields=True):
    """The rights of a group. `environments` are ids, or None for all environments."""

    group: _Text
    scope: Literal["read", "write", "admin"]
    environments: Annotated[tuple[str, ...], Meta(min_length=1, max_length=100)] | None = None


@prepared
class RoleRules(Struct, frozen=True, forbid_unknown_fields=True):
    """The rules in their order: the first whose group is in the token counts.

    `claim` is the claim of the ID token with the groups, or the path to it. `ask` says whom to ask for access.
    """

    rules: Annotated[tuple[RoleRule, ...], Meta(min_length=1, max_length=MOST_RULES)]
    ask: _Text
    claim: _Text | Annotated[tuple[_Text, ...], Meta(min_length=1, max_length=10)] = "groups"

    def rights(self, claims: Mapping[str, Any]) -> Rights | None:
        """Returns the rights that the claims of a token give, or None if no rule fits."""
        groups = self._groups(claims)
        found = next((rule for rule in self.rules if rule.group in groups), None)
        return None if found is None else Rights((found.scope,), found.environments)

    def _groups(self, claims: Mapping[str, Any]) -> frozenset[str]:
        value: Any = claims
        for name in (self.claim,) if isinstance(self.claim, str) else self.claim:
            value = value.get(name) if isinstance(value, Mapping) else None
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or len(listed) > MOST_GROUPS:
            return frozenset()
        return frozenset(one for one in listed if isinstance(one, str))


def read_role_rules(path: Path) -> RoleRules:
    """Returns the rules in a file. Raises BadSetting, with the place of the fault."""
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
    except OSError as ex:
        raise BadSetting(f"`{ROLES}`: {quoted(str(path))} can't be read: {reason_of(ex)}") from None
    if len(text) > MOST_BYTES:
        raise _bad(path, f"it has more than {MOST_BYTES} bytes")
    try:
        rules = msgspec.json.decode(text, type=RoleRules)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as ex:
        raise _bad(path, str(ex)) from None
    for fault in _faults(rules.rules):
        raise _bad(path, fault)
    return rules


def _faults(rules: Iterable[RoleRule]) -> Iterable[str]:
    seen: set[str] = set()
    for number, rule in enumerate(rules):
        if rule.group in seen:
            yield f"the group {quoted(rule.group)} has two rules, and the first counts - at `$.rules[{number}].group`"
        seen.add(rule.group)
        for id in rule.environments or ():
            if not is_environment_id(id):
                yield f"no environment can have the id {quoted(id)} - at `$.rules[{number}].environments`"


def _bad(path: Path, fault: str) -> BadSetting:
    return BadSetting(f"`{ROLES}`: {quoted(str(path))} is no file of rules: {fault[:1].lower()}{fault[1:]}")
