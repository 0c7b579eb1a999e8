"""Policy: what the owner allows, asks about and forbids.

`model` has the types, `evaluate` decides, `load` reads the text. Only `load`
needs PyYAML, so import it where a text is read and nowhere else.
"""
