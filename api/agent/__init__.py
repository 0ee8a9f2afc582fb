"""Follows the bundle of an environment: asks a source, verifies, keeps the last good state on disk, swaps the engine.

Reading path:

- `sources/`: a server of Writ, a published folder, a file;
- `trust`: the checks of a bundle before it is accepted;
- `followed_bundle`: a bundle with the updates since, and an engine over them;
- `freshness`: how long ago a source said that the revision is the newest;
- `state/`: the last good state on disk, which several processes share;
- `pacing`: when to ask again, and when to ask for a whole bundle;
- `in_force`: the engine, the list of callers and the state on disk together;
- `status` and `follower`: one step after the other, without threads;
- `reaching`: whether a revision token is reached;
- `options`, `following` and `follow`: the thread, and the public functions;
- `service/`: the agent's HTTP service.
"""
