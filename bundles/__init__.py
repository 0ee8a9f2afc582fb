"""The contract between compiler and runtime: the rule program, the meaning of conditions, and the bundle file.

Reading path: `program/` (the rule program and the facts) → `conditions/` (their meaning) → `declarations/` (declared
attributes) → `routing/` (routes) → `extensions` (opt-ins of a model) → `manifest` → `zones` → `errors` → `formats` →
`file/` (the bundle file) → `signing/` (its signature) → `delta` (the changes of a revision) → `feed/` (what an agent
follows) → `publish` (writing a file) → `opposites`, `wording` and `system_errors` (the words of messages) →
`json_members` (members that are there twice) → `event_loop`, `prepared` and `progress`, which long work uses.
`README.md` describes the format of the file.
"""
