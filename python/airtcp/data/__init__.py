"""Reads run folders: the only room that does."""
