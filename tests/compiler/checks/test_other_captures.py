"""What other programs write for a part of a path that varies is told, because it would match only itself."""

import pytest
from writ.bundles.zones import zone_names
from writ.compiler.load import load
from writ.compiler.source import Source

MODEL = "type document\n    actions read\nroute r\n    {}\n    means read document main\n"


def findings(line: str) -> list[tuple[str, str, str]]:
    loaded = load([Source("m.writ", MODEL.replace("{}", line).encode())], zone_names())
    return [(one.code, one.message, one.help) for one in loaded.diagnostics if one.code != "unused-action"]


@pytest.mark.parametrize("segment", [":id", "<id>"])
def test_a_capture_of_another_program(segment: str) -> None:
    message = f"`{segment}` matches only itself: it is no part of the path that varies"
    assert findings(f'GET "/docs/{segment}"') == [("bad-template", message, "write `{id}`")]


def test_a_colon_inside_a_segment_is_fine() -> None:
    assert findings("GET /docs/main:undelete") == []


@pytest.mark.parametrize("word", ["ANY", "all"])
def test_a_word_for_every_method(word: str) -> None:
    assert findings(f"{word} /docs") == [("syntax", f"`{word}` is no method", "write `any method`")]
