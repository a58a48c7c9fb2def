"""The conformance suite: another implementation against the known-answer vectors."""
