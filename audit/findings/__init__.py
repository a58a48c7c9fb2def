"""Faults found in other people's implementations: a note and a runnable reproducer for each."""
