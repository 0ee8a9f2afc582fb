"""Work that must not delay decisions: which mechanism is for what, and which threads a worker has.

A worker decides on its event loop, in microseconds. Whatever may take longer than 5 ms goes elsewhere.

| work | mechanism | where |
|---|---|---|
| an evaluation that turns out to be long | the thread of the event loop raises `TakesLong` | `bundles/event_loop` |
| the steps of an evaluation until it is long | `Effort` counts them | `runtime/effort` |
| a long batch of evaluations | slices of 5 ms on the loop, of 50 ms in a thread | `endpoints/decisions/slices` |
| a long body, or a large delta | more than `INLINE_BYTES` go to a thread | `http/bodies`, `engines/live/live_engines` |
| calls of the store, searches, long decisions | threads in which callers have turns | `fair_threads` |
| a few turns for many callers | each caller and each environment has its part | `fair_turns` |
| many short writes at once | they share one commit | `gathering` |
| Python's garbage collection of large models | it pauses meanwhile, and skips what is kept | `gc_pause` |
| work of a closed connection | it looks whether its caller is gone | `leaving` |
| an environment that ends a worker | it rests for a while | `engines/live/preparations` |
| whole models, promotions, lints, bundles | a process apart, in a fork of a template | `engines/jobs` |

The threads of a worker. Each starts with its first work, after the fork.

| thread | most | work | why apart |
|---|---|---|---|
| `decide` | 3 | long evaluations, slices of long batches, filters and metrics of an agent | decisions come first |
| `prepare` | 3 | opening engines, applying large changes, specialising programs | it takes seconds and memory |
| `store-read` | 4 | reads for the management API, metrics | a search would hold them up |
| `search` | 3 | searches | they take seconds |
| `translate` | 1 | filters as conditions of SQL | several at a time would hold up decisions |
| `store-prepare` | 3 | writes before they take the write lock, trials | a change of a group or a type takes long |
| `store-credentials` | 1 | reads of credentials | token requests do not wait behind long lists |
| `store-write` | 1 | writes | SQLite allows one at a time, and those that wait need no lock |
| `confirmations` | 1 | waits until the other servers on PostgreSQL see a write | later writes go on meanwhile |
| `settle` | 2 | waits until the other servers have the bundle of a large change | later writes go on meanwhile |
| `connect` | 1 for each new connection | opening a connection to PostgreSQL for a decision | it ends with the lease |
| `sign-in` | 2 | calls of the provider where people sign in | another server may be slow |
| `outgoing` | 1 for each call, 32 that are left | a call of another server | nothing ends the lookup of a name |
| `upkeep` | 1 | the audit log, the last uses of credentials, the sweep of expired elements | no request waits |
| `observing` | 1 | the access log and traces | a collector may hold up the decision log |
| `decision-log` | 1 | the decision log | it tries again until its sink takes the records |
| `jwks` | 1 for each issuer | the keys of an issuer of user tokens | another server may be slow |

Pieces that are only decoded or spooled go through asyncio's own threads, as many as the machine has processors, and
four more.

Reading path: `process_apart` → `fair_turns` → `gc_pause` → `fair_threads` → `leaving` → `gathering`.
"""
