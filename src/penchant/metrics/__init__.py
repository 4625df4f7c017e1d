"""How good a utility, a ranking or a recommendation is."""
