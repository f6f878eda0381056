"""From files to scenarios and plans, with clear errors."""
