"""Checks that estimators and stores of others can reuse."""
