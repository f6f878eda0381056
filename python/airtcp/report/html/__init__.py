"""Reports as one HTML file without a network: `page` writes it, `campaign` makes that of any set of runs."""
