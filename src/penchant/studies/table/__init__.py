"""The table of a study, which may change while people answer: versions of it."""
