"""The audits of liu2022 and their experiments."""
