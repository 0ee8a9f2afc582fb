"""The table of a run: microseconds, and how many times as long as Writ the others take."""

from collections.abc import Sequence

from tests.bench.rounds import Row

BY_SIZE = "{:>10} {:>8} {:>9}"
HOT, DISTINCT, ON_FIRST_TYPES = "hot", "distinct", "on the first types"
DECIDE, ALLOWED = "writ decide", "writ allowed"


def show(rows: Sequence[Row]) -> str:
    """The table as text, one column group for each number of policies."""
    sizes = list(dict.fromkeys(row.policies for row in rows))
    found = {(row.asked, row.engine, row.policies): row.microseconds for row in rows}
    lines = [
        f"{'requests':24} {'engine':28}" + "".join(f" |{f'{size:,} policies':>29}" for size in sizes),
        f"{'':24} {'':28}" + " |".join(["", *(BY_SIZE.format("µs", "/decide", "/allowed") for _ in sizes)]),
    ]
    before = ""
    for asked, engine in dict.fromkeys((row.asked, row.engine) for row in rows):
        cells = (_cells(found, asked, engine, size) for size in sizes)
        lines.append(f"{asked if asked != before else '':24} {engine:28}" + " |".join(["", *cells]))
        before = asked
    if len(sizes) > 1:
        lines += ["", *_growth(found, sizes[0], sizes[-1])]
    return "\n".join(lines)


def _cells(found: dict[tuple[str, str, int], float], asked: str, engine: str, size: int) -> str:
    time = found.get((asked, engine, size))
    if time is None:
        return BY_SIZE.format("-", "", "")
    if engine in (DECIDE, ALLOWED):
        return BY_SIZE.format(f"{time:,.2f}", "", "")
    ratios = (f"{time / found[asked, writ, size]:,.1f}" for writ in (DECIDE, ALLOWED))
    return BY_SIZE.format(f"{time:,.2f}", *ratios)


def _growth(found: dict[tuple[str, str, int], float], small: int, large: int) -> list[str]:
    return [
        f"{asked}, {engine}: {large:,} policies take {found[asked, engine, large] / found[asked, engine, small]:.2f} "
        f"times as long as {small:,}"
        for asked in (HOT, ON_FIRST_TYPES, DISTINCT)
        for engine in (DECIDE, ALLOWED)
    ]
