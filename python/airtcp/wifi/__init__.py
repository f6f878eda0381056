"""What IEEE 802.11 and regulators lay down: standards, channels, modes, rates."""
