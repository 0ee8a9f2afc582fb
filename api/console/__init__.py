"""The administrative console: a page for browsers, which is an ordinary client of the HTTP API (contract 2.8).

`page` has what the browser loads: `core/start.js` begins. `core` has the session, the API and the addresses, `parts`
has what pages share, and `pages` has one file a page. `files` serves all of it.
"""
