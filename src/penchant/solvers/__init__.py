"""Optimisation: arrays in, arrays and a certificate out."""
