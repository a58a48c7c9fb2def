"""Shang, Zhang, Xu, Liu, Liu. Principal component analysis in the stochastic differential privacy model. UAI 2021."""
