"""Escriva et al. (EGC 2022): coalitional explanations of single predictions."""
