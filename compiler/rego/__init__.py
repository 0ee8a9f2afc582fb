"""Translates a model to a bundle for OPA: policies as Rego, the rest as data.

Reading path: `opa_files` → `refusals` (with `go_patterns`) → `rules_module` (with `rego_values`) → `model_data` (with
`zone_tables`). The other files are the Rego that is the same for every model: `decision_text`, `request_text`,
`values_text`, `conditions_text`, `windows_text`.
"""
