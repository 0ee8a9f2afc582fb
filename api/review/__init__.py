"""Tells what would happen: policies in words (`wording/`), who can do an action (`asking/`), who gains and who loses by
a change (`people/`), policy tests (`testing/`) and the replay of logged requests (`replaying/`). `effects` says what
changed answers mean to callers.
"""
