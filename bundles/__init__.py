"""The contract between compiler and runtime: the rule program, the meaning of conditions, and the bundle file.

Reading path: `program/` (the rule program and the facts) → `conditions/` (the meaning of conditions) → `manifest` →
`zones` → `file/` (the bundle file) → `signing/` (its signature) → `delta` (the changes of a revision) → `publish`
(writing a file) → `wording` (the words of messages). `README.md` describes the format of the file.
"""
