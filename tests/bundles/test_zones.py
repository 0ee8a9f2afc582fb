"""A zone of a bundle is the zone it was made from, and data that is none ends in one error, whatever was done to it."""

import struct
from datetime import UTC, datetime
from io import BytesIO
from zoneinfo import ZoneInfo

import pytest
from writ.bundles.errors import BundleError
from writ.bundles.zones import decode_zone, zone_data, zone_names

ZONES = ["Europe/Oslo", "America/Goose_Bay", "Pacific/Apia", "Asia/Kolkata", "UTC"]
SECONDS = [
    int(datetime(year, month, 1, tzinfo=UTC).timestamp())
    for year in (1, 2, 1800, 1893, 1916, 1970, 2026, 2037, 2038, 5000, 9999)
    for month in (1, 7, 12)
]


def test_every_zone_shows_the_same_wall_clock_as_the_standard_library():
    for name in sorted(zone_names()):
        zone, expected = decode_zone(name, zone_data(name)), ZoneInfo.from_file(BytesIO(zone_data(name)), key=name)
        for seconds in SECONDS[2:-1]:
            shown, wanted = datetime.fromtimestamp(seconds, zone), datetime.fromtimestamp(seconds, expected)
            assert (shown.isoformat(), shown.fold) == (wanted.isoformat(), wanted.fold), name


@pytest.mark.parametrize("name", ZONES)
def test_a_cut_zone_is_an_error_wherever_it_is_cut(name):
    """The standard library's reader waits for ever for the end of the last line."""
    data = zone_data(name)
    for size in range(len(data)):
        with pytest.raises(BundleError):
            decode_zone(name, data[:size])


@pytest.mark.parametrize("name", ZONES)
@pytest.mark.parametrize("flip", [0x01, 0x55, 0x80])
def test_a_zone_with_a_flipped_byte_is_an_error_or_a_zone(name, flip):
    """A zone that comes out answers for every instant, or says that it is beyond the calendar, as `within` expects."""
    data = zone_data(name)
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= flip
        try:
            zone = decode_zone(name, bytes(changed))
        except BundleError:
            continue
        for seconds in SECONDS:
            try:
                local = datetime.fromtimestamp(seconds, zone)
            except (OverflowError, ValueError):
                assert seconds in (*SECONDS[:6], *SECONDS[-3:])
                continue
            assert zone.utcoffset(local.replace(tzinfo=None)) is not None
            assert zone.utcoffset(local.replace(tzinfo=None, fold=1)) is not None


def tzif(times=(0,), kinds=(0,), types=((3600, 0, 0),), names=b"A\0", footer=b"\n\n", **counts: int) -> bytes:
    """A TZif file of such parts; `counts` are announced in the place of the true ones."""
    announced = {"timecnt": len(times), "typecnt": len(types), "charcnt": len(names)} | counts
    order = ("isutcnt", "isstdcnt", "leapcnt", "timecnt", "typecnt", "charcnt")
    head = struct.Struct(">4sc15x6L")
    block = struct.pack(f">{len(times)}q", *times) + bytes(kinds) + b"".join(struct.pack(">lBB", *one) for one in types)
    return (
        head.pack(b"TZif", b"2", 0, 0, 0, 0, 0, 0)
        + head.pack(b"TZif", b"2", *(announced.get(name, 0) for name in order))
        + block
        + names
        + footer
    )


def test_a_made_file_is_a_zone():
    assert decode_zone("made", tzif()).utcoffset(datetime(2026, 1, 1)).total_seconds() == 3600


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"TZif",
        tzif(kinds=(1,)),
        tzif(times=(0, 1, 2), kinds=(255, 255, 255)),
        tzif(types=(), kinds=()),
        tzif(times=(), kinds=(), types=()),
        tzif(types=((3600, 0, 2),)),
        tzif(types=((86_400, 0, 0),)),
        tzif(types=((-(2**31), 0, 0),)),
        tzif(times=(1, 0), kinds=(0, 0)),
        tzif(times=(0, 0), kinds=(0, 0)),
        tzif(times=(-(2**63),)),
        tzif(times=(2**63 - 1,)),
        tzif(typecnt=2),
        tzif(timecnt=2**32 - 1),
        tzif(charcnt=2**31),
        tzif(leapcnt=2**32 - 1),
        tzif(isutcnt=1),
        tzif(footer=b""),
        tzif(footer=b"\n"),
        tzif(footer=b"\nCET-1"),
        tzif(footer=b"\nCET-1CEST\n"),
        tzif(footer=b"\nCET-1\n\n"),
        tzif(footer=b"\nCET\0-1\n"),
        tzif(footer=b"\n" + b"A" * 10_000 + b"0\n"),
        tzif(footer=b"\nAAA99999999999999999999\n"),
        tzif(footer=b"\nAAA0BBB,M13.1.0,M1.1.0\n"),
        tzif(names=b"A\0" * 50_000),
        tzif().replace(b"TZif2", b"TZif1"),
        tzif().replace(b"TZif2", b"TZifx"),
    ],
)
def test_a_crafted_zone_is_an_error(data):
    """Each would make the standard library's reader loop, read foreign memory, or raise what nobody expects."""
    with pytest.raises(BundleError, match="zone `made` can't be read"):
        decode_zone("made", data)


def test_a_zone_that_ends_in_summer_time_reads_nothing_behind_its_last_transition():
    """Two summer times at the end: the standard library looks at a transition after them that there is none of."""
    data = tzif(times=(0, 10), kinds=(1, 0), types=((7200, 1, 0), (7200, 1, 0), (3600, 0, 0)))
    zone = decode_zone("made", data)
    assert zone.utcoffset(datetime(2026, 1, 1)).total_seconds() == 7200
