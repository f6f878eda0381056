"""Scripts of packetdrill, unmodified, each in a guest of its own, on virtual time."""
