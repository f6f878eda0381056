"""What a person writes (a scenario) and what is executed (a plan)."""
