"""Home Assistant's own sentences and ours, recognized without being run."""
