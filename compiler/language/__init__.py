"""The `.writ` language: its grammar, its reader and its formatter.

- `grammar`: the grammar of a statement.
- `words`: the keywords, and how names and texts are written.
- `statements`: cuts a document into its statements.
- `placed`: values that know their place in the text.
- `tokens`: the words, texts, numbers and marks of a statement.
- `reading`: makes the values of a model document from what the parser finds.
- `automaton`, `parse`: the parser.
- `syntax_fault`, `fault_place`, `hidden`: what is wrong with a statement, and where.
- `explain_fault`, `advice`, `phrases`: the fault in the words of its author.
- `advising`: what authors of other languages, and of plain English, write first.
- `text_wording`: findings about a model, in the words of the language.
- `writ.tmLanguage.json`: the colours of the language in editors.
- `writing`: the canonical form. It formats text with its comments, and writes a model as text.
"""
