"""The three searches over HTTP.

Reading path: `resource_search`, `subject_search` and `action_search` are the handlers. `search_pages` collects a page,
`page_tokens` signs its position, and `searching` has what the handlers share. `search_shapes` describes requests and
answers.
"""
