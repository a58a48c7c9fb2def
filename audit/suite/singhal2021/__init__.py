"""The audits of singhal2021 and their experiments."""
