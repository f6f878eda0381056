"""gdb in the kernel of a network whose clock stops, goes on and goes back: `airtcp debug`."""
