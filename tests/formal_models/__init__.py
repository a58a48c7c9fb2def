"""The formal models as programs: extracted from Rocq, compiled, and an implementation for the conformance suite."""
