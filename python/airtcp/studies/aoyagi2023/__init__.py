"""aoyagi2023: an accurate platform for investigating TCP performance in Wi-Fi networks."""
