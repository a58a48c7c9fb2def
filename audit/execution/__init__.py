"""What runs: batches of trials, worker processes, limits, stores, and the views that ask the auditor for a bound."""
