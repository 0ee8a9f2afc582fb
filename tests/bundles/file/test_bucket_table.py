"""Bucket tables give back what was written, exact keys only, whatever is done to the hash or to the bytes."""

import mmap
import struct
import zlib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.bundles.errors import BundleError
from writ.bundles.file import bucket_table
from writ.bundles.file.bucket_table import BucketTable, Entry, encode_table
from writ.bundles.file.header import Extent

ENTRIES = st.dictionaries(st.binary(max_size=12), st.binary(max_size=20), max_size=60)
BEFORE = 80


def written(entries: list[Entry], path: Path) -> tuple[mmap.mmap, Extent]:
    """A file with a table behind some other bytes."""
    content = b"".join(encode_table(entries))
    path.write_bytes(bytes(BEFORE) + content)
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return data, Extent(BEFORE, len(content), zlib.crc32(content))


@given(entries=ENTRIES, others=st.lists(st.binary(max_size=12)))
def test_every_key_and_no_other_is_found(entries, others, tmp_path_factory):
    data, section = written(list(entries.items()), tmp_path_factory.mktemp("t") / "table")
    table = BucketTable(data, "table", section)
    assert {key: table.get(key) for key in entries} == entries
    assert all(table.get(key) is None for key in others if key not in entries)
    assert dict(table.items()) == entries


@given(entries=ENTRIES, order=st.randoms())
def test_the_order_of_entries_does_not_change_the_bytes(entries, order, tmp_path_factory):
    folder = tmp_path_factory.mktemp("t")
    shuffled = list(entries.items())
    order.shuffle(shuffled)
    first, _ = written(list(entries.items()), folder / "first")
    second, _ = written(shuffled, folder / "second")
    assert bytes(first) == bytes(second)


def test_a_salt_that_leaves_a_bucket_too_large_is_passed_over(tmp_path, monkeypatch):
    entries = [(b"%d" % number, b"v") for number in range(60)]
    data, section = written(entries, tmp_path / "usual")
    usual = BucketTable(data, "table", section)
    largest = max(_bucket_sizes(usual, [key for key, _ in entries]))
    monkeypatch.setattr(bucket_table, "MAX_BUCKET_ENTRIES", largest - 1)
    data, section = written(entries, tmp_path / "other")
    other = BucketTable(data, "table", section)
    assert other.salt != usual.salt
    assert max(_bucket_sizes(other, [key for key, _ in entries])) < largest
    assert dict(other.items()) == dict(entries)


def _salt(entries: list[Entry], folder: Path) -> int:
    data, section = written(entries, folder / "table")
    return BucketTable(data, "table", section).salt


def _bucket_sizes(table: BucketTable, keys: list[bytes]) -> list[int]:
    hasher, mask = bucket_table.hasher_of(table.salt), 31
    return list(Counter(bucket_table.bucket_of(key, hasher, mask) for key in keys).values())


def test_the_salt_hangs_on_every_key_and_on_nothing_else(tmp_path):
    """Who knows some of the keys can't prepare others that collide; the same model still gives the same bytes."""
    entries = [(b"key%d" % number, b"value") for number in range(20)]
    more = [[], [(b"other", b"value")], [(b"x", b"v"), (b"xy", b"v")], [(b"xx", b"v"), (b"y", b"v")]]
    salts = {_salt(entries + added, tmp_path) for added in more}
    assert len(salts) == 4
    assert min(salts) > bucket_table.MAX_SALTS
    assert _salt([(key, b"another") for key, _ in entries[::-1]], tmp_path) == _salt(entries, tmp_path)


def test_a_hash_collision_is_no_match(tmp_path, monkeypatch):
    monkeypatch.setattr(bucket_table, "_number", lambda *_: 0)
    data, section = written([(b"alice", b"1"), (b"bob", b"2")], tmp_path / "table")
    table = BucketTable(data, "table", section)
    assert (table.get(b"alice"), table.get(b"bob"), table.get(b"carol")) == (b"1", b"2", None)


def test_a_key_given_twice_is_refused(tmp_path):
    with pytest.raises(ValueError, match="twice"):
        written([(b"a", b"1"), (b"a", b"2")], tmp_path / "table")


def test_a_changed_byte_is_noticed_before_anything_is_answered(tmp_path):
    """Every byte behind the head of the table: directory, checksums, sizes, keys and values."""
    entries = {b"key%d" % n: b"value%d" % n for n in range(9)}
    data, section = written(list(entries.items()), tmp_path / "table")
    original = bytes(data)
    for place in range(section.offset + 24, section.offset + section.size):
        damaged = bytearray(original)
        damaged[place] ^= 0x41
        for key, value in entries.items():
            assert looked_up(damaged, section, key) in (value, BundleError)


def test_an_empty_bucket_can_not_take_the_place_of_a_full_one(tmp_path):
    """A directory that skips a bucket would hide a fact, and a hidden role of a DENY would allow."""
    entries = [(b"key%d" % n, b"value") for n in range(8)]
    data, section = written(entries, tmp_path / "table")
    damaged = bytearray(data)
    for bucket in range(4):
        place = section.offset + 24 + 8 * bucket
        damaged[place : place + 8] = damaged[place + 8 : place + 16]
    for key, _ in entries:
        assert looked_up(damaged, section, key) is BundleError


def test_a_changed_salt_or_number_of_buckets_is_noticed(tmp_path):
    """Either would send every look-up to a wrong bucket, where the fact is rightly missing."""
    entries = [(b"key%d" % n, b"value") for n in range(9)]
    data, section = written(entries, tmp_path / "table")
    for place in (section.offset, section.offset + 8):
        damaged = bytearray(data)
        damaged[place] = 2
        assert BundleError in {looked_up(damaged, section, key) for key, _ in entries}


def looked_up(content: bytearray, section: Extent, key: bytes) -> object:
    """The value of a key, or the kind of error that stands in its way."""
    try:
        return BucketTable(_mapped(bytes(content)), "table", section).get(key)
    except BundleError:
        return BundleError


def _mapped(content: bytes) -> mmap.mmap:
    data = mmap.mmap(-1, len(content))
    data.write(content)
    return data


def entry(key: bytes, value: bytes = b"v", key_size: int | None = None, value_size: int | None = None) -> bytes:
    """An entry, with the sizes that it is said to have."""
    sizes = (len(key) if key_size is None else key_size, len(value) if value_size is None else value_size)
    return struct.pack("<II", *sizes) + key + value


def sealed(body: bytes, salt: int = 0, entries: int = 1, offset: int = 40) -> BucketTable:
    """A table of one bucket with such a body, its checksum right."""
    checksum = zlib.crc32(body, zlib.crc32(struct.pack("<QQQ", salt, 1, 0)))
    content = struct.pack("<QQQQQI", salt, 1, entries, offset, 44 + len(body), checksum) + body
    return BucketTable(_mapped(content), "table", Extent(0, len(content), 0))


def test_a_sealed_table_is_read():
    """What the crafted ones below are changed from."""
    assert sealed(entry(b"a") + entry(b"b"), entries=2).get(b"b") == b"v"


@pytest.mark.parametrize(
    "body",
    [
        b"1234567",
        entry(b"a") + b"\0",
        entry(b"a", value_size=2),
        entry(b"a", key_size=2),
        entry(b"a", key_size=2**32 - 1, value_size=2**32 - 1),
        entry(b"a", b"1") + entry(b"a", b"2"),
        entry(b"b") + entry(b"a"),
        b"".join(entry(b"%03d" % number) for number in range(bucket_table.MAX_BUCKET_ENTRIES + 1)),
        bytes(8) * 1_000_000,
    ],
)
def test_a_crafted_bucket_is_an_error_before_anything_is_looked_for(body):
    """Entries beyond the end, a key twice, no order, or too many to walk at every look-up."""
    for key in (b"a", b"none"):
        with pytest.raises(BundleError):
            sealed(body).get(key)
    with pytest.raises(BundleError):
        list(sealed(body).items())


@pytest.mark.parametrize(
    "head",
    [
        b"",
        bytes(24),
        struct.pack("<QQQ", 0, 0, 0) + bytes(64),
        struct.pack("<QQQ", 0, 3, 0) + bytes(64),
        struct.pack("<QQQ", 0, 8, 0) + bytes(64),
        struct.pack("<QQQ", 0, 2**63, 0) + bytes(64),
        struct.pack("<QQQQQ", 0, 1, 0, 0, 44) + bytes(4),
        struct.pack("<QQQQQ", 0, 1, 0, 40, 43) + bytes(4),
        struct.pack("<QQQQQ", 0, 1, 0, 40, 2**64 - 1) + bytes(4),
    ],
)
def test_a_directory_for_which_there_is_no_room_is_an_error(head):
    """Nothing is read behind the section, though the file may go on there."""
    data = _mapped(head + bytes(1_000))
    with pytest.raises(BundleError):
        BucketTable(data, "table", Extent(0, len(head), 0))


def test_items_that_no_look_up_finds_are_an_error(tmp_path):
    with pytest.raises(BundleError, match="claims 2 entries and has 1"):
        list(sealed(entry(b"a"), entries=2).items())
    data, section = written([(b"key%d" % number, b"") for number in range(8)], tmp_path / "table")
    salt, buckets, _, low, high = struct.unpack_from("<QQQQQ", data, section.offset)
    hasher = bucket_table.hasher_of(salt)
    keys = (b"%0*d" % (high - low - 12, number) for number in range(1_000))
    stray = entry(next(key for key in keys if bucket_table.bucket_of(key, hasher, buckets - 1) != 0), b"")
    checksum = zlib.crc32(stray, zlib.crc32(struct.pack("<QQQ", salt, buckets, 0)))
    changed = bytearray(data)
    changed[section.offset + low : section.offset + high] = struct.pack("<I", checksum) + stray
    with pytest.raises(BundleError, match="wrong bucket"):
        list(BucketTable(_mapped(bytes(changed)), "table", section).items())
