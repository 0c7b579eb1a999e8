"""The hub node: Rupert, the managers beside him, their gate and the record."""
