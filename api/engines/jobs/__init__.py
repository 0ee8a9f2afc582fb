"""Long work in processes apart, so that it does not delay decisions.

A job checks or replaces a whole model, promotes, looks for warnings, builds a bundle or exports one. The service
starts one template process, which imports the modules of all jobs and opens nothing. Each job runs in a fork of it and
ends with it. So a job starts in milliseconds, and finds no model, file or lock of another one.

Reading path: `job` → `job_refusals` → `job_messages` → `template` → `body` → `starting` → `runner`.
"""
