"""What is sent and what is recorded of it, as the plan has it."""
