"""What is executed: the types of plans."""
