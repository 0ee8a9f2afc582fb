"""The administrative console: a page for browsers, which is an ordinary client of the HTTP API (contract 2.8).

`page_files` serves the folder `page`, which browsers load. Imports of its modules go only down these folders:

- `app` begins: the frame around every page, the sign-in, the keys, and the table of pages, which alone knows them all;
- `pages` has a module for each page. One, `model_lists`, has a row for each list of the model;
- `editing` has the forms of elements, their lists, and what a change would do;
- `parts` has what pages share;
- `core` has the session, the API, the addresses, and the kinds of elements;
- `vendor` has the library that draws.
"""
