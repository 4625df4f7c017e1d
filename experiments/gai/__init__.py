"""Herin, Perny, Sokolovska (AAAI 2024): sparse GAI-decomposable utilities."""
