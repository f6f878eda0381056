"""What claims compute over results: one function for each form of a sentence."""
