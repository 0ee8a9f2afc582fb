"""The management endpoints: environments, the elements of their models, whole models, and their history.

Reading path: `kinds` names what is served; `elements` and `batch` serve it, and `element_operations` describes it.
`environments`, `whole_model` and `revisions` serve the rest. `serving/store_work` takes what they ask of the store off
the event loop.
"""
