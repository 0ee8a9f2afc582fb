"""What a condition means, said once: the runtime makes closures and filters of it, the compiler's lints reason with it.

Reading path: `values` (equality of JSON) → `keys` (which attribute) → `operators` → `comparisons` →
`patterns` (regular expressions) → `instants` → `windows` → `addresses`. How conditions are reasoned with: `constants` →
`neighbours` (what is next) → `domain` (the classes of an attribute's values) → `diagrams` → `ruled` (the diagram of
rules) → `forms` → `value_sets` → `shortest_form` → `canonical`.
"""
