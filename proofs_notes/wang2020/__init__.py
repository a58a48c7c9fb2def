"""Checks of the claims of wang2020, a module a section of the paper."""
