"""The command `airtcp`."""
