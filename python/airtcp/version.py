"""The version of airtcp and its wheel. Cargo needs one in `Cargo.toml`; a test compares the two."""

__version__ = "0.2.0"
