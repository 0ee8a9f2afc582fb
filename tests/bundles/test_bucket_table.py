"""Bucket tables give back what was written, exact keys only, whatever is done to the hash or to the bytes."""

import mmap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bundles import bucket_table
from bundles.bucket_table import BucketTable, Entry, write_table
from bundles.errors import BundleError
from bundles.file_format import Section, decode_header
from bundles.section_writer import SectionWriter

ENTRIES = st.dictionaries(st.binary(max_size=12), st.binary(max_size=20), max_size=60)


def written(entries: list[Entry], path: Path) -> tuple[mmap.mmap, Section]:
    with path.open("w+b") as file:
        out = SectionWriter(file, 1)
        with out.section("table"):
            write_table(out, entries)
        out.finish()
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return data, decode_header(bytes(data), len(data))["table"]


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


def test_keys_that_collide_under_one_salt_take_another_salt(tmp_path):
    mask = 127
    keys = [b"%d" % n for n in range(40_000)]
    hasher = bucket_table.hasher_of(0)
    colliding = [key for key in keys if bucket_table.bucket_of(key, hasher, mask) == 5][:200]
    assert len(colliding) == 200
    data, section = written([(key, b"v") for key in colliding], tmp_path / "table")
    table = BucketTable(data, "table", section)
    assert table.salt != 0
    assert all(table.get(key) == b"v" for key in colliding)


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
        table = BucketTable(_mapped(bytes(damaged)), "table", section)
        for key, value in entries.items():
            assert looked_up(table, key) in (value, BundleError)


def test_an_empty_bucket_can_not_take_the_place_of_a_full_one(tmp_path):
    """A directory that skips a bucket would hide a fact, and a hidden role of a DENY would allow."""
    entries = [(b"key%d" % n, b"value") for n in range(8)]
    data, section = written(entries, tmp_path / "table")
    damaged = bytearray(data)
    for bucket in range(4):
        place = section.offset + 24 + 8 * bucket
        damaged[place : place + 8] = damaged[place + 8 : place + 16]
    table = BucketTable(_mapped(bytes(damaged)), "table", section)
    for key, _ in entries:
        with pytest.raises(BundleError):
            table.get(key)


def test_a_changed_salt_or_number_of_buckets_is_noticed(tmp_path):
    """Either would send every look-up to a wrong bucket, where the fact is rightly missing."""
    entries = [(b"key%d" % n, b"value") for n in range(9)]
    data, section = written(entries, tmp_path / "table")
    for place in (section.offset, section.offset + 8):
        damaged = bytearray(data)
        damaged[place] = 2
        table = BucketTable(_mapped(bytes(damaged)), "table", section)
        assert BundleError in {looked_up(table, key) for key, _ in entries}


def looked_up(table: BucketTable, key: bytes) -> object:
    """The value of a key, or the kind of error that stands in its way."""
    try:
        return table.get(key)
    except BundleError:
        return BundleError


def _mapped(content: bytes) -> mmap.mmap:
    data = mmap.mmap(-1, len(content))
    data.write(content)
    return data
