"""Guest kernels: where they are built from, what each series is, and their names.

`kernel/build` runs this without an environment, so it needs the standard library alone.
"""
