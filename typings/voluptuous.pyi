# What `import voluptuous` is inside Home Assistant: see homeassistant/__init__.py. Without
# this, mypy would hold the schemas that the integration hands to Home Assistant against
# the real package's types, which are others. The companion is checked against those.

from probatio import *  # noqa: F403
