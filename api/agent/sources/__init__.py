"""The sources of bundles and updates: a server of Writ, a published folder, or a file.

Reading path: `bundle_source` has the interface. `source_connection`, `response_body`, `bundle_head` and `download`
serve `upstream`. `published` and `file_source` are the other two; `web_folder` is a published folder on a web server.
"""
