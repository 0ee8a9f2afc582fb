"""The management endpoints: environments, the elements of their models, whole models, and their history.

Reading path: `kinds` names what is served; `elements` and `batch` serve it, `environments`, `whole_model` and
`revisions` the rest; `store_work` takes what they ask of the store off the event loop.
"""
