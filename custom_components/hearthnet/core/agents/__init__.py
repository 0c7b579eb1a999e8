"""The agents: Rupert decides, managers propose and execute."""
