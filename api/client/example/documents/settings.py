"""The settings of the application, from environment variables."""

import os

DATABASE_URL = os.environ["DATABASE_URL"]  # such as postgresql+psycopg://app@db.example/app
SERVICE_URL = os.environ["APP_SERVICE_URL"]  # the service, which gets the grants
AGENT_URL = os.environ["APP_AGENT_URL"]  # the agent on this machine, which answers the questions
API_KEY = os.environ["APP_API_KEY"]  # an API key with the scope `write`
BUNDLE_KEYS = os.environ["APP_BUNDLE_KEYS"]  # the text of the PEM that `writ keys --kind bundle` prints
