"""Checks of the claims of shang2021, a module a section of the paper."""
