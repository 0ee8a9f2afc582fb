"""The meaning of conditions, defined once. The runtime makes tests and filters from it, and lints compare policies.

Reading path: `values` (equality of JSON) → `attribute_keys` (which attribute) → `operators` → `references` →
`comparisons` → `literals` → `automata` → `patterns` (regular expressions) → `pattern_samples` → `instants` → `windows`
→ `window_changes` → `addresses` → `intervals` → `gates`. For reasoning about conditions: `constants` → `neighbours`
(the next value) → `trees/` (filter trees and decision diagrams).
"""
