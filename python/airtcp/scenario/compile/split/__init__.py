"""The parts of a network that two guests compute."""
