"""Who may do what: access, passwords, limits, and what every request must satisfy."""

__all__ = []
