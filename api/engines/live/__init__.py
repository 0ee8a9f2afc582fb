"""Live engines, one per environment, and the bundles that they read.

Reading path: `data_directory` → `bundle_files` → `build` → `import_model` → `preparations` → `preparing_threads` →
`live_engine` → `live_engines` → `engine_access` → `bound_engines` → `compaction` → `activation` → `store_work`.
"""
