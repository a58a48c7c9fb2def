"""Checks of the claims of liu2022, a module a section of the paper."""
