"""Jobs that learn from files, and what they leave."""
