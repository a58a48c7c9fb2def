"""The auditor audited: bugs planted in the algorithms, and true claims that it must leave alone."""
