"""GAI utilities from a thousand rows to a million: bins, sums over blocks, a path."""
