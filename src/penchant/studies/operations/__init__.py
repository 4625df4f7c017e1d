"""What owners do with whole studies: backup, check, export, demo, warm-up."""

__all__ = []
