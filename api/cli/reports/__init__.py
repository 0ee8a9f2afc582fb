"""Findings and test results in the forms that build services read: SARIF, JUnit XML, TAP, commands for GitHub.

Reading path: `sarif` → `workflow_commands` → `finding_formats` → `junit`.
"""
