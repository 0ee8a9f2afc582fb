"""Everything outside the decision itself: the HTTP service and the command line.

Reading path: `server` runs `app` in `worker`s, whose `connection`s keep the `pace` of bodies; `app` joins `auth`,
`bodies`, `evaluation`, `evaluations` (with the pure `batch`), `management`, `openapi`, `health`, `raw_paths`,
`request_id` and `errors`; `limits` names every bound. Below them: `store`, `bundle_files` and `compaction`, `in_force`
(asked through `bound_engines`) and `settle`, `own_process`; `startup` and `data_directory` come before all of it.
"""
