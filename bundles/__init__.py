"""The contract between compiler and runtime: the rule program and the file that carries it.

Reading path: `program` (the rule program and the facts) → `conditions` (what a condition means) → `manifest` →
`zones` → `file` (the bundle file) → `delta` (what changes from one revision to the next). `README.md` describes the
format of the file.
"""
