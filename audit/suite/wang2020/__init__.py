"""The audits of wang2020 and their experiments."""
