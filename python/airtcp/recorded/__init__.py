"""Studies of recordings of others, which stay in a folder that the user names."""
