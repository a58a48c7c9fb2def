"""Searches for the worst pair of neighbouring datasets."""
