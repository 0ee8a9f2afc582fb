"""Calls over HTTP with all that one needs, and without I/O: only the two drivers send, wait and lock.

Reading path:

- `steps`: a call as values, which a driver carries out;
- `errors`: the errors that an application sees; `bodies`, which writes requests, and `answers`, which reads answers;
- `tracing`: the headers that go along;
- `retries`: when to repeat; `breaker`: when not to ask at all;
- `credentials`: keys, and tokens that are renewed;
- `caller`: one call with all of these;
- `discovery`: the URLs of a decision point; `revision`: the newest write that the client knows;
- `deadlines`: the end of a whole exchange; `blocking` and `looping`: the drivers, for threads and for asyncio.
"""
