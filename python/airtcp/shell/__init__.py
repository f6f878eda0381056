"""The prompt of a session: commands in nodes, time, changes, and what is kept."""
