"""Live engines, one per environment, and the bundles that they read.

Reading path: `data_directory` → `bundle_files` → `uncollected` → `build` → `import_model` → `preparations` →
`live_engine` → `live_engines` → `engine_access` → `bound_engines` → `own_process` → `compaction` → `activation` →
`gathering` → `fair_turns` → `fair_threads` → `store_work`.
"""
