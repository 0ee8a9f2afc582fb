"""Reads requests and writes answers.

- `rejections`: the errors of refused requests; `error_answers`: their one JSON shape.
- `json_limits` and `bodies`: JSON bodies within their limits; `streams` and `lines`: long ones, piece by piece.
- `field_values`, `raw_paths`, `queries`, `source_address`, `request_id`, `entity_tags`, `revision_tokens`,
  `public_url`: the parts of a request.
- `caller`: the environment and the caller that work is done for.
- `pace`: the pauses between answers that cost much.
- `handlers`: the handlers of routes, made from the parts that they need.
- `openapi/`: the description of all endpoints.
- `outgoing/`: calls of other servers.
"""
