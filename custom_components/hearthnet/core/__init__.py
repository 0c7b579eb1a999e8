"""The domain of HearthNet: pure decisions, the record, and the agents.

Nothing here imports Home Assistant; it runs on Python 3.12 and later. The
folder is shipped twice: inside the integration and inside the companion.
"""
