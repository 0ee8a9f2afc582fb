"""Model documents: JSON and YAML, read into elements of the model with the place of every value.

Reading path: `document` → `json_document` and `yaml_document` → `document_handler` → `schema_check` and
`schema_findings` → `error_recovery`.
"""
