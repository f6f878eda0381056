"""From plans to run folders: finds the runner and the kernel, runs plans, shows progress."""
