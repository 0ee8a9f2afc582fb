"""Live engines: one for each environment, kept at the newest committed revision, and the bundles that they read.

Reading path: `data_directory` → `bundle_files` → `build` → `live_engines` → `activation` → `compaction`.
"""
