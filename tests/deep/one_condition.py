"""Models with many policies of one condition each, so that each kind of condition is met with many values."""

import ipaddress
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from writ.bundles.conditions.patterns import instructions_of
from writ.bundles.zones import zone_names
from writ.compiler.rego.go_patterns import difference

from tests.support.strategies_instants import FIRST, LAST
from tests.support.strategies_pick import Pick
from tests.support.strategies_references import OPS_OF_ELEMENTS

Document = dict[str, Any]

POLICIES = 24
QUESTIONS = 120
ZONES = tuple(sorted(zone_names()))
CHARACTERS = "abkKsS19 _-.\n\x00\u00e9\u212a\u017f\U0001f600\uffff"
PARTS = (
    *("a", "b", "k", "s", "1", " ", r"\.", r"\n", r"\x00", "\u00e9", "\U0001f600", r"\x{1F600}", r"\-", "]", "}"),
    *(".", "^", "$", r"\A", r"\z", r"\b", r"\B", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S"),
    *(
        "[ab]",
        "[^a]",
        "[a-k]",
        r"[\d_]",
        "[[:alpha:]]",
        "[[:^space:]]",
        "[]a]",
        "[^]a]",
        r"[\]\-]",
        "[a-]",
        "[\u00e9-\uffff]",
    ),
)
REPEATS = ("", "", "", "*", "+", "?", "*?", "+?", "{2}", "{1,}", "{0,2}", "{", "{,2}")
FLAGS = ("", "", "", "(?i)", "(?s)", "(?m)", "(?ms)", "(?-s)", "(?U)", "(?i-s)")
NUMBERS = (
    0,
    1,
    1.5,
    2**53,
    2**53 + 1,
    2.0**53,
    2**60,
    2.0**60,
    10**16,
    1e16,
    10**17 + 1,
    1e21,
    10**22,
    1e22,
    10**23,
    1e23,
    1e300,
    10**300,
    10**400,
    5e-324,
)


def condition_models(pick: Pick, *, has_elements: bool = False) -> tuple[Document, list[tuple[Document, float]]]:
    """A model, and questions that lean towards its conditions.

    `has_elements` adds comparisons of the elements of arrays, which the exported rules can't say (X6).
    """
    kinds = (_window, _pattern, _addresses, _number, *(_elements, _elements) * has_elements)
    policies = [_policy(pick, number, kinds) for number in range(POLICIES)]
    actions = [one["id"] for one in policies]
    model = {"model": 1, "resource_types": [{"id": "doc", "actions": actions}], "policies": policies}
    model |= {"extensions": ["arrays"]} if has_elements else {}
    return model, [_question(pick, pick.one(policies)) for _ in range(QUESTIONS)]


def _policy(pick: Pick, number: int, kinds: Sequence[Callable[[Pick], Document]]) -> Document:
    conditions = pick.one(kinds)(pick)
    id = f"p{number}"
    scope = {"resource_type_id": "doc", "actions": [id]}
    return {"id": id, "effect": pick.one(("ALLOW", "DENY")), "resource_types": [scope], "conditions": conditions}


def _question(pick: Pick, policy: Document) -> tuple[Document, float]:
    conditions = policy["conditions"]
    asked: Document = {
        "subject": {"type": "user", "id": "a"},
        "action": {"name": policy["id"]},
        "resource": {"type": "doc", "id": "d"},
    }
    now = float(pick.number(0, 4 * 10**9))
    if "time_window" in conditions:
        time = _time(pick)
        return (asked | {"context": {"time": time}}, now) if pick.chance(7, 8) else (asked, now)
    if "ip_allowlist" in conditions:
        return asked | {"context": {"ip": _address(pick, conditions["ip_allowlist"])}}, now
    condition = conditions["resource_attrs"][0]
    if condition["op"] in OPS_OF_ELEMENTS:
        return asked | {"resource": asked["resource"] | {"properties": {"k": _array(pick, condition["value"])}}}, now
    value = _text(pick) if condition["op"] == "regex" else _number_beside(pick, condition["value"])
    asked["resource"] |= {"properties": {"k": value}}
    asked["subject"] |= {"properties": {"k": _other_kind(value)}}  # a number that OPA takes for the same one, perhaps
    return asked, now


def _other_kind(value: Any) -> Any:
    """The integer of a real, or the real of an integer."""
    if isinstance(value, float):
        return int(value)
    return float(value) if isinstance(value, int) and abs(value) < 10**300 else value


def _window(pick: Pick) -> Document:
    start, end = pick.number(0, 47), pick.number(1, 48)
    hours = {"start": _clock(start), "end": _clock(end)} if start != end else {}
    days = {"days": pick.some(("mon", "tue", "wed", "thu", "fri", "sat", "sun"), 1, 6)}
    return {"time_window": {"timezone": pick.one(ZONES), **pick.one((hours or days, days, hours | days))}}


def _clock(half_hours: int) -> str:
    return f"{half_hours // 2:02}:{half_hours % 2 * 30:02}"


def _time(pick: Pick) -> Any:
    """An instant of any year, as a number or a text, most often in the time of recorded zones."""
    first, last = pick.one(
        ((FIRST, LAST), (FIRST, FIRST + 10**5), (LAST - 10**5, LAST), (-3 * 10**9, 5 * 10**9), (-3 * 10**9, 5 * 10**9))
    )
    second = pick.number(first, last)
    match pick.number(0, 3):
        case 0:
            return second
        case 1:
            return second + pick.one((0.0, 0.5, 0.25, 1e-6, -1e-9))
        case _:
            return datetime.fromtimestamp(second, UTC).isoformat()


def _pattern(pick: Pick) -> Document:
    pattern = pick.one(FLAGS) + "".join(_piece(pick, 2) for _ in range(pick.number(1, 3)))
    return {"resource_attrs": [{"key": "k", "op": "regex", "value": pattern if _is_accepted(pattern) else "a"}]}


def _piece(pick: Pick, depth: int) -> str:
    if depth and pick.chance(1, 4):
        inside = "".join(_piece(pick, depth - 1) for _ in range(pick.number(0, 2)))
        other = _piece(pick, depth - 1)
        piece = pick.one(
            (f"({inside}|{other})", f"(?:{inside})", f"(?i:{inside})", f"(?P<name>{inside})", f"({other})")
        )
    else:
        piece = pick.one(PARTS)
    return piece + pick.one(REPEATS)


def _is_accepted(pattern: str) -> bool:
    """Whether RE2 accepts a pattern, and OPA reads it alike."""
    try:
        instructions_of(pattern)
    except ValueError:
        return False
    return difference(pattern) is None


def _text(pick: Pick) -> str:
    return "".join(pick.one(CHARACTERS) for _ in range(pick.number(0, 6)))


def _addresses(pick: Pick) -> Document:
    return {"ip_allowlist": [_block(pick) for _ in range(pick.number(1, 3))]}


def _block(pick: Pick) -> str:
    number, bits = (pick.number(0, 2**32 - 1), 32) if pick.chance(1, 2) else (_large(pick), 128)
    length = pick.number(0, bits)
    kind = ipaddress.ip_network if bits == 32 else ipaddress.IPv6Network
    return str(kind((number >> (bits - length) << (bits - length), length)))


def _large(pick: Pick) -> int:
    return pick.one((0xFFFF << 32, 0, pick.number(0, 2**128 - 1))) | pick.number(0, 2**32 - 1)


def _address(pick: Pick, blocks: list[str]) -> str:
    """An address at a border of a block, or any other, written in one of many ways, perhaps a wrong one."""
    block = ipaddress.ip_network(pick.one(blocks))
    beside = int(pick.one((block.network_address, block.broadcast_address))) + pick.one((-1, 0, 0, 1))
    most = 2**block.max_prefixlen - 1
    address = type(block.network_address)(min(max(beside, 0), most))
    mapped = ipaddress.IPv6Address(0xFFFF << 32 | int(address)) if block.version == 4 else address
    text = pick.one((str(address), address.exploded, str(mapped), mapped.exploded.upper(), f"::ffff:{address}"))
    if pick.chance(1, 3):
        place = pick.number(0, len(text))
        text = (
            text[:place]
            + pick.one(("0", "00", ":", "::", ".", "1", "f", "g", "%", "/32", " ", ""))
            + text[place + pick.number(0, 2) :]
        )
    return text


def _number(pick: Pick) -> Document:
    op = pick.one(("eq", "ne", "gt", "gte", "lt", "lte", "in", "nin"))
    value: Any = _any_number(pick)
    condition = {"key": "k", "op": op, "value": [value, [value]] if op in ("in", "nin") else value}
    return {"resource_attrs": [condition], **pick.one(({}, {"subject_attrs": [condition]}))}


def _elements(pick: Pick) -> Document:
    op = pick.one(OPS_OF_ELEMENTS)
    several = [_element(pick) for _ in range(pick.one((0, 1, 1, 2, 3)))]
    return {"resource_attrs": [{"key": "k", "op": op, "value": _element(pick) if op == "has" else several}]}


def _element(pick: Pick) -> Any:
    number = _any_number(pick)
    return pick.one((number, number, str(number), [number], {"k": number}, True, False, "", "true", [], {}))


def _array(pick: Pick, constant: Any) -> Any:
    """An array with an element of the constant or one beside it, its elements wrapped once more, or no array."""
    wanted = constant if isinstance(constant, list) else [constant]
    some = [pick.one((one, _other_kind(one))) for one in wanted if pick.chance(1, 2)]
    others = [pick.one((_element(pick), None)) for _ in range(pick.number(0, 2))]
    found = pick.some([*some, *others], 0, len(some) + len(others))
    return pick.one((found, found, found, [found], {"k": found}, *wanted, None, "[]"))


def _any_number(pick: Pick) -> int | float:
    number = pick.one(NUMBERS)
    return -number if pick.chance(1, 3) else number


def _number_beside(pick: Pick, constant: Any) -> Any:
    number = constant[0] if isinstance(constant, list) else constant
    if pick.chance(1, 4):
        return _any_number(pick)
    if isinstance(number, int):
        other: Any = number + pick.one((-1, 0, 0, 1, 1023))
        return float(other) if abs(other) < 10**300 and pick.chance(1, 3) else other
    return pick.one((number, number * 1.0000000000000002, number - 1, int(number), [number], str(number)))
