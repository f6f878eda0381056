"""Mininet and Mininet-WiFi, run as they are in a guest for labs."""
