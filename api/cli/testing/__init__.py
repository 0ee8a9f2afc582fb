"""`writ test`: policy tests in files, which ask a model for decisions and filters and compare the answers.

Reading path: `source_model` is the model of a file; `file_results` runs a file; `text_report` and `machine_reports`
show results; `file_discovery` and `session` run the files on disk; `watching` waits for changes; `test` is the command.
`api/testing` reads and runs the tests themselves.
"""
