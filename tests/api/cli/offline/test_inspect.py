"""`writ inspect`: what is in a bundle, and whether it is intact."""

import json

import pytest
from writ.bundles.file.reader import open_bundle
from writ.bundles.program.text import show_program

from tests.bundles.file.test_bundle_file import DOCUMENT
from tests.support.bundling import bundle_file
from tests.support.command import writ


@pytest.fixture
def bundle(tmp_path):
    return bundle_file(DOCUMENT, tmp_path / "model.bundle")


def test_the_facts_as_text(bundle):
    done = writ("inspect", bundle)
    text = done.stdout.decode()
    assert done.returncode == 0
    assert "every checksum matches" in text
    assert f"sha256:{open_bundle(bundle).digest()}" in text
    assert "grants       1\n" in text


def test_the_facts_as_json(bundle):
    shown = json.loads(writ("inspect", bundle, "--format", "json").stdout)
    assert shown["manifest"]["counts"]["subjects"] == 4
    assert shown["digest"] == open_bundle(bundle).digest()
    assert set(shown["sections"]) == set(open_bundle(bundle).sections)


def test_the_opt_ins_of_a_model(tmp_path):
    path = bundle_file({"extensions": ["now", "arrays"], "requests": "strict"}, tmp_path / "model.bundle")
    text = writ("inspect", path).stdout.decode()
    assert "extensions   arrays, now\nrequests     strict\n" in text
    manifest = json.loads(writ("inspect", path, "--format", "json").stdout)["manifest"]
    assert (manifest["extensions"], manifest["requests"]) == (["arrays", "now"], "strict")


def test_a_model_without_opt_ins_shows_none(bundle):
    text = writ("inspect", bundle).stdout.decode()
    assert "extensions" not in text
    assert "requests" not in text


def test_the_rules(bundle):
    done = writ("inspect", bundle, "--rules")
    assert done.stdout.decode() == show_program(open_bundle(bundle).program())
    assert b'deny(S, A, R, "p3") @9 :- holds(S, {"barred"})' in done.stdout


def test_a_damaged_bundle_is_one_line_and_exit_code_1(bundle):
    content = bytearray(bundle.read_bytes())
    content[-3] ^= 1
    bundle.write_bytes(content)
    done = writ("inspect", bundle)
    assert done.returncode == 1
    assert done.stdout == b""
    assert len(done.stderr.splitlines()) == 1
    assert b"damaged" in done.stderr


def test_a_missing_bundle_is_exit_code_2(tmp_path):
    done = writ("inspect", tmp_path / "none.bundle")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
