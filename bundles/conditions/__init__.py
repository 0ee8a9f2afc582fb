"""What a condition means, said once: the runtime makes closures of it, the compiler's lints reason with it.

Reading path: `values` (equality of JSON) → `keys` (which attribute) → `comparisons` (the operators) →
`patterns` (regular expressions) → `instants` → `windows` → `addresses` → `classes` (what can hold together).
"""
