"""Singhal, Steinke. Privately learning subspaces. NeurIPS 2021 (arXiv 2106.00001)."""
