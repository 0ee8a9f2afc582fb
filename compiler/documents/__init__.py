"""Reads model documents, JSON, YAML and text, into elements of the model, and finds the place of every value.

Reading path:

- `document` reads all documents of a model; `document_handler` handles the values of one;
- `json/`, `yaml/`, `writ_document`: one reader for each form;
- `raw_values` → `interning` → `read_element` → `element_list`: from values to elements;
- `schema_check` → `schema_findings` and `misplaced` → `error_recovery`: the faults of a value;
- `bad_document`: the error of a document that can't be read to its end;
- `element_places`: the place at which each element of a model begins;
- `placed_value` reads documents other than models.
"""
