"""Places in a text are the same however it is cut into chunks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.compiler import source
from writ.compiler.source import BadText, Source, SourcePosition, SourceText

TEXTS = st.text(st.sampled_from("aé€😀\n\r\t "), max_size=60)


@given(TEXTS, st.integers(4, 20), st.booleans())
def test_places_and_offsets(text, size, mark):
    data = (b"\xef\xbb\xbf" if mark else b"") + text.encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "CHUNK_BYTES", size)
        whole = SourceText(Source("x", data))
        assert "".join(whole.chunks()) == text
        for offset in range(len(text) + 1):
            before = text[:offset]
            place = SourcePosition(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)
            assert whole.place(offset) == place
            assert SourceText(Source("x", data)).offset_of(place) == offset
            assert whole.slice(offset, offset + 7) == text[offset : offset + 7]


@given(
    TEXTS, st.sampled_from([b"\xff", b"\x80", b"\xc3(", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80"]), st.integers(4, 20)
)
def test_a_bad_byte_is_found_at_its_place(text, bad, size):
    data = text.encode() + bad + text.encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "CHUNK_BYTES", size)
        broken = SourceText(Source("x", data))
        with pytest.raises(BadText) as raised:
            list(broken.chunks())
    assert raised.value.offset == len(text)
    assert broken.place(raised.value.offset).line == text.count("\n") + 1
    assert str(raised.value) == f"the byte 0x{bad[0]:02x} is not UTF-8"


def test_a_character_cut_off_at_the_end_is_bad():
    with pytest.raises(BadText):
        list(SourceText(Source("x", "aé".encode()[:-1])).chunks())
