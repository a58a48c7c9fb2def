"""The documentation site: the README, the notes, the ledger and the docstrings as pages that need no network."""
