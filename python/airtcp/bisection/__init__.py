"""Bisection: the first commit, or the first patch, with which a kernel does not meet a condition any more."""
