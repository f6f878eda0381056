"""Values of keys: quantities with units, distributions, dates, names of kernels."""
