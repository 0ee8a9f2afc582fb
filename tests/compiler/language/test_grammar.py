"""The grammar and the tables beside it fit together: every construct has a reader, every keyword is a known word."""

import re

import pytest
from lark import Lark
from writ.compiler.language.grammar import CLAUSES, GRAMMAR, KEYWORDS
from writ.compiler.language.reading.all_readers import READERS
from writ.compiler.language.tokens import Tokens
from writ.compiler.language.words import LISTS, STATEMENTS
from writ.compiler.language.writing.layout import _STARTS_LINE
from writ.compiler.language.writing.model import _WRITERS
from writ.compiler.model.elements import ElementKind

from tests.support.writ_texts import read

PARSER = Lark(GRAMMAR, parser="lalr", lexer=Tokens, keep_all_tokens=True, maybe_placeholders=False)


def test_every_construct_has_a_reader_and_every_reader_a_construct():
    named = {rule.alias or rule.origin.name for rule in PARSER.rules if rule.alias or not rule.options.expand1}
    assert {name for name in named if not name.startswith("_")} == READERS.keys()


def test_the_keywords_are_the_words_of_the_grammar():
    assert set(re.findall(r'"(\w+)"', GRAMMAR)) == KEYWORDS
    assert {*STATEMENTS} | CLAUSES | _STARTS_LINE <= KEYWORDS


def test_a_statement_is_a_word_that_starts_one():
    start = GRAMMAR.split("?start: ")[1].split("\n\n")[0]
    assert tuple(re.findall(r"\w+", start)) == STATEMENTS
    assert LISTS.keys() == {*STATEMENTS}
    assert CLAUSES.isdisjoint(STATEMENTS)


def test_a_clause_starts_with_a_known_word():
    """A line that starts with a word in CLAUSES goes on with the statement, even if it is not indented."""
    firsts = set()
    for rule in PARSER.rules:
        if rule.origin.name in {*_clauses()} and rule.expansion and rule.expansion[0].is_term:
            firsts.add(rule.expansion[0].name.lower())
    assert firsts - {"any", "name", "string", "number"} <= CLAUSES


def _clauses():
    for rule in PARSER.rules:
        if rule.origin.name in ("type_clause", "entity_clause", "term", "policy_clause", "route_clause"):
            yield from (symbol.name for symbol in rule.expansion)


def test_every_kind_of_element_has_a_statement_and_a_writer():
    assert set(LISTS.values()) == set(ElementKind) == _WRITERS.keys()


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_a_keyword_in_quotes_is_a_name_everywhere(word):
    text = f"""
policy "{word}" "{word}"
    allow "{word}", "{word}" to "{word}", "{word}" "{word}", "{word}"
    when resource."{word}" is "{word}" and context.{word} in "{word}", {{"{word}": ["{word}"]}}
type "{word}" "{word}"
    actions "{word}", "{word}"
    attributes "{word}" string
group "{word}"
    members "{word}" "{word}", group "{word}"
grant "{word}" on "{word}" "{word}" to "{word}" "{word}" as "{word}"
route "{word}"
    GET /a
    means "{word}" "{word}" "{word}"
    attributes "{word}" from query "{word}"
""".replace(f'"{word}" string', f'"{word}" "string"')
    policy, kind, group, grant, route = (value for _, value in read(text))
    assert (policy["id"], policy["name"], policy["roles"]) == (word, word, [word, word])
    assert policy["resource_types"] == [{"resource_type_id": word, "actions": [word, word]}] * 2
    assert policy["conditions"]["resource_attrs"] == [{"key": word, "op": "eq", "value": word}]
    assert policy["conditions"]["context_attrs"] == [{"key": word, "op": "in", "value": [word, {word: [word]}]}]
    assert kind == {"id": word, "name": word, "actions": [word, word], "attributes": {word: "string"}}
    assert group["members"] == [{"type": word, "id": word}, {"group": word}]
    assert (grant["actions"], grant["resource"], grant["subject"], grant["id"]) == (
        [word],
        {"type": word, "id": word},
        {"type": word, "id": word},
        word,
    )
    assert (route["action"], route["resource_type"], route["resource_id"]) == (word, word, word)
    assert route["attributes"] == {word: f"query:{word}"}
