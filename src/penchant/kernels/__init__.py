"""Kernels on single attributes and on whole items."""
