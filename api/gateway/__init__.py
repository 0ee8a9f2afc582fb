"""External authorization for gateways: may the request that a gateway has taken go on to its backend?

Reading path: `headers` → `original` → `contracts`, one for each gateway; `peers`, `subjects` (with `user_tokens` and
`issuers`) → `question` → `outcome` → `gateway` → `front`.
"""
