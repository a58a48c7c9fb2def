"""The report of `pytest audit/`: results as one JSON document, and the page that is rendered from it alone."""
