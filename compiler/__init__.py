"""Compiles model documents to a bundle: reading, checking, lowering, rewriting.

Reading path: `model/` (the classes of a model) → `source`, `limits`, `language/` and `documents/` (reading) →
`diagnostics/` → `checks/` and `lints/` → `load` (all of these in one call) → `check_elements` (the same for single
elements) and `check_policy` (for the document of one policy), `lint_model` (the warnings alone) → `lowering/`,
`rewrites/` and `passes` → `compile`. Beside it stand `forms/`, which writes a model in each of its forms, `rego/`,
which translates a model to a bundle for OPA, `renaming/`, which changes names in documents, and `analysis/`, which
finds who gains and who loses by a change.
"""
