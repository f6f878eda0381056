"""`python -m airtcp` is the command `airtcp`."""

from airtcp.cli.main import main

main()
