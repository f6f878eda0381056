"""What one run looks like: its report, its figures, its facts."""
