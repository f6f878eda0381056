"""The command `airtcp`."""

import gc
import os

# The command's own arithmetic is small: threads of a BLAS library only cost time to start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# A command makes many objects that live as long as itself: to look for rubbish among them often is waste.
gc.set_threshold(100_000, 50, 100)
