"""The audits of the baselines and their experiments."""
