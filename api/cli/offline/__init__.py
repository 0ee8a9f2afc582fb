"""The commands that need no store, one module each. They read model documents and bundle files.

- `check`, with `standard_input`: `writ check`.
- `compile` and `inspect`, with `bundle_keys`: `writ compile` and `writ inspect`.
- `decide` and `filter`, with `json_lines`: `writ decide` and `writ filter`.
"""
