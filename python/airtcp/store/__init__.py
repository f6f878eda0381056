"""A store of run folders as a whole: what is in it, whether it is sound, what may go, and copies of it."""
