"""The auditor: usable as a library through the names that `audit` exports."""
