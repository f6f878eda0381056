"""hostap's own tests (tests/hwsim), unmodified, in guests with radios."""
