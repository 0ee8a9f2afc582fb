"""`python -m writ`: the command line."""

from .api.cli.main import main

if __name__ == "__main__":
    main()
