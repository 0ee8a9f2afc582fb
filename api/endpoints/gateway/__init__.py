"""External authorization for gateways: whether the request that a gateway has taken may go on to its backend.

Reading path: `header_names` → `headers` → `original` → `contracts`, one for each gateway → `asked`; `peers`,
`gateway_subjects` → `tellings` → `question` → `outcome` → `gateway` → `gateway_answering` → `dot_segments` → `front`
over HTTP, and `envoy` over gRPC. `described` is for OpenAPI.
"""
