"""What the papers printed and what we get: a folder per paper, a script per table."""
