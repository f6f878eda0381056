"""What a reader gets: tables, claims, files."""
