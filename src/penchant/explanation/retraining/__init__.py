"""Explanations of any model by refitting it on part of the attributes."""
