"""What a run can show over time or as a distribution: for each quantity, its lines."""
