"""Real servers and faults that tests and the demo share."""
