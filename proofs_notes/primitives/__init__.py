"""Claims about the shared mechanisms: their note and the checks."""
