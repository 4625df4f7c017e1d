"""Polato, Aiolli (AAAI 2019): preference and rule learning as a game."""
