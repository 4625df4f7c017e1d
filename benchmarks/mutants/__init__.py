"""Deliberate mistakes in our code, and whether the nearest tests notice them."""
