"""What decides: outputs become events, events are tested, tests give bounds. Nothing here runs a mechanism."""
