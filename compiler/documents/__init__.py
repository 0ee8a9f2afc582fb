"""Reads model documents, JSON and YAML, into elements of the model, and finds the place of every value.

Reading path: `document` → `json_document` and `yaml_document` → `document_handler` → `schema_check` and
`schema_findings` → `error_recovery`.
"""
