"""The name of the file that says which measurement is which traffic."""

SOURCES_FILE = "sources.toml"
