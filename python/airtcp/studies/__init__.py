"""Published studies: the data in the folder `studies`, the analysis here."""
