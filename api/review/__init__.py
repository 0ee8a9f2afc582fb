"""Tells what would happen: policies in words (`wording/`), who can do an action (`asking/`), policy tests (`testing/`)
and the replay of logged requests (`replaying/`).
"""
