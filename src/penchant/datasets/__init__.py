"""Data sets: shipped, from installed packages, generated, or read from a file."""
