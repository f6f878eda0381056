"""What a person writes: the tables and keys of a scenario."""
