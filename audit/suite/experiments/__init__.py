"""Experiments of the papers, re-run: what is measured, apart from what is asserted of it."""
