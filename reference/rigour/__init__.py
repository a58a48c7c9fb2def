"""Rigorous arithmetic below everything else: balls, enclosures, root finders, outward rounding, checks of arguments."""
