"""HearthNet outside Home Assistant: Darcy, Dewey and their tools."""
