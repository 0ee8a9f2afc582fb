"""`writ fmt`: formats files in place, tells what would change, and leaves what it can't read."""

import os
import stat

from tests.support.command import writ

ROUGH = """\
type document actions read, update  # what there is
role   editor


policy p1 allow editor to update document when resource.status is draft
"""
FORMATTED = """\
type document
    actions read, update  # what there is

role editor

policy p1
    allow editor to update document
    when resource.status is "draft"
"""


def test_a_file_is_formatted_in_place(tmp_path):
    file = tmp_path / "a.writ"
    file.write_text(ROUGH)
    file.chmod(0o640)
    done = writ("fmt", file)
    assert (done.returncode, file.read_text()) == (0, FORMATTED)
    assert b"formatted" in done.stderr
    assert stat.S_IMODE(file.stat().st_mode) == 0o640, "the mode stays"
    assert [path.name for path in tmp_path.iterdir()] == ["a.writ"]


def test_a_folder_and_a_link(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a.writ").write_text(ROUGH)
    (tmp_path / "kept.yaml").write_text("model: 1\n")
    os.symlink(tmp_path / "inner" / "a.writ", tmp_path / "link.writ")
    assert writ("fmt", tmp_path).returncode == 0
    assert (tmp_path / "link.writ").is_symlink()
    assert (tmp_path / "inner" / "a.writ").read_text() == FORMATTED
    assert (tmp_path / "kept.yaml").read_text() == "model: 1\n"


def test_an_ending_in_capitals_is_the_same_ending(tmp_path):
    """`check` and `convert` read such a file too, alone and in a folder."""
    file = tmp_path / "A.WRIT"
    for source in (file, tmp_path):
        file.write_text(ROUGH)
        assert writ("fmt", source).returncode == 0
        assert file.read_text() == FORMATTED
        assert writ("check", source).returncode == 0


def test_check_changes_nothing(tmp_path):
    rough, good = tmp_path / "rough.writ", tmp_path / "good.writ"
    rough.write_text(ROUGH)
    good.write_text(FORMATTED)
    done = writ("fmt", "--check", rough, good)
    assert (done.returncode, rough.read_text()) == (1, ROUGH)
    assert b"would format" in done.stderr
    assert b"good.writ" not in done.stderr
    assert writ("fmt", "--check", good).returncode == 0


def test_a_file_with_errors_stays_and_the_others_are_formatted(tmp_path):
    bad, rough = tmp_path / "bad.writ", tmp_path / "rough.writ"
    bad.write_text("role a\npolcy p1\nrole  b\npolicy p2\n")
    rough.write_text(ROUGH)
    done = writ("fmt", tmp_path)
    assert done.returncode == 1
    assert (bad.read_text(), rough.read_text()) == ("role a\npolcy p1\nrole  b\npolicy p2\n", FORMATTED)
    assert b"bad.writ:2:1: error[syntax]: `polcy` starts no statement" in done.stdout
    assert b"bad.writ:4:8: error[syntax]" in done.stdout, "every fault is shown"


def test_standard_input(tmp_path):
    assert writ("fmt", "-", stdin=ROUGH.encode()).stdout.decode() == FORMATTED
    assert writ("fmt", "--check", "-", stdin=ROUGH.encode()).returncode == 1
    faulty = writ("fmt", "-", stdin=b"role\n")
    assert faulty.returncode == 1
    assert b"standard-input.writ:1:1" in faulty.stdout + faulty.stderr


def test_what_can_not_be_formatted(tmp_path):
    (tmp_path / "a.yaml").write_text("model: 1\n")
    done = writ("fmt", tmp_path / "a.yaml")
    assert (done.returncode, b"only `.writ` files" in done.stderr) == (2, True)
    assert writ("fmt", tmp_path / "missing.writ").returncode == 2
    assert writ("fmt", tmp_path).returncode == 0, "a folder may have only YAML"


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "a.writ").write_bytes(b"role a\xff\n")
    done = writ("fmt", tmp_path / "a.writ")
    assert (done.returncode, b"is not UTF-8" in done.stdout) == (1, True)


def test_a_byte_order_mark_and_line_ends_of_windows(tmp_path):
    (tmp_path / "a.writ").write_bytes(b"\xef\xbb\xbfrole a\r\nrole b # x\r\n")
    assert writ("fmt", tmp_path / "a.writ").returncode == 0
    assert (tmp_path / "a.writ").read_bytes() == b"role a\nrole b  # x\n"
