"""Live engines, one per environment, and the bundles that they read.

Reading path: `data_directory` → `bundle_files` → `build` → `import_model` → `live_engines` → `bound_engines` →
`own_process` → `compaction` → `activation` → `recording` → `fair_threads` → `store_work`.
"""
