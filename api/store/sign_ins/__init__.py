"""The people who sign in to the console: their names and their sessions.

Reading path: `session_rows` → `newest_sign_in` → `sign_ins`.
"""
