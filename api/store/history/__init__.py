"""The change log of a model: the changes of each revision, and the delta that each revision is to a bundle.

Reading path: `origin` → `change_log` → `route_orders` → `affected` → `delta_states` → `committing` →
`revision_updates` → `registered_attributes`; `element_past` → `gateway_past` → `undone_change` → `undone_routes` →
`undoing` → `history`.
"""
