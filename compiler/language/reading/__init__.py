"""Readers: the parser calls one for each construct, to make the values of a model document.

- `all_readers`: the readers by the names of the grammar's rules.
- `statement_clauses`: the parts of a statement, and how they become an element.
- `constants`, `conditions`: names, texts, numbers, arrays, objects; and comparisons with them.
- `bare_words`: words without quotes in conditions.
- `elements`, `policies`, `routes`, `declarations`: the statements.
"""
