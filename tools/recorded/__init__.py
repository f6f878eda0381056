"""airtcp against recordings of real networks, which stay in a folder that the user names."""
