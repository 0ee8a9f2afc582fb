"""`--fail-on`: which changes of who may do what make `writ diff` end with exit code 1."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import click

from ....bundles.wording import quoted
from ....compiler.analysis.models.sides import Side
from ....compiler.analysis.regions import People, Region

_WORDS: Final[dict[str, Callable[[People], bool]]] = {
    "widened": lambda found: bool(found.gains or found.unknown),
    "narrowed": lambda found: bool(found.loses or found.unknown),
    "any": lambda found: bool(found.gains or found.loses or found.unknown),
}


class FailOn(click.ParamType[tuple[str, str]]):
    """A word of `--fail-on`, as (kind, name). The name is empty unless the kind has one."""

    name = "condition"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Returns the parts of a word. Ends the command with exit code 2 for another one."""
        if isinstance(value, tuple):
            return value
        kind, colon, name = str(value).partition(":")
        if not ((not colon and kind in _WORDS) or (name and kind in ("people", "action"))):
            self.fail("expected `widened`, `narrowed`, `any`, `people:GROUP` or `action:NAME`", param, ctx)
        return kind, name


def must_fail(conditions: Iterable[tuple[str, str]], found: People, sides: tuple[Side, Side]) -> bool:
    """Returns whether one of the conditions is true of an analysis.

    Raises click.UsageError for a group or an action that neither model has, because such a condition is a slip of the
    pen that would never be true.
    """
    true = [_is_true(kind, name, found, sides) for kind, name in conditions]  # all of them, to check each name
    return any(true)


def _is_true(kind: str, name: str, found: People, sides: tuple[Side, Side]) -> bool:
    if kind in _WORDS:
        return _WORDS[kind](found)
    regions = [*found.gains, *found.loses]
    if kind == "action":
        if not any(name in type.action_set for side in sides for type in side.types.values()):
            raise click.UsageError(f"neither model has an action {quoted(name)}")
        unknown = any(one.pair[1] == name for one in found.unknown)
        return unknown or any(region.pair[1] == name for region in regions)
    if not any(name in side.facts.groups for side in sides):
        raise click.UsageError(f"neither model has a group {quoted(name)}")
    return bool(found.unknown) or any(_has_member(region, name) for region in regions)


def _has_member(region: Region, group: str) -> bool:
    """Returns whether a subject of a region is a member of a group, at any depth, in one of the models."""
    return any(group in standing.groups for one in region.subjects for standing in one.standings)
