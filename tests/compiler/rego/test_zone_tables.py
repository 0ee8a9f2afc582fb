"""A table of a zone shows its offsets, for every zone and in every year."""

import random
from datetime import UTC, datetime
from typing import Any

import pytest
from writ.bundles.zones import decode_zone, zone_data, zone_names
from writ.compiler.rego.zone_tables import BLOCK_SECONDS, CYCLE_SECONDS, zone_table

from tests.support.strategies_instants import FIRST, LAST

DAY = 86_400
USUAL = ("UTC", "Europe/Oslo", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Etc/GMT+12")


def offset_in(table: dict[str, Any], second: int) -> int:
    """What the Rego reads in a table, in Python."""
    if second < table["start"]:
        return table["before"]
    if second >= table["end"]:
        if not table["repeats"]:
            return table["after"]
        second -= CYCLE_SECONDS * ((second - table["end"]) // CYCLE_SECONDS + 1)
    block = table["blocks"][second // BLOCK_SECONDS - table["start"] // BLOCK_SECONDS]
    return [offset for since, offset in block if since <= second][-1]


def instants(random_: random.Random, table: dict[str, Any]) -> list[int]:
    """Instants of all years, and those beside a change."""
    changes = [since for block in table["blocks"] for since, _ in block]
    near = [random_.choice(changes) + random_.choice((-1, 0, 1)) for _ in range(200 if changes else 0)]
    ends = [table[end] + beside for end in ("start", "end") for beside in (-1, 0, 1)]
    return [*near, *ends, *(random_.randint(FIRST + DAY, LAST - DAY) for _ in range(100))]


@pytest.mark.parametrize("name", [*USUAL, *random.Random(7).sample(sorted(zone_names()), 12)])
def test_a_table_has_the_offsets_of_its_zone(name):
    zone, table = decode_zone(name, zone_data(name)), zone_table(name, zone_data(name))
    for second in instants(random.Random(name), table):
        shown = datetime.fromtimestamp(second, UTC).astimezone(zone).utcoffset()
        assert offset_in(table, second) == shown.total_seconds(), datetime.fromtimestamp(second, UTC)


def test_a_block_has_few_changes():
    for name in USUAL:
        assert max((len(block) for block in zone_table(name, zone_data(name))["blocks"]), default=0) <= 12
