"""Wang, Xu. Principal component analysis in the local differential privacy model. TCS 809 (2020)."""
