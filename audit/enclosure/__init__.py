"""Rigorous arithmetic: enclosures and exact masses, for the audits' exact view and the ledger's checks."""
