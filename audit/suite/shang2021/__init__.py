"""The audits of shang2021 and their experiments."""
