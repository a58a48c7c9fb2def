"""The audits that `pytest audit/` runs: their instances, and how one is run and reported."""
