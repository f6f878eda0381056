"""Pure functions from arrays and frames to numbers; nothing here reads a file or runs anything."""
