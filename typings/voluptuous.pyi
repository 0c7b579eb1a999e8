# What `import voluptuous` is inside Home Assistant: see homeassistant/__init__.py. Else
# mypy would hold the schemas that the integration hands to Home Assistant against the
# real package's types, which are others. The companion is checked against the latter.

from probatio import *  # noqa: F403
