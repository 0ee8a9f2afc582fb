"""The three searches over HTTP.

Reading path: `resources`, `subjects` and `actions` are the handlers. `pages` collects a page, `page_tokens` signs its
position, and `searching` has what the handlers share. `search_shapes` describes requests and answers.
"""
