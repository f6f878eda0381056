"""Self-tests of the kernel, unmodified, each in a guest of its own, on virtual time."""
