"""Other people's DP-PCA in the place of the catalogue's: each module has its own extra, of the same name."""
