"""The steps of the configuration flow, by what they ask."""
