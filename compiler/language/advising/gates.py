"""Advice about days, times and addresses: which days are meant, and what no gate asks."""

import re
from typing import Final

from ....bundles.conditions.windows import DAYS
from ....bundles.wording import quoted
from ..fault_place import FaultPlace

_WORKING = re.compile(r"(?:on )?(?:all |every )?(?:working|work|business|week|office) ?days?\b", re.IGNORECASE)
_EXCEPTED = re.compile(
    r"(?:on )?(?:(?:all|every|any|each) ?days? |(?P<run>[a-z]{3,9} to [a-z]{3,9}) )?"
    r"(?:not(?: on)?|except(?: on| for)?|but(?: not)?(?: on)?|excluding|without|unless on)"
    r" (?P<days>[a-z]{3,9}(?:(?: ?, ?| and | or )[a-z]{3,9})*)",
    re.IGNORECASE,
)
_BLOCK: Final = r"(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9a-fA-F]*:[0-9a-fA-F]*:[0-9a-fA-F:]*)(?:/[0-9]+)?"
_MOMENT: Final = r"([0-9]{1,2}:[0-9]{2}(?![0-9:])|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9:]+)?)"
_START = re.compile(
    rf"(?:(?:not|never) (?:before|until)|(?<!not )(?<!never )(?:after|since|starting))(?: at)? {_MOMENT}", re.IGNORECASE
)
_END = re.compile(
    rf"(?:(?:not|never) after|(?<!not )(?<!never )(?:before|till|ending))(?: at)? {_MOMENT}", re.IGNORECASE
)
_HOURS_OUTSIDE = re.compile(
    rf"(?:not|never|outside|except|unless|excluding)(?: of)?(?: from| between)? {_MOMENT} (?:until|to|and|-) {_MOMENT}",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"(?:at most |max(?:imum)?(?: of)? |not more than |no more than |up to |limit(?: of)? )?(\d+|once|twice)"
    r"(?: times| requests| calls|x)? ?(?:per|a|an|each|every|in an?|/) ?(second|minute|hour|day)\b",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"(?:max(?:imum)?(?: of)?|not more than|no more than|up to) (\d+) times in (\d+ \w+)", re.IGNORECASE
)
_OFTEN: Final = {"once": "1", "twice": "2"}
_OUTSIDE = re.compile(
    r"(?:from )?(?:(?:anywhere|everywhere|any address|all) )?"
    r"(?:not|except|outside|outside of|but|excluding|unless|without)"
    rf"(?: from| in| of| inside)? ({_BLOCK})",
    re.IGNORECASE,
)


def gates(place: FaultPlace) -> str:
    """Returns advice about the days or the addresses of a policy, or ""."""
    line = place.line()
    if place.statement != "policy" or place.found is None or place.compared()[0] in line.split():
        return ""
    if found := _HOURS_OUTSIDE.search(line):
        return f"write the hours that are meant, such as {quoted(f'from {found[2]} until {found[1]}')}"
    if found := _START.search(line):
        return f"write {quoted(f'from {found[1]}')}"
    if found := _END.search(line):
        return f"write {quoted(f'until {found[1]}')}"
    if found := _RATE.search(line):
        number = _OFTEN.get(found[1].lower(), found[1])
        return f"write {quoted(f'at most {number} times in 1 {found[2]}')}"
    if found := _TIMES.search(line):
        return f"write {quoted(f'at most {found[1]} times in {found[2]}')}"
    if "holiday" in line:
        return "no test knows holidays: let the application send one, such as `context.is_holiday`"
    if re.search(r"\bon (?:the |a )?weekends?\b", line):
        return "write `on sat, sun`"
    return _addresses(place, line) or _days(place, line)


def _addresses(place: FaultPlace, line: str) -> str:
    if found := _OUTSIDE.search(line):
        return _outside(place, found[1])
    found = re.search(_BLOCK, line)
    if found and place.word in ("ip", "address", "cidr", "addresses", "network"):
        return f"write {quoted(f'from {found[0]}')}"
    if found and place.word in ("to", "through"):
        return "write a block, such as `from 10.0.0.0/28`"
    return "write a comma between addresses" if found and place.word in ("and", "or") else ""


def _days(place: FaultPlace, line: str) -> str:
    if found := _WORKING.search(line):
        is_all = not line[found.end() :].lstrip().startswith(("and", ","))
        return "write `on mon to fri`" if is_all else "write `mon to fri`, and a comma between days"
    if found := _EXCEPTED.search(line):
        return _meant_days(found["run"], found["days"])
    if place.word in ("and", "or") and place.said(1)[:3] in DAYS:
        return "write a comma between days"
    return ""


def _outside(place: FaultPlace, block: str) -> str:
    no_test = "no test asks for an address outside of a block yet"
    if place.effect == "deny":
        return f"{no_test}: write {quoted(f'from {block}')} in each policy that allows, in the place of this one"
    return f"{no_test}: write a policy with `deny` and {quoted(f'from {block}')}"


def _meant_days(run: str | None, excepted: str) -> str:
    """Returns the days that are left of a run, or of a week."""
    left = _days_of(run) if run else list(DAYS)
    names = [word[:3] for word in re.split(r" ?, ?| and | or ", excepted)]
    if any(name not in DAYS for name in names):
        return ""
    days = [day for day in left if day not in names]
    return f"write the days that are meant: {quoted('on ' + _runs(days))}" if days else ""


def _days_of(run: str) -> list[str]:
    first, last = (word[:3] for word in run.lower().split(" to "))
    if first not in DAYS or last not in DAYS:
        return list(DAYS)
    start = DAYS.index(first)
    return [DAYS[(start + step) % 7] for step in range((DAYS.index(last) - start) % 7 + 1)]


def _runs(days: list[str]) -> str:
    """Returns days as text, with `to` for three or more that follow each other."""
    runs: list[list[str]] = []
    for day in days:
        if runs and (DAYS.index(runs[-1][-1]) + 1) % 7 == DAYS.index(day):
            runs[-1].append(day)
        else:
            runs.append([day])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(run) for run in runs)
