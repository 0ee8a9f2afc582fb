"""The sign-in of people to the console, their sessions, and their names.

Reading path: `signing_in` → `sign_in_pages` → `sign_in_endpoints` → `session_endpoints` → `people_endpoints`.
"""
