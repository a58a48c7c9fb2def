"""Claims about the baselines: their note and the checks."""
