"""The ledger: reads the claims, executes their checks, and writes what was found."""
