"""What the language reference shows is so: its texts are formatted, and its mistakes are errors."""

import re

import pytest
from writ.bundles import zones
from writ.compiler.language.words import STATEMENTS
from writ.compiler.language.writing.format import formatted
from writ.compiler.load import load
from writ.compiler.source import Source

from tests.support.pages import page, pages

LANGUAGE, GUIDE = page("compiler/LANGUAGE.md"), page("compiler/README.md")
TEXTS = [block for one in pages() for block in one.blocks if block.language == "writ"]
FORMATS, SAYS_THE_SAME = "adds to the model, formats to the next", "adds to the model, says the same as the next"
MISTAKES = re.findall(r"^\| `(.+)` \| `(.+)` \|$", LANGUAGE.section("Common mistakes"), re.MULTILINE)
BESIDE = "role owner\n"
ALLOW = "policy p1 allow editor to read document "


def loaded(*documents):
    """The guide's model and these documents beside it, each a pair of a kind and a text."""
    model = ("yaml", GUIDE.marked("file: model.yaml"))
    sources = [Source(f"{number}.{kind}", text.encode()) for number, (kind, text) in enumerate([model, *documents])]
    return load(sources, zones.zone_names())


def after(block):
    """The block after `block` on its page."""
    return block.page.blocks[block.page.blocks.index(block) + 1]


@pytest.mark.parametrize("block", TEXTS, ids=lambda block: block.name)
def test_a_text_is_formatted(block):
    expected = after(block).text if block.mark == FORMATS else block.text
    assert formatted(block.text) == expected


@pytest.mark.parametrize("block", [block for block in TEXTS if block.mark == SAYS_THE_SAME], ids=lambda one: one.name)
def test_a_text_says_the_same_as_the_document_after_it(block):
    document = after(block)
    assert document.language == "yaml"
    assert loaded(("writ", block.text)).model == loaded(("yaml", f"model: 1\n{document.text}")).model


def test_there_are_such_texts():
    assert {FORMATS, SAYS_THE_SAME} <= {block.mark for block in TEXTS}
    assert len(MISTAKES) >= 30


@pytest.mark.parametrize(("mistake", "remedy"), MISTAKES)
def test_a_mistake_is_an_error_and_its_remedy_is_none(mistake, remedy):
    assert "error" in severities(mistake)
    assert "error" not in severities(remedy)


def severities(example):
    """What is found in an example: a statement, a comment, an effect of a policy, or another clause of one."""
    if example.split()[0] in ("allow", "permit"):
        example = f"policy p1 {example}"
    elif example.split()[0] not in (*STATEMENTS, "#", "//"):
        example = ALLOW + example
    return {found.severity for found in loaded(("writ", f"{BESIDE}{example}\n")).diagnostics}
