"""The management endpoints: environments, the elements of their models, whole models, and their history.

Reading path: `element_paths` lists the kinds of elements. `elements` and `element_batch` read and write them,
`write_warnings` shows the warnings of a write, and `element_operations` describes these calls. `grants_on_resource`
sets all grants on a resource, and `group_members` changes one member of a group. `single_members`, `environments`,
`whole_model` (with `model_replacement` and `spool`), `revisions` (with `revision_filters`) and `expiring_elements` come
next, then `people`, `promotions`, `credentials` and `audit_entries`. `body_shapes` reads bodies into the types of
`management_shapes`.
"""
