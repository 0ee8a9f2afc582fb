"""The meaning of conditions, defined once: the runtime makes closures and filters from it, the lints reason with it.

Reading path: `values` (equality of JSON) → `keys` (which attribute) → `operators` → `comparisons` → `literals` →
`patterns` (regular expressions) → `instants` → `windows` → `addresses`. For reasoning about conditions: `constants` →
`neighbours` (the next value) → `trees` (filter trees and decision diagrams).
"""
