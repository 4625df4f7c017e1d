"""Studies: how many questions it takes to find the best of forty flats."""
