"""Section tables: each section has one name and one place, and there is nothing between or behind them."""

import pytest
from writ.bundles.errors import BundleError
from writ.bundles.file.header import Extent, decode_header, encode_header, header_size

START = header_size(2)


def file_of(size: int, **sections: Extent) -> bytes:
    """A file with a right header over such a table, zeros behind it."""
    return encode_header(sections, size).ljust(size, b"\0")


def test_sections_come_back():
    table = {"one": Extent(START, 3, 7), "two": Extent(START + 8, 0, 9)}
    assert decode_header(file_of(START + 8, **table), START + 8) == table


@pytest.mark.parametrize(
    ("one", "two", "size"),
    [
        (Extent(START, 16, 0), Extent(START + 8, 8, 0), START + 16),
        (Extent(START, 8, 0), Extent(START, 8, 0), START + 8),
        (Extent(START + 8, 8, 0), Extent(START, 8, 0), START + 16),
        (Extent(START, 8, 0), Extent(START + 16, 8, 0), START + 24),
        (Extent(START, 4, 0), Extent(START + 4, 4, 0), START + 8),
        (Extent(0, 8, 0), Extent(START, 8, 0), START + 8),
        (Extent(START, 8, 0), Extent(START + 8, 9, 0), START + 16),
        (Extent(START, 8, 0), Extent(START + 8, 2**64 - 8, 0), START + 16),
        (Extent(START, 8, 0), Extent(START + 8, 8, 0), START + 17),
    ],
)
def test_sections_that_overlap_stand_apart_or_end_elsewhere_are_refused(one, two, size):
    with pytest.raises(BundleError, match="damaged"):
        decode_header(file_of(size, one=one, two=two), size)


def test_two_sections_of_one_name_are_refused():
    """What is checked must be what is read."""
    content = file_of(START + 8, aaa=Extent(START, 8, 0), bbb=Extent(START + 8, 0, 0))
    twice = encode_header(_Twice(), START + 8) + content[START:]
    with pytest.raises(BundleError, match="two sections `aaa`"):
        decode_header(twice, START + 8)


class _Twice(dict):
    """A table that lists one name twice."""

    def __len__(self):
        return 2

    def items(self):
        return [("aaa", Extent(START, 8, 0)), ("aaa", Extent(START + 8, 0, 0))]


@pytest.mark.parametrize("name", ["", "\x1b[2J", "a\0b", "a b", "A"])
def test_a_section_without_a_plain_name_is_refused(name):
    """A name is printed."""
    with pytest.raises(BundleError, match="has no name"):
        decode_header(file_of(START, **{name: Extent(START, 0, 0), "two": Extent(START, 0, 0)}), START)


def test_bytes_between_sections_are_zero():
    content = bytearray(file_of(START + 8, one=Extent(START, 3, 0), two=Extent(START + 8, 0, 0)))
    content[START + 5] = 1
    with pytest.raises(BundleError, match="not in its place"):
        decode_header(bytes(content), START + 8)


def test_every_byte_of_the_header_counts():
    content = file_of(START + 8, one=Extent(START, 8, 0), two=Extent(START + 8, 0, 0))
    for place in range(START):
        changed = bytearray(content)
        changed[place] ^= 1
        with pytest.raises(BundleError):
            decode_header(bytes(changed), len(changed))
