"""Tests of the project itself, the validity of the auditor included."""
