"""Liu, Kong, Jain, Oh. DP-PCA: statistically optimal and differentially private PCA. NeurIPS 2022 (arXiv 2205.13709)."""
