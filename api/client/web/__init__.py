"""The common part of the hooks of all web frameworks: decision points, questions and refusals.

Reading path: `points` (the protocols) → `questions` → `answers` → `asking` (for threads) → `looping` (for asyncio) →
`access` (all checks of one request, for asyncio).
"""
