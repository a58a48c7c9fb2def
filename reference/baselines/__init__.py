"""Published mechanisms that the four papers compare themselves with."""
