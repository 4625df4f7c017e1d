"""Peers that are strong, on the same games, splits and people."""
