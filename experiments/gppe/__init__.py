"""Bonilla, Guo, Sanner: Gaussian process preference elicitation (NIPS 2010)."""
