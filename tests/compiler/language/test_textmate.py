"""The TextMate grammar colours the corpus as the lexer reads it, and its words are those of the language."""

import json
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from writ.compiler.language.grammar import KEYWORDS
from writ.compiler.language.words import STATEMENTS
from writ.compiler.language.writing.format import formatted

from tests.support.writ_texts import CORPUS, tokens_of

FILE = Path(str(files("writ.compiler.language").joinpath("writ.tmLanguage.json")))
GRAMMAR = json.loads(FILE.read_text())
RULES = [GRAMMAR["repository"][one["include"].removeprefix("#")] for one in GRAMMAR["patterns"]]
CONSTANTS = {"true", "false", "null"}
SCOPES = {
    "COMMENT": "comment.line",
    "STRING": "string.quoted",
    "ATTRIBUTE": "variable.other.attribute",
    "INSTANT": "constant.other.instant",
    "CLOCK": "constant.other.clock",
    "ADDRESS": "constant.other.address",
    "NUMBER": "constant.numeric",
    "PATH": "string.unquoted.path",
    "HOSTS": "string.unquoted.host",
    "CAPTURE": "variable.parameter",
}
"""The scope of a kind of tokens that are no words and no marks."""


@cache
def compiled(pattern):
    return re.compile(pattern)


def first_match(line, at):
    """The rule that matches first, and its match. Of rules that match at one place, the first one counts."""
    matches = [(rule, match) for rule in RULES if (match := compiled(rule["match"]).search(line, at))]
    return min(matches, key=lambda found: found[1].start(), default=None)


def scopes(text):
    """The scope of each match in a text, by its start and end: line by line, the leftmost match first."""
    found, before = {}, 0
    for line in text.splitlines(keepends=True):
        at = 0
        while first := first_match(line.rstrip("\n"), at):
            rule, match = first
            assert match.end() > match.start(), rule
            found[before + match.start(), before + match.end()] = rule["name"]
            at = match.end()
        before += len(line)
    return found


def expected(token, is_first):
    """The scopes that a token may have."""
    kind = {"text": "NAME", "name": "NAME"}.get(token.type, token.type)
    shown = token.text
    if shown[0] in "\"'":
        return {"string.quoted"}
    if kind in SCOPES:
        return {SCOPES[kind]}
    if shown in ("<", "<=", ">", ">="):
        return {"keyword.operator"}
    if not shown[0].isalnum() and shown[0] not in "_-":
        return {"punctuation.separator"}
    if kind.lower() == shown:
        return {"constant.language"} if shown in CONSTANTS else {"keyword.control"} if is_first else {"keyword.other"}
    # The grammar does not know where a word is a name.
    names = {
        "entity.name",
        "constant.numeric",
        "constant.other.address",
        "constant.other.clock",
        "constant.other.instant",
    }
    return names | ({"keyword.other"} if shown in KEYWORDS else set())


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_coloured_as_it_is_read(name):
    for text in (CORPUS[name], formatted(CORPUS[name])):
        found = scopes(text)
        for tokens in tokens_of(text):
            for token in tokens:
                said = text[token.start : token.end]
                scope = found.get((token.start, token.end))
                token.text = said
                allowed = expected(token, token is tokens[0])
                assert scope is not None, (said, token.type)
                assert scope.removesuffix(".writ").startswith(tuple(allowed)), (said, token.type, scope)


def test_every_colour_is_used():
    used = {scope for text in CORPUS.values() for scope in scopes(text).values()}
    assert used == {rule["name"] for rule in RULES}


def test_its_words_are_the_words_of_the_language(request):
    """`--update-golden` writes them."""
    words = {"statement": STATEMENTS, "constant": sorted(CONSTANTS), "keyword": sorted(KEYWORDS - CONSTANTS)}
    written = json.loads(json.dumps(GRAMMAR))
    for name, said in words.items():
        rule = written["repository"][name]
        rule["match"] = re.sub(r"\(\?:[a-z|]+\)", f"(?:{'|'.join(said)})", rule["match"], count=1)
    if request.config.getoption("--update-golden"):
        FILE.write_text(json.dumps(written, indent=2) + "\n")
    assert json.loads(FILE.read_text()) == written


def test_all_rules_are_included_and_named():
    assert [one["include"][1:] for one in GRAMMAR["patterns"]] == [*GRAMMAR["repository"]]
    assert GRAMMAR["scopeName"] == "source.writ"
    assert GRAMMAR["fileTypes"] == ["writ"]
    assert all(rule["name"].endswith(".writ") for rule in RULES)


def test_a_word_in_a_name_is_no_keyword():
    line = "    allow on-call, to.be, a@in to sign-in on-x"
    assert [line[a:b] for (a, b), scope in scopes(line).items() if scope.startswith("keyword")] == ["allow", "to"]
