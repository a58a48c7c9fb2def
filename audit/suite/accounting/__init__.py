"""Recomputes what calibrations promise and what runs spend, by formulas that `reference.accounting` has no part in."""
