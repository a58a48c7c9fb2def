"""The checks that the ledger executes, one module per paper."""
