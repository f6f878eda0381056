"""What can be read off a run: numbers, samples for distributions, and lines over time."""
