"""Two sets of results against each other: ratios, differences on common seeds, and what has no partner."""
