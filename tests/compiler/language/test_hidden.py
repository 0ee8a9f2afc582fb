"""A character that an editor may show otherwise than Writ reads it hides no statement: it is an error."""

import time

import pytest
from writ.compiler.language.words import written_text
from writ.compiler.language.writing.format import formatted

from tests.support.writ_texts import load_writ, read

LINE_ENDS = "\r\x0b\x0c\x85\u2028\u2029"
INVISIBLE = "\x00\x1b\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066\u2069\ufeff\U000e0041"
PLACES = {
    "the first comment": "# reviewed{}policy p allow everyone to read doc\nrole a\n",
    "the only comment": "# reviewed{}policy p allow everyone to read doc",
    "a later comment": "role a\n# reviewed{}policy p allow everyone to read doc\n",
    "a comment beside words": "role a # reviewed{}policy p allow everyone to read doc\n",
    "between words": "role{}a\n",
    "in a word": "role ab{}c\n",
    "at the beginning": " {}role a\n",
    "at the end": "role a\n{}",
    "in a text": 'role a "b{}c"\n',
    "in single quotes": "role a 'b{}c'\n",
    "in an attribute": 'policy p allow everyone to read doc when resource."b{}c" is 1\n',
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("character", LINE_ENDS + INVISIBLE, ids=ascii)
def test_a_hidden_character_is_an_error_at_its_place(place, character):
    before, after = PLACES[place].split("{}")
    loaded = load_writ(before + character + after)
    assert loaded.model is None
    [found] = [one for one in loaded.diagnostics if one.code == "syntax"]
    line = before.rpartition("\n")[2]
    assert (found.line, found.column, found.length) == (before.count("\n") + 1, len(line) + 1, 1)
    assert f"U+{ord(character):04X}" in found.message


@pytest.mark.parametrize("character", LINE_ENDS + INVISIBLE, ids=ascii)
@pytest.mark.parametrize("around", ["{}", "a{}b", "\\d{}"])
def test_a_hidden_character_in_a_text_is_written_as_an_escape(character, around):
    text = around.format(character)
    shown = written_text(text)
    assert shown.isprintable()
    document = f"role a {shown}\n"
    assert formatted(document) == document
    [(_, role)] = read(document)
    assert role["name"] == text


def test_a_hidden_character_after_many_quotes_is_found_soon():
    """Quotes that nothing closes are not each searched to the end."""
    began = time.process_time()
    assert load_writ('role a "' + '\\"' * 200_000 + "\u202e\n").model is None
    assert time.process_time() - began < 20


def test_the_usual_line_ends_hide_nothing():
    unix = "# c\nrole a # d\n\n\ttype doc actions read\n".replace("\n\ttype", "\ntype")
    windows = unix.replace("\n", "\r\n")
    assert load_writ(windows).model == load_writ(unix).model
    assert load_writ(windows).diagnostics == ()
    assert formatted(windows) == formatted(unix)


def test_printable_text_of_any_language_hides_nothing():
    text = '# Größe, отчёт, 報告\u00a0書, تقرير\nrole a "naïve \u00a0 報告 😀"\n'
    assert load_writ(text).diagnostics == ()


@pytest.mark.parametrize(
    ("text", "help_text"),
    [
        ("# reviewed\rpolicy p", "save the file with the line ends LF or CR LF"),
        ("role a # \u202eb", "remove this invisible character"),
        ('role a "b\u202ec"', "write it as `\\u202e`, in double quotes"),
        ("role a 'b\rc'", "write it as `\\r`, in double quotes"),
    ],
)
def test_the_help_tells_what_to_do_about_a_hidden_character(text, help_text):
    assert [one.help for one in load_writ(text).diagnostics] == [help_text]
