"""The claims ledger: every claim of the papers, with a verdict that is executed."""
