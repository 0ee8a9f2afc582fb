"""`writ diff`: how two models differ, element by element, and which requests they decide differently.

Reading path: `sides` opens what is compared; `comparison` is the answer;
`bundle_differences` and `decided` find parts of it; `shown` and `shown_sarif` word it; `fail_on` says what
counts for the exit code; `diff` is the command.
"""
