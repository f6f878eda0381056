"""The reference of all keys, made from their declarations."""
