"""`python -m server` is the `localserver` command."""

from server.cli import main

main()
