"""What the pages show is what happens: their commands run, and give the answers that stand below them."""

import json
import re
import shutil

import pytest
from writ.runtime import Engine

from tests.support.bundling import demo_bundle
from tests.support.page_examples import ANY, DEMO_URL, check, expectations, fits, is_run, printed, run, write_files
from tests.support.pages import Page, page, pages
from tests.support.server import running

PAGES = [one for one in pages() if any(is_run(block) for block in one.blocks)]
TOOLS = ("bash", "curl", "jq", "openssl")
ON_A_STORE = re.compile(r"^writ (?:audit|backup|clients|environments|export|import|keys|restore)\b", re.MULTILINE)


def needs_service(shown: Page) -> bool:
    """Whether an example asks the service, or works on its store."""
    return any(is_run(block) and (DEMO_URL in block.text or ON_A_STORE.search(block.text)) for block in shown.blocks)


@pytest.mark.parametrize("shown", PAGES, ids=lambda shown: shown.name)
def test_the_examples_of_a_page(shown, tmp_path):
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"the examples need {', '.join(missing)}")
    write_files(shown, tmp_path)
    if needs_service(shown):
        with running(tmp_path / "writ-data", "--demo") as server:
            ran = run(shown, tmp_path, server.url)
    else:
        ran = run(shown, tmp_path, "")
    for expected, before in expectations(shown):
        check(expected, ran[before])
    for block, found in ran.items():
        if block.mark == "filter example":
            assert found.output.splitlines() == printed(block.text)


def test_the_first_examples_are_what_the_engine_answers(tmp_path):
    """The front page's request and answer hold without HTTP, too."""
    front = page("README.md")
    demo_bundle(tmp_path / "demo.bundle")
    engine = Engine.open(tmp_path / "demo.bundle")
    for name, ask in (("demo", engine.decide), ("search", engine.filter)):
        body = front.marked(f"{name} request").rpartition(" -d '")[2].strip().removesuffix("'")
        assert ask(json.loads(body)) == json.loads(front.marked(f"{name} answer"))


def test_an_answer_that_differs_is_seen():
    assert not fits({"decision": True}, {"decision": False})
    assert not fits({"decision": True}, {"decision": True, "more": 1})
    assert not fits(ANY, None)
